package auth

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/proto/errores"
	accesov1 "github.com/enlace-iis/enlace/proto/gen/enlace/acceso/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

const (
	pingRPC     = registrosv1.RegistroService_Ping_FullMethodName
	validateRPC = registrosv1.RegistroService_ValidateRegistros_FullMethodName
	saveRPC     = registrosv1.RegistroService_SaveRegistros_FullMethodName
	loteRPC     = registrosv1.RegistroService_SaveLote_FullMethodName
	casosRPC    = registrosv1.CasoService_ListCasos_FullMethodName
	openRPC     = registrosv1.BusquedaService_OpenCaso_FullMethodName
	cargaRPC    = registrosv1.CargaService_FinishCarga_FullMethodName
	empresa     = tenant.EmpresaID("XAXX010101000")
)

// The table of the tests: one method of each kind, and CloseCaso forgotten.
var table = Table{
	pingRPC:     {Public: true},
	validateRPC: {Roles: []Rol{RolInstitucion}, Ambito: AmbitoCliente},
	saveRPC:     {Roles: []Rol{RolInstitucion}, Ambito: AmbitoEventos},
	loteRPC:     {Roles: []Rol{RolInstitucion, RolPUI}, Ambito: AmbitoCliente},
	casosRPC:    {Roles: []Rol{RolInstitucion}, Ambito: AmbitoCliente},
	openRPC:     {Roles: []Rol{RolServicio}},
	cargaRPC:    {Roles: []Rol{RolOperador}, Recent: true},
}

const allowed = errores.Motivo(0)

