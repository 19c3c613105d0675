package app_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/proto"

	"github.com/enlace-iis/enlace/proto/errores"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/integraciontest"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// calls is every RPC with a right request of institution A.
func (s *sistema) calls() map[string]func(ctx context.Context) error {
	return map[string]func(ctx context.Context) error{
		"ActivateReporte": func(ctx context.Context) error {
			_, err := s.reportes().ActivateReporte(ctx, &integracionv1.ActivateReporteRequest{Activacion: activacion()})
			return err
		},
		"ActivateReportePrueba": func(ctx context.Context) error {
			_, err := s.reportes().ActivateReportePrueba(ctx, &integracionv1.ActivateReportePruebaRequest{Activacion: activacion()})
			return err
		},
		"DeactivateReporte": func(ctx context.Context) error {
			_, err := s.reportes().DeactivateReporte(ctx, &integracionv1.DeactivateReporteRequest{
				Desactivacion: &integracionv1.Desactivacion{Id: reporteID},
			})
			return err
		},
		"ListAvisos": func(ctx context.Context) error {
			stream, err := integracionv1.NewAvisoServiceClient(s.conn).ListAvisos(ctx, &integracionv1.ListAvisosRequest{})
			if err != nil {
				return err
			}
			_, err = stream.Recv()
			return err
		},
		"VerifyApiKey": func(ctx context.Context) error {
			_, err := integracionv1.NewCredencialServiceClient(s.conn).VerifyApiKey(ctx, &integracionv1.VerifyApiKeyRequest{})
			return err
		},
		"RecordRechazos": func(ctx context.Context) error {
			_, err := integracionv1.NewCredencialServiceClient(s.conn).RecordRechazos(ctx, &integracionv1.RecordRechazosRequest{})
			return err
		},
		"NotifyCoincidencia": func(ctx context.Context) error {
			_, err := integracionv1.NewEntregaServiceClient(s.conn).NotifyCoincidencia(ctx, newNotify(empresaA))
			return err
		},
		"FinishBusqueda": func(ctx context.Context) error {
			_, err := integracionv1.NewEntregaServiceClient(s.conn).FinishBusqueda(ctx, &integracionv1.FinishBusquedaRequest{})
			return err
		},
	}
}

func TestAccess(t *testing.T) {
	t.Parallel()
	s := start(t, integraciontest.Options{})
	s.activateLongAgo(t, empresaA)
	operador := s.Login("operador", s.CreateUsuario("operador"))
	onlyEventos := s.IssueApiKey(empresaA, "eventos").Texto
	key, token := s.keys[empresaA].Texto, s.tokens[empresaA]
	const (
		ok       = errores.Motivo(0)
		ausente  = errores.CredencialAusente
		invalida = errores.CredencialInvalida
		permiso  = errores.SinPermiso
	)
	type wants struct{ none, key, eventos, pui, operador errores.Motivo }
	platform := wants{none: ausente, key: invalida, eventos: invalida, pui: ok, operador: permiso}
	service := wants{none: ausente, key: invalida, eventos: invalida, pui: permiso, operador: permiso}
	table := map[string]wants{
		"ActivateReporte": platform, "ActivateReportePrueba": platform, "DeactivateReporte": platform,
		"ListAvisos":   {none: ausente, key: ok, eventos: permiso, pui: invalida, operador: invalida},
		"VerifyApiKey": service, "RecordRechazos": service, "NotifyCoincidencia": service, "FinishBusqueda": service,
	}
	for rpc, call := range s.calls() {
		want := table[rpc]
		for name, tt := range map[string]struct {
			ctx  context.Context
			want errores.Motivo
		}{
			"nothing":            {t.Context(), want.none},
			"a key":              {withKey(t.Context(), key), want.key},
			"a key for events":   {withKey(t.Context(), onlyEventos), want.eventos},
			"the platform":       {withToken(t.Context(), token), want.pui},
			"an operator":        {withToken(t.Context(), operador), want.operador},
			"a token of nobody":  {withToken(t.Context(), "garbage"), invalida},
			"a tampered token":   {withToken(t.Context(), token[:len(token)-4]+"AAAA"), invalida},
			"half of a good key": {withKey(t.Context(), key[:len(key)-10]), invalida},
		} {
			err := call(tt.ctx)
			if (tt.want == ok) != (err == nil) || err != nil && !errs.Is(err, tt.want) {
				t.Errorf("%s with %s: %v, want %v", rpc, name, err, tt.want)
			}
		}
	}
}

