package app_test

import (
	"context"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"google.golang.org/grpc/metadata"

	accesov1 "github.com/enlace-iis/enlace/proto/gen/enlace/acceso/v1"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/integraciontest"
)

// audited gives "accion status motivo" of an institution's requests, in order.
func audited(t *testing.T, servicio *integraciontest.Servicio, empresa string) []string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), servicio.Database.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	rows, err := conn.Query(t.Context(), `
		SELECT accion || ' ' || status || coalesce(' ' || motivo, '') FROM bitacora
		WHERE empresa_id = $1 AND tipo = 'solicitud' ORDER BY id`, empresa)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Every request of the platform that names an institution leaves an entry, refused or not,
// wherever it was refused: by the guard, by the domain, or by a gateway that could not read
// its body and only asks whether the caller might have called.
func TestBitacora_everyRequestLeavesAnEntry(t *testing.T) {
	t.Parallel()
	servicio := integraciontest.Start(t, integraciontest.Options{})
	servicio.CreateEmpresa(empresaA, "UNO")
	servicio.CreateEmpresa(empresaB, "DOS")
	clave := servicio.SetClaveEntrada(empresaA)
	conn := servicio.Dial()
	reportes := integracionv1.NewReporteServiceClient(conn)
	sesiones := integracionv1.NewSesionServiceClient(conn)
	var token string
	as := func() context.Context {
		return metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+token)
	}
	activate := func(under, id string) error {
		_, err := reportes.ActivateReporte(as(), &integracionv1.ActivateReporteRequest{
			IdEmpresa: under, Activacion: &integracionv1.Activacion{Id: id, Curp: curp},
		})
		return err
	}
	steps := []struct {
		name    string
		do      func() error
		refused bool
		want    string
	}{
		{"wrong login at its address", func() error {
			_, err := sesiones.Login(t.Context(), &integracionv1.LoginRequest{
				IdEmpresa: string(empresaA), Credenciales: &integracionv1.Credenciales{Usuario: "PUI", Clave: "wrong"},
			})
			return err
		}, true, "login 401 credencial_invalida"},
		{"login", func() error {
			answer, err := sesiones.Login(t.Context(), &integracionv1.LoginRequest{
				Credenciales: &integracionv1.Credenciales{Usuario: "PUI", Clave: clave},
			})
			token = answer.GetToken()
			return err
		}, false, "login 200"},
		{"activation", func() error { return activate("", reporteID) }, false, "activar-reporte 200"},
		{"not an id", func() error { return activate("", "corto") }, true, "activar-reporte 400 validacion"},
		{"another's address", func() error { return activate(string(empresaB), reporteID) }, true, "activar-reporte 403 sin_permiso"},
		{"no such address", func() error { return activate("NADA010101AB1", reporteID) }, true, "activar-reporte 404 no_encontrado"},
		{"unreadable body", func() error {
			_, err := accesov1.NewAccesoServiceClient(conn).CheckAcceso(as(), &accesov1.CheckAccesoRequest{
				Rpc: integracionv1.ReporteService_DeactivateReporte_FullMethodName,
			})
			return err
		}, false, "desactivar-reporte 400 json_invalido"},
		{"deactivation", func() error {
			_, err := reportes.DeactivateReporte(as(), &integracionv1.DeactivateReporteRequest{
				Desactivacion: &integracionv1.Desactivacion{Id: reporteID},
			})
			return err
		}, false, "desactivar-reporte 200"},
		{"token of before a change of clave", func() error {
			servicio.SetClaveEntrada(empresaA)
			return activate("", reporteID)
		}, true, "activar-reporte 401 credencial_invalida"},
	}
	var want []string
	for _, step := range steps {
		err := step.do()
		if (err != nil) != step.refused {
			t.Fatalf("%s: %v", step.name, err)
		}
		want = append(want, step.want)
	}
	if got := audited(t, servicio, string(empresaA)); !slices.Equal(got, want) {
		t.Errorf("bitacora =\n%v, want\n%v", got, want)
	}
	if got := audited(t, servicio, string(empresaB)); len(got) != 0 {
		t.Errorf("the other institution's bitacora = %v", got)
	}
}
