package app_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/proto/errores"
	accesov1 "github.com/enlace-iis/enlace/proto/gen/enlace/acceso/v1"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/integraciontest"
	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// audited gives "accion status motivo" of an institution's requests, in order; with their
// number if there were several of a kind.
func audited(t *testing.T, servicio *integraciontest.Servicio, empresa string) []string {
	t.Helper()
	return readBitacora(t, servicio, `concat_ws(' ', accion, status, motivo)`, empresa)
}

// auditedBy adds the actor.
func auditedBy(t *testing.T, servicio *integraciontest.Servicio, empresa string) []string {
	t.Helper()
	return readBitacora(t, servicio, `concat_ws(' ', accion, status, motivo, actor)`, empresa)
}

func readBitacora(t *testing.T, servicio *integraciontest.Servicio, line, empresa string) []string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), servicio.Database.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	rows, err := conn.Query(t.Context(), `
		SELECT linea || CASE veces WHEN 1 THEN '' ELSE ' x' || veces END FROM (
			SELECT `+line+` AS linea, sum(coalesce((datos->>'veces')::int, 1)) AS veces, min(id::text) AS primera
			FROM bitacora WHERE empresa_id = $1 AND tipo = 'solicitud' GROUP BY linea
		) lineas ORDER BY primera`, empresa)
	if err != nil {
		t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Every request of the platform that names an institution is in its entries, refused or not,
// wherever it was refused: by the guard, by the domain, or by a gateway that could not read
// its body. A gateway that only asks beforehand makes no request of it.
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
	ask := func(at tenant.EmpresaID, motivo errores.Motivo) error {
		ctx := as()
		if at != "" {
			ctx = metadata.AppendToOutgoingContext(ctx, "x-direccion-bin", string(at))
		}
		_, err := accesov1.NewAccesoServiceClient(conn).CheckAcceso(ctx, &accesov1.CheckAccesoRequest{
			Rpc: integracionv1.ReporteService_DeactivateReporte_FullMethodName, Motivo: motivo,
		})
		return err
	}
	steps := []struct {
		name    string
		do      func() error
		refused bool
		want    string // the entry; none if empty
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
		{"unreadable body", func() error { return ask("", errores.JSONInvalido) }, false, "desactivar-reporte 400 json_invalido"},
		{"large body", func() error { return ask("", errores.CuerpoDemasiadoGrande) }, false,
			"desactivar-reporte 413 cuerpo_demasiado_grande"},
		{"wrong encoding", func() error { return ask("", errores.TipoNoAdmitido) }, false,
			"desactivar-reporte 400 tipo_no_admitido"},
		{"slow body", func() error { return ask("", errores.TiempoAgotado) }, false, "desactivar-reporte 504 tiempo_agotado"},
		{"too many from its address", func() error { return ask("", errores.DemasiadasSolicitudes) }, false,
			"desactivar-reporte 429 demasiadas_solicitudes"},
		{"question before the body", func() error { return ask("", 0) }, false, ""},
		{"question at another's address", func() error { return ask(empresaB, 0) }, true, "desactivar-reporte 403 sin_permiso x2"},
		{"unreadable body at another's address", func() error { return ask(empresaB, errores.JSONInvalido) }, true, ""},
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
		if step.want != "" {
			want = append(want, step.want)
		}
	}
	servicio.Stop()
	if got := audited(t, servicio, string(empresaA)); !slices.Equal(got, want) {
		t.Errorf("bitacora =\n%v, want\n%v", got, want)
	}
	if got := audited(t, servicio, string(empresaB)); len(got) != 0 {
		t.Errorf("the other institution's bitacora = %v", got)
	}
}