// What each credential may do with each method. The call itself and CheckAcceso have to
// agree.
func TestGuard_everyOutcome(t *testing.T) {
	g := newGuarded(t, nil)
	own := g.present
	tests := []struct {
		name   string
		method string
		pairs  []string
		want   errores.Motivo
	}{
		{"public, nothing presented", pingRPC, nil, allowed},
		{"public, a wrong credential is not looked at", pingRPC, []string{"x-api-key", "wrong", "authorization", "wrong"}, allowed},

		{"nothing presented", validateRPC, nil, errores.CredencialAusente},
		{"blank key", validateRPC, []string{"x-api-key", "  "}, errores.CredencialAusente},
		{"good key", validateRPC, []string{"x-api-key", own.cliente}, allowed},
		{"good key between spaces", validateRPC, []string{"x-api-key", " " + own.cliente + " "}, allowed},
		{"key without the scope", validateRPC, []string{"x-api-key", own.eventos}, errores.SinPermiso},
		{"key with the other scope", saveRPC, []string{"x-api-key", own.eventos}, allowed},
		{"key that is no key", validateRPC, []string{"x-api-key", "wrong"}, errores.CredencialInvalida},
		{"mistyped key", validateRPC, []string{"x-api-key", own.cliente[:len(own.cliente)-1]}, errores.CredencialInvalida},
		{"unknown key", validateRPC, []string{"x-api-key", own.unknown}, errores.CredencialInvalida},
		{"known id with another secret", validateRPC, []string{"x-api-key", own.wrongSecret}, errores.CredencialInvalida},
		{"revoked key", validateRPC, []string{"x-api-key", own.revoked}, errores.CredencialRevocada},
		{"expired key", validateRPC, []string{"x-api-key", own.expired}, errores.CredencialCaducada},
		{"two keys", validateRPC, []string{"x-api-key", own.cliente, "x-api-key", own.cliente}, errores.CredencialInvalida},
		{"key as bearer", validateRPC, []string{"authorization", "Bearer " + own.cliente}, errores.CredencialInvalida},
		{"token where a key is needed", validateRPC, []string{"authorization", "Bearer pui"}, errores.CredencialInvalida},

		{"stream, nothing presented", casosRPC, nil, errores.CredencialAusente},
		{"stream, good key", casosRPC, []string{"x-api-key", own.cliente}, allowed},
		{"stream, key without the scope", casosRPC, []string{"x-api-key", own.eventos}, errores.SinPermiso},
		{"stream, revoked key", casosRPC, []string{"x-api-key", own.revoked}, errores.CredencialRevocada},

		{"service token", openRPC, []string{"authorization", "Bearer servicio"}, allowed},
		{"scheme in lower case", openRPC, []string{"authorization", "bearer  servicio"}, allowed},
		{"service, nothing presented", openRPC, nil, errores.CredencialAusente},
		{"service, key", openRPC, []string{"x-api-key", own.cliente}, errores.CredencialInvalida},
		{"service, platform's token", openRPC, []string{"authorization", "Bearer pui"}, errores.SinPermiso},
		{"service, operator's token", openRPC, []string{"authorization", "Bearer operador"}, errores.SinPermiso},
		{"service, unknown token", openRPC, []string{"authorization", "Bearer unknown"}, errores.CredencialInvalida},
		{"service, other scheme", openRPC, []string{"authorization", "Basic servicio"}, errores.CredencialInvalida},
		{"service, no token", openRPC, []string{"authorization", "Bearer "}, errores.CredencialInvalida},
		{"service, two tokens", openRPC, []string{"authorization", "Bearer servicio", "authorization", "Bearer servicio"}, errores.CredencialInvalida},

		{"recent login", cargaRPC, []string{"authorization", "Bearer operador fresh"}, allowed},
		{"login of too long ago", cargaRPC, []string{"authorization", "Bearer operador old"}, errores.SesionAntigua},
		{"login of no known time", cargaRPC, []string{"authorization", "Bearer operador"}, errores.SesionAntigua},
		{"recent login without the role", cargaRPC, []string{"authorization", "Bearer pui fresh"}, errores.SinPermiso},

		{"both kinds, the key counts", validateRPC, []string{"x-api-key", own.cliente, "authorization", "Bearer unknown"}, allowed},
		{"both kinds, the token counts", openRPC, []string{"x-api-key", "wrong", "authorization", "Bearer servicio"}, allowed},
		{"both kinds, the one that counts is wrong", openRPC, []string{"x-api-key", own.cliente, "authorization", "Bearer unknown"}, errores.CredencialInvalida},
		{"either kind, key", loteRPC, []string{"x-api-key", own.cliente}, allowed},
		{"either kind, token", loteRPC, []string{"authorization", "Bearer pui"}, allowed},
		{"either kind, token without the role", loteRPC, []string{"authorization", "Bearer operador"}, errores.SinPermiso},
		{"either kind, a wrong key is not mended by a token", loteRPC, []string{"x-api-key", "wrong", "authorization", "Bearer pui"}, errores.CredencialInvalida},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			check(t, "call", g.call(t, tt.method, tt.pairs...), tt.want)
			check(t, "CheckAcceso", g.checkAcceso(t, tt.method, 0, tt.pairs...), tt.want)
			select {
			case principal := <-g.seen:
				if tt.want != allowed {
					t.Errorf("the handler was reached by %+v", principal)
				}
			default:
				if tt.want == allowed && tt.method != pingRPC {
					t.Error("the handler was not reached")
				}
			}
		})
	}
	if strings.Contains(g.log.String(), own.cliente) || strings.Contains(g.log.String(), "Bearer") {
		t.Error("a credential is in the log")
	}
}

func check(t *testing.T, what string, err error, want errores.Motivo) {
	t.Helper()
	if want == allowed && err != nil || want != allowed && !errs.Is(err, want) {
		t.Errorf("%s: %v, want %s", what, err, want)
	}
}

func TestGuard_givesThePrincipalAndLogsIt(t *testing.T) {
	g := newGuarded(t, nil)
	err := g.call(t, validateRPC, "x-api-key", g.present.cliente)
	if err != nil {
		t.Fatal(err)
	}
	principal := <-g.seen
	if principal.EmpresaID != empresa || principal.Rol != RolInstitucion || !principal.Has(AmbitoCliente) || principal.Has(AmbitoEventos) {
		t.Errorf("%+v", principal)
	}
	line := g.log.only(t)
	if line["empresa_id"] != string(empresa) || line["rol"] != "institucion" {
		t.Errorf("log %v", line)
	}
}