func TestTenancy(t *testing.T) {
	t.Parallel()
	s := start(t, integraciontest.Options{})
	s.activateLongAgo(t, empresaA)

	// The other institution sees nothing of it, and its own end of the id changes nothing.
	lista, err := s.avisos(t, s.keys[empresaB].Texto, "")
	if err != nil || len(lista.GetReportes()) != 0 {
		t.Errorf("B sees %v, %v", lista.GetReportes(), err)
	}
	s.deactivate(t, empresaB)
	for _, conn := range []integracionv1.EntregaServiceClient{s.entregas()} {
		other, err := conn.NotifyCoincidencia(t.Context(), newNotify(empresaB))
		if err != nil || other.GetResultado() != integracionv1.ResultadoEnvio_RESULTADO_ENVIO_CANCELADO {
			t.Errorf("for B: %v, %v", other, err)
		}
		own, err := conn.NotifyCoincidencia(t.Context(), newNotify(empresaA))
		if err != nil || own.GetResultado() != integracionv1.ResultadoEnvio_RESULTADO_ENVIO_ACEPTADO {
			t.Errorf("for A: %v, %v", own, err)
		}
	}
	lista, err = s.avisos(t, s.keys[empresaA].Texto, "")
	if err != nil || tipos(lista.GetReportes()) != "activacion" {
		t.Errorf("A sees %v, %v", tipos(lista.GetReportes()), err)
	}

	// A token at another institution's address, and at one that does not exist.
	for idEmpresa, want := range map[string]errores.Motivo{
		string(empresaA): 0, string(empresaB): errores.SinPermiso, "NADA010101AB1": errores.NoEncontrado, "x": errores.NoEncontrado,
	} {
		ctx := withToken(t.Context(), s.tokens[empresaA])
		_, activar := s.reportes().ActivateReporte(ctx, &integracionv1.ActivateReporteRequest{IdEmpresa: idEmpresa, Activacion: activacion()})
		_, prueba := s.reportes().ActivateReportePrueba(ctx, &integracionv1.ActivateReportePruebaRequest{IdEmpresa: idEmpresa, Activacion: activacion()})
		_, desactivar := s.reportes().DeactivateReporte(ctx, &integracionv1.DeactivateReporteRequest{
			IdEmpresa: idEmpresa, Desactivacion: &integracionv1.Desactivacion{Id: reporteID},
		})
		for i, err := range []error{activar, prueba, desactivar} {
			if (want == 0) != (err == nil) || err != nil && !errs.Is(err, want) {
				t.Errorf("call %d at %q: %v, want %v", i, idEmpresa, err, want)
			}
		}
	}
}

func TestVerifyApiKey(t *testing.T) {
	t.Parallel()
	s := start(t, integraciontest.Options{})
	client := integracionv1.NewCredencialServiceClient(s.registros)
	key, err := auth.Parse(s.keys[empresaA].Texto)
	if err != nil {
		t.Fatal(err)
	}
	verify := func(id string, hash [sha256.Size]byte) (*integracionv1.VerifyApiKeyResponse, error) {
		return client.VerifyApiKey(t.Context(), &integracionv1.VerifyApiKeyRequest{KeyId: id, SecretoSha256: hash[:]})
	}
	good, err := verify(key.ID, key.SecretHash())
	if err != nil || good.GetEmpresaId() != string(empresaA) || fmt.Sprint(good.GetAmbitos()) != "[cliente eventos]" ||
		good.GetEmpresaNombre() != "LABORATORIO LAB010101AB1" {
		t.Errorf("good key: %v, %v", good, err)
	}
	_, err = verify(key.ID, sha256.Sum256([]byte("otro")))
	wantMotivo(t, "wrong secret", err, errores.CredencialInvalida)
	_, err = verify("unknown", key.SecretHash())
	wantMotivo(t, "unknown key", err, errores.CredencialInvalida)

	s.RevokeApiKey(key.ID)
	_, err = verify(key.ID, key.SecretHash())
	wantMotivo(t, "revoked", err, errores.CredencialRevocada)
	_, err = verify(key.ID, sha256.Sum256([]byte("otro")))
	wantMotivo(t, "revoked, wrong secret", err, errores.CredencialInvalida)
}