// An activation that is refused is a person who is not searched for: each leaves an entry of its
// own and stands in the summary until an operator reviewed it.
func TestBitacora_eachRefusedActivationIsSeen(t *testing.T) {
	t.Parallel()
	s := start(t, integraciontest.Options{})
	activate := func(id, curp, nombre string) {
		_, err := s.reportes().ActivateReporte(withToken(t.Context(), s.tokens[empresaA]), &integracionv1.ActivateReporteRequest{
			Activacion: &integracionv1.Activacion{Id: id, Curp: curp, Nombre: nombre},
		})
		wantMotivo(t, "activation", err, errores.Validacion)
	}
	unread := func(rpc, id string, motivo errores.Motivo) {
		_, err := accesov1.NewAccesoServiceClient(s.conn).CheckAcceso(withToken(t.Context(), s.tokens[empresaA]),
			&accesov1.CheckAccesoRequest{Rpc: rpc, Motivo: motivo, ReporteId: id})
		if err != nil {
			t.Fatal(err)
		}
	}
	other := strings.Replace(reporteID, "A1B2", "B1B2", 1)
	for range 3 {
		activate(reporteID, "corta", "")
	}
	activate(other, curp, "<script>")
	activate("corto", curp, "")
	unread(integracionv1.ReporteService_ActivateReporte_FullMethodName, other, errores.JSONInvalido)
	unread(integracionv1.ReporteService_ActivateReporte_FullMethodName, "JUAN PEREZ", errores.JSONInvalido)
	unread(integracionv1.ReporteService_ActivateReporte_FullMethodName, "", errores.CuerpoDemasiadoGrande)
	// Comes again, asks for no search, and is no activation.
	unread(integracionv1.ReporteService_ActivateReporte_FullMethodName, "", errores.DemasiadasSolicitudes)
	unread(integracionv1.ReporteService_ActivateReportePrueba_FullMethodName, "", errores.JSONInvalido)
	unread(integracionv1.ReporteService_DeactivateReporte_FullMethodName, "", errores.JSONInvalido)

	got := readBitacora(t, s.Servicio, `concat_ws(' ', id, reporte_id, datos ->> 'defectos')`, string(empresaA))
	var lines []string
	for _, line := range got {
		if _, said, named := strings.Cut(line, " "); named {
			lines = append(lines, said)
		}
	}
	want := []string{
		reporteID + ` ["curp longitud"]`, reporteID + ` ["curp longitud"]`, reporteID + ` ["curp longitud"]`, other + ` ["nombre caracter_no_permitido"]`,
		`["id longitud"]`, other + ` ["json_invalido"]`, `["json_invalido"]`, `["cuerpo_demasiado_grande"]`,
	}
	if !slices.Equal(lines, want) {
		t.Errorf("bitacora =\n%q, want\n%q", lines, want)
	}

	operador := integracionv1.NewSeguimientoServiceClient(s.conn)
	ctx := withToken(t.Context(), s.Login("operadora", s.CreateUsuario("operadora")))
	wantSinAbrir := func(want map[string]int32) {
		t.Helper()
		resumen, err := operador.GetResumen(ctx, &integracionv1.GetResumenRequest{})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int32{}
		for _, p := range resumen.GetPendientes() {
			if p.GetTipo() == "reportes_sin_abrir" {
				got[p.GetIdEmpresa()+" "+p.GetRecurso()] = p.GetTotal()
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("summary: %v, want %v", got, want)
		}
	}
	const a = string(empresaA) + " "
	wantSinAbrir(map[string]int32{a + reporteID: 1, a + other: 1, a: 3})
	s.activate(t, empresaA) // with all that it needs
	wantSinAbrir(map[string]int32{a + other: 1, a: 3})
	foreign, err := operador.ReviewSinAbrir(ctx, &integracionv1.ReviewSinAbrirRequest{IdEmpresa: string(empresaB)})
	if err != nil || len(foreign.GetRevisados()) != 0 {
		t.Errorf("reviewed of the other institution: %v, %v", foreign, err)
	}
	reviewed, err := operador.ReviewSinAbrir(ctx, &integracionv1.ReviewSinAbrirRequest{IdEmpresa: string(empresaA)})
	if err != nil || len(reviewed.GetRevisados()) != 5 || reviewed.GetQuedan() || reviewed.GetRevisados()[1].GetReporteId() != "" {
		t.Errorf("reviewed %v, %v", reviewed, err)
	}
	wantSinAbrir(map[string]int32{})
	activate(other, curp, "<script>") // stands anew
	wantSinAbrir(map[string]int32{a + other: 1})
	_, err = operador.ReviewSinAbrir(ctx, &integracionv1.ReviewSinAbrirRequest{IdEmpresa: "NADA010101AB1"})
	wantMotivo(t, "an unknown institution", err, errores.NoEncontrado)
}

// A wrong login leaves an entry that names a user only if there is one: what was typed
// otherwise may be a clave.
func TestBitacora_wrongLogins(t *testing.T) {
	t.Parallel()
	const intentos = 3
	servicio := integraciontest.Start(t, integraciontest.Options{LoginMaxFailures: intentos})
	servicio.CreateEmpresa(empresaA, "UNO")
	clave := servicio.CreateUsuario("operador")
	conn := servicio.Dial()
	for _, try := range []struct {
		ip      string
		empresa tenant.EmpresaID
		usuario string
		want    errores.Motivo
	}{
		{"192.0.2.1", "", "operador", errores.CredencialInvalida},
		{"192.0.2.1", "", "a-clave-typed-as-user", errores.CredencialInvalida},
		{"192.0.2.1", "", "no user's name!", errores.CredencialInvalida},
		{"192.0.2.1", "", "operador", errores.DemasiadasSolicitudes},
		{"192.0.2.2", "", "PUI", errores.CredencialInvalida},
		{"192.0.2.2", "", "", errores.Validacion},
		{"192.0.2.3", empresaA, "PUI", errores.CredencialInvalida},
		{"192.0.2.3", empresaA, "operador", errores.CredencialInvalida},
		{"192.0.2.3", empresaA, "nadie", errores.CredencialInvalida},
		{"192.0.2.3", empresaA, "PUI", errores.DemasiadasSolicitudes},
		{"192.0.2.4", empresaA, "", errores.Validacion},
	} {
		_, err := login(t.Context(), conn, try.ip, try.empresa, try.usuario, "wrong")
		wantMotivo(t, try.usuario+" from "+try.ip, err, try.want)
	}
	_, err := login(t.Context(), conn, "192.0.2.5", "", "operador", clave)
	if err != nil {
		t.Fatal(err)
	}
	servicio.Stop()
	const refused, limited = "login 401 credencial_invalida ", "login 429 demasiadas_solicitudes (desconocido)"
	const malformed = "login 400 validacion (desconocido)"
	for empresa, want := range map[tenant.EmpresaID][]string{
		bitacora.SinEmpresa: {refused + "operador", refused + "(desconocido) x2", limited, refused + "PUI", malformed, "login 200 operador"},
		empresaA:            {refused + "PUI", refused + "operador", refused + "(desconocido)", limited, malformed},
	} {
		if got := auditedBy(t, servicio, string(empresa)); !slices.Equal(got, want) {
			t.Errorf("bitacora of %s =\n%v, want\n%v", empresa, got, want)
		}
	}
}

// A flood of refused tokens is a handful of lines, and none of it is lost when the service
// stops.
func TestBitacora_aFloodOfRefusedTokens(t *testing.T) {
	t.Parallel()
	s := start(t, integraciontest.Options{})
	s.SetClaveEntrada(empresaA) // voids the token
	const flood = 1000
	for n := range flood {
		token := s.tokens[empresaA]
		if n%2 == 1 {
			token = "nobody's"
		}
		_, err := s.reportes().DeactivateReporte(withToken(t.Context(), token), &integracionv1.DeactivateReporteRequest{})
		wantMotivo(t, "refused token", err, errores.CredencialInvalida)
	}
	s.Stop()
	for empresa, actor := range map[tenant.EmpresaID]string{empresaA: "PUI", bitacora.SinEmpresa: "(desconocido)"} {
		refused := fmt.Sprintf("desactivar-reporte 401 credencial_invalida %s x%d", actor, flood/2)
		if got := auditedBy(t, s.Servicio, string(empresa)); !slices.Contains(got, refused) {
			t.Errorf("bitacora of %s = %v, want %s", empresa, got, refused)
		}
	}
	if lines := count(t, s.Servicio, `bitacora WHERE accion = 'desactivar-reporte'`); lines > flood/10 {
		t.Errorf("%d refusals are %d lines", flood, lines)
	}
}

// A credential that is refused leaves an entry, whoever brought it and wherever: at the guard, by a
// signature that is not right, by a key that registros asks about, and at a login whose body the
// gateway could not read. A call without any leaves none.
func TestBitacora_refusedCredentials(t *testing.T) {
	t.Parallel()
	s := start(t, integraciontest.Options{})
	onlyEventos, both := s.IssueApiKey(empresaA, "eventos"), s.keys[empresaA]
	listUsuarios := func(ctx context.Context) error {
		stream, err := integracionv1.NewUsuarioServiceClient(s.conn).ListUsuarios(ctx, &integracionv1.ListUsuariosRequest{})
		if err == nil {
			_, err = stream.Recv()
		}
		return err
	}
	listAvisos := func(ctx context.Context) error {
		stream, err := integracionv1.NewAvisoServiceClient(s.conn).ListAvisos(ctx, &integracionv1.ListAvisosRequest{})
		if err == nil {
			_, err = stream.Recv()
		}
		return err
	}
	event := func(ctx context.Context) error {
		_, err := integracionv1.NewEventoServiceClient(s.conn).ReceiveEvento(ctx, &integracionv1.ReceiveEventoRequest{Cuerpo: []byte("{}")})
		return err
	}
	signed := metadata.AppendToOutgoingContext(withKey(t.Context(), both.Texto),
		"webhook-id", "msg_1", "webhook-timestamp", "1700000000", "webhook-signature", "v1,AAAA")
	unreadable := func(at tenant.EmpresaID) error {
		ctx := t.Context()
		if at != "" {
			ctx = metadata.AppendToOutgoingContext(ctx, "x-direccion-bin", string(at))
		}
		_, err := accesov1.NewAccesoServiceClient(s.conn).CheckAcceso(ctx, &accesov1.CheckAccesoRequest{
			Rpc: integracionv1.SesionService_Login_FullMethodName, Motivo: errores.JSONInvalido,
		})
		return err
	}
	const unknown = "enl_test_0123456789abcdef"
	for _, step := range []struct {
		name string
		err  error
		want errores.Motivo
	}{
		{"no credential", listUsuarios(t.Context()), errores.CredencialAusente},
		{"the platform's token", listUsuarios(withToken(t.Context(), s.tokens[empresaA])), errores.SinPermiso},
		{"a token of nobody", listUsuarios(withToken(t.Context(), "nobody's")), errores.CredencialInvalida},
		{"a key without the scope", listAvisos(withKey(t.Context(), onlyEventos.Texto)), errores.SinPermiso},
		{"a key of nobody", listAvisos(withKey(t.Context(), unknown)), errores.CredencialInvalida},
		{"no signature", event(withKey(t.Context(), both.Texto)), errores.CredencialAusente},
		{"a wrong signature", event(signed), errores.CredencialInvalida},
	} {
		wantMotivo(t, step.name, step.err, step.want)
	}
	_, err := integracionv1.NewCredencialServiceClient(s.registros).VerifyApiKey(t.Context(), &integracionv1.VerifyApiKeyRequest{KeyId: "nobody", SecretoSha256: make([]byte, 32)})
	wantMotivo(t, "a key that registros asks about", err, errores.CredencialInvalida)
	_, err = integracionv1.NewCredencialServiceClient(s.registros).RecordRechazos(t.Context(), &integracionv1.RecordRechazosRequest{Rechazos: []*integracionv1.Rechazo{
		{Rpc: "/enlace.registros.v1.RegistroService/SaveLote", Motivo: errores.CredencialInvalida, RequestId: "req-1234", Veces: 3},
		{Rpc: "/enlace.registros.v1.CasoService/ListCasos", EmpresaId: string(empresaA), Sujeto: onlyEventos.KeyID, Motivo: errores.SinPermiso, Veces: 1},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []tenant.EmpresaID{"", empresaB} {
		err := unreadable(at)
		if err != nil {
			t.Fatal(err)
		}
	}
	s.Stop()
	for empresa, want := range map[tenant.EmpresaID][]string{
		bitacora.SinEmpresa: {
			"ListUsuarios 401 credencial_invalida (desconocido)", "ListAvisos 401 credencial_invalida (desconocido)",
			"SaveLote 401 credencial_invalida (desconocido) x3", "login 400 json_invalido (desconocido)",
		},
		empresaA: {
			"ListUsuarios 403 sin_permiso PUI", "ListAvisos 403 sin_permiso " + onlyEventos.KeyID,
			"ReceiveEvento 401 credencial_ausente " + both.KeyID, "ReceiveEvento 401 credencial_invalida " + both.KeyID,
			"ListCasos 403 sin_permiso " + onlyEventos.KeyID,
		},
		empresaB: {"login 400 json_invalido (desconocido)"},
	} {
		got := slices.DeleteFunc(auditedBy(t, s.Servicio, string(empresa)), func(line string) bool { return strings.HasPrefix(line, "login 200") })
		if !slices.Equal(got, want) {
			t.Errorf("bitacora of %s =\n%v, want\n%v", empresa, got, want)
		}
	}
}