// The gateway keeps the shares of institutions too, and learns only here whose a request is.
func TestGuard_checkAccesoTellsWhoseTheCredentialIs(t *testing.T) {
	g := newGuarded(t, nil)
	ctx := metadata.AppendToOutgoingContext(t.Context(), "x-api-key", g.present.cliente, "authorization", "Bearer servicio")
	for method, want := range map[string]string{validateRPC: string(empresa), openRPC: "", pingRPC: ""} {
		answer, err := accesov1.NewAccesoServiceClient(g.conn).CheckAcceso(ctx, &accesov1.CheckAccesoRequest{Rpc: method})
		if err != nil || answer.GetIdEmpresa() != want {
			t.Errorf("%s: %v, %v; want %q", method, answer, err, want)
		}
	}
}

// Nothing but the credential says who calls, whatever a client puts beside it.
func TestGuard_forgedMetadataChangesNothing(t *testing.T) {
	g := newGuarded(t, nil)
	forged := []string{
		"empresa-id", "FORGED010101000", "empresa_id", "FORGED010101000", "x-empresa-id", "FORGED010101000",
		"rol", "servicio", "x-rol", "servicio", "x-forwarded-user", "operador", "x-principal", `{"Rol":"servicio"}`,
		"grpcgateway-authorization", "Bearer servicio", "grpc-metadata-x-api-key", g.present.eventos,
	}
	err := g.call(t, validateRPC, append(forged, "x-api-key", g.present.cliente)...)
	if err != nil {
		t.Fatal(err)
	}
	if principal := <-g.seen; principal.EmpresaID != empresa || principal.Rol != RolInstitucion || principal.Has(AmbitoEventos) {
		t.Errorf("%+v", principal)
	}
	check(t, "no credential", g.call(t, validateRPC, forged...), errores.CredencialAusente)
	check(t, "service", g.call(t, openRPC, forged...), errores.CredencialAusente)
}

func TestGuard_aMethodThatTheTableForgetsIsRefused(t *testing.T) {
	g := newGuarded(t, nil)
	const forgotten = registrosv1.BusquedaService_CloseCaso_FullMethodName
	for name, pairs := range map[string][]string{
		"nothing": nil,
		"key":     {"x-api-key", g.present.cliente},
		"service": {"authorization", "Bearer servicio"},
	} {
		check(t, name, g.call(t, forgotten, pairs...), errores.SinPermiso)
		check(t, name, g.checkAcceso(t, forgotten, 0, pairs...), errores.NoEncontrado)
	}
	check(t, "an access that allows nobody", Access{}.authorize(Principal{Rol: RolOperador}), errores.SinPermiso)
	check(t, "the zero principal", table[validateRPC].authorize(Principal{}), errores.SinPermiso)
}

func TestGuard_withoutVerifiersAcceptsNothing(t *testing.T) {
	guard := &Guard{Table: table}
	ctx := metadata.NewIncomingContext(t.Context(), metadata.Pairs(
		"x-api-key", newKey(t, "pruebas").Reveal(), "authorization", "Bearer servicio"))
	for _, method := range []string{validateRPC, openRPC} {
		err := guard.Layer(ctx, method, func(context.Context) error { return nil })
		check(t, method, err, errores.CredencialInvalida)
	}
}

func TestGuard_healthNeedsNoCredential(t *testing.T) {
	g := newGuarded(t, nil)
	answer, err := healthv1.NewHealthClient(g.conn).Check(t.Context(), &healthv1.HealthCheckRequest{})
	if err != nil || answer.GetStatus() != healthv1.HealthCheckResponse_SERVING {
		t.Errorf("%v %v", answer, err)
	}
	for rpc, want := range map[string]bool{
		"/grpc.health.v1.Health/Watch":                                    true,
		"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo":       true,
		"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo":  true,
		accesov1.AccesoService_CheckAcceso_FullMethodName:                 true,
		"/grpc.health.v1.HealthX/Watch":                                   false,
		"/enlace.registros.v1.RegistroService/grpc.health.v1.Health/Ping": false,
		pingRPC: false,
		"":      false,
	} {
		if open(rpc) != want {
			t.Errorf("%q open: %v", rpc, !want)
		}
	}
}

// tooMany refuses everyone.
type tooMany struct{}