// TestRevokedKeyDies is for the routes that integracion itself serves to institutions.
func TestRevokedKeyDies(t *testing.T) {
	t.Parallel()
	s := start(t, integraciontest.Options{})
	key := s.keys[empresaA]
	_, err := s.avisos(t, key.Texto, "")
	if err != nil {
		t.Fatal(err)
	}
	s.RevokeApiKey(key.KeyID)
	revoked := time.Now()
	for err == nil {
		asked := time.Now()
		_, err = s.avisos(t, key.Texto, "")
		if err == nil && asked.Sub(revoked) > time.Second {
			t.Fatalf("the key works %v after it was revoked", asked.Sub(revoked))
		}
	}
	wantMotivo(t, "revoked key", err, errores.CredencialRevocada)
}

func TestListAvisos_unchanged(t *testing.T) {
	t.Parallel()
	s := start(t, integraciontest.Options{})
	key := s.keys[empresaA].Texto
	s.activate(t, empresaA)
	lista, err := s.avisos(t, key, "")
	if err != nil || len(lista.GetReportes()) != 1 {
		t.Fatalf("list %v, %v", lista, err)
	}
	aviso := lista.GetReportes()[0]
	_, err = time.Parse("2006-01-02T15:04:05.000Z", aviso.GetRecibidoEn())
	if err != nil || aviso.GetReporteId() != reporteID || aviso.GetCurp() != curp || aviso.GetId() == "" {
		t.Errorf("aviso %v, %v", aviso, err)
	}
	again, err := s.avisos(t, key, lista.GetRevision())
	if err != nil || !again.GetSinCambios() || len(again.GetReportes()) != 0 || again.GetRevision() != lista.GetRevision() {
		t.Errorf("again %v, %v", again, err)
	}
	s.deactivate(t, empresaA)
	changed, err := s.avisos(t, key, lista.GetRevision())
	if err != nil || changed.GetSinCambios() || tipos(changed.GetReportes()) != "desactivacion activacion" {
		t.Errorf("changed %v, %v", changed, err)
	}
}

func TestApiKey_useIsRecorded(t *testing.T) {
	t.Parallel()
	s := start(t, integraciontest.Options{})
	_, err := s.avisos(t, s.keys[empresaA].Texto, "")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), s.Database.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	used := func(id tenant.EmpresaID) (recorded bool) {
		err := conn.QueryRow(t.Context(), `SELECT ultimo_uso_en IS NOT NULL FROM api_keys WHERE empresa_id = $1`, string(id)).Scan(&recorded)
		if err != nil {
			t.Fatal(err)
		}
		return recorded
	}
	eventually(t, "the use of the key is recorded", func() bool { return used(empresaA) })
	if used(empresaB) {
		t.Error("a key that was not used says that it was")
	}
}

func TestGetInicio(t *testing.T) {
	t.Parallel()
	s := start(t, integraciontest.Options{})
	inicio, err := integracionv1.NewInicioServiceClient(s.conn).GetInicio(t.Context(), &integracionv1.GetInicioRequest{})
	if err != nil || inicio.GetAplicacion() == "" || inicio.GetVersion() == "" || inicio.GetDescripcion() == "" {
		t.Errorf("inicio %v, %v", inicio, err)
	}
	want := &integracionv1.Endpoints{
		Docs:                  "/docs",
		Health:                "/health",
		Login:                 "POST /login",
		ActivarReporte:        "POST /activar-reporte",
		ActivarReportePrueba:  "POST /activar-reporte-prueba",
		DesactivarReporte:     "POST /desactivar-reporte",
		WebhookEventos:        "POST /webhooks/eventos",
		WebhookApiKeysCrear:   "POST /webhooks/api-keys",
		WebhookApiKeysListar:  "GET /webhooks/api-keys/{id_empresa}",
		WebhookApiKeysRevocar: "POST /webhooks/api-keys/{key_id}/revocar",
	}
	if !proto.Equal(inicio.GetEndpoints(), want) {
		t.Errorf("endpoints %v", inicio.GetEndpoints())
	}
}