func (tooMany) Allow(context.Context, Principal, string) error {
	return errs.New(errores.DemasiadasSolicitudes, "Espere.").After(3 * time.Second)
}

func (l tooMany) Look(ctx context.Context, principal Principal, rpc string) error {
	return l.Allow(ctx, principal, rpc)
}

func TestGuard_limitsComeLast(t *testing.T) {
	g := newGuarded(t, tooMany{})
	check(t, "no credential", g.call(t, validateRPC), errores.CredencialAusente)
	check(t, "no scope", g.call(t, validateRPC, "x-api-key", g.present.eventos), errores.SinPermiso)
	check(t, "public", g.call(t, pingRPC), allowed)
	for _, err := range []error{
		g.call(t, validateRPC, "x-api-key", g.present.cliente),
		g.call(t, casosRPC, "x-api-key", g.present.cliente),
		g.checkAcceso(t, validateRPC, 0, "x-api-key", g.present.cliente),
		g.checkAcceso(t, validateRPC, errores.JSONInvalido, "x-api-key", g.present.cliente),
	} {
		refusal, ok := errors.AsType[*errs.Error](err)
		if !ok || refusal.Motivo != errores.DemasiadasSolicitudes || refusal.RetryAfter != 3*time.Second {
			t.Errorf("%v", err)
		}
	}
}

// counting lets everyone in and keeps what it was asked.
type counting struct{ counted, looked int }

func (c *counting) Allow(context.Context, Principal, string) error { c.counted++; return nil }
func (c *counting) Look(context.Context, Principal, string) error  { c.looked++; return nil }

// A question that comes before the body is read is neither a request nor a refusal: the call
// itself follows.
func TestGuard_aQuestionIsNoRequest(t *testing.T) {
	limiter := &counting{}
	g := newGuarded(t, limiter)
	var told []Verdict
	g.guard.Verdicts = func(_ context.Context, v Verdict) { told = append(told, v) }
	check(t, "question", g.checkAcceso(t, validateRPC, 0, "x-api-key", g.present.cliente), allowed)
	if limiter.counted != 0 || limiter.looked != 1 || len(told) != 0 {
		t.Errorf("after a question: %+v, told %v", limiter, told)
	}
	check(t, "call", g.call(t, validateRPC, "x-api-key", g.present.cliente), allowed)
	check(t, "refusal", g.checkAcceso(t, validateRPC, errores.TiempoAgotado, "x-api-key", g.present.cliente), allowed)
	if limiter.counted != 2 || len(told) != 1 || told[0].Err != nil || told[0].Motivo != errores.TiempoAgotado ||
		told[0].RPC != validateRPC || told[0].Principal.EmpresaID != empresa {
		t.Errorf("after a call and a refusal: %+v, told %+v", limiter, told)
	}
	check(t, "bad credential", g.checkAcceso(t, validateRPC, 0, "x-api-key", g.present.revoked), errores.CredencialRevocada)
	if len(told) != 2 || !errs.Is(told[1].Err, errores.CredencialRevocada) {
		t.Errorf("after a refused credential: told %+v", told)
	}
}

func TestGuard_restrictsBeforeItLimits(t *testing.T) {
	g := newGuarded(t, tooMany{})
	g.guard.Restrict = func(_ context.Context, principal Principal) error {
		if principal.Rol == RolPUI {
			return errs.New(errores.SinPermiso, "No aquí.")
		}
		return nil
	}
	check(t, "restricted", g.call(t, loteRPC, "authorization", "Bearer pui"), errores.SinPermiso)
	check(t, "CheckAcceso, restricted", g.checkAcceso(t, loteRPC, 0, "authorization", "Bearer pui"), errores.SinPermiso)
	check(t, "not restricted", g.call(t, loteRPC, "x-api-key", g.present.cliente), errores.DemasiadasSolicitudes)
	check(t, "no credential", g.call(t, loteRPC), errores.CredencialAusente)
}

func TestPrincipalFrom_withoutGuard(t *testing.T) {
	principal, err := PrincipalFrom(t.Context())
	if err == nil || errs.MotivoOf(err) != errores.Interno || principal.Rol != "" {
		t.Errorf("%+v, %v", principal, err)
	}
}
