package golden

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/document"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/gateway/internal/routes"
)

// An averia is what can happen to a system, and the status with which all operations of
// the services that it hits answer meanwhile.
type averia struct {
	name   string
	status int
	bring  func(*testing.T, *harness.System)
	hit    []routes.Service
}

var (
	ofRegistros   = []routes.Service{routes.Registros}
	ofIntegracion = []routes.Service{routes.Integracion}
)

var averias = []averia{
	{"registros_caido", http.StatusServiceUnavailable, func(t *testing.T, s *harness.System) { down(t, s, stack.Registros) }, ofRegistros},
	{"integracion_caido", http.StatusServiceUnavailable, func(t *testing.T, s *harness.System) { down(t, s, stack.Integracion) }, ofIntegracion},
	{"registros_detenido", http.StatusGatewayTimeout, func(t *testing.T, s *harness.System) { paused(t, s, stack.Registros) }, ofRegistros},
	{"integracion_detenido", http.StatusGatewayTimeout, func(t *testing.T, s *harness.System) { paused(t, s, stack.Integracion) }, ofIntegracion},
	// registros asks integracion about every key, and has to say that it could not learn.
	{"integracion_sin_tablas", http.StatusInternalServerError, withoutTables, slices.Concat(ofRegistros, ofIntegracion)},
	{"limite_de_direccion", http.StatusTooManyRequests, func(*testing.T, *harness.System) {}, slices.Concat(ofRegistros, ofIntegracion, []routes.Service{routes.Gateway})},
}

// failingLimits: an address may send 20 requests at once and then one a second.
var failingLimits = map[string]string{
	"TRUSTED_PROXIES": "127.0.0.0/8", "RATE_LIMIT": "1", "RATE_BURST": "20", "TIMEOUT": "4s", "TIMEOUT_BATCH": "4s",
}

// everyOperationFails asks for all that is documented to fail so, in each averia.
func everyOperationFails(t *testing.T) {
	s := startBeside(t, failingLimits)
	i := &institucion{Institucion: s.NewInstitucion(t), system: s}
	for _, a := range averias {
		t.Run(a.name, func(t *testing.T) {
			asked := map[string]step{}
			for _, operation := range s.Document.Operations() {
				if slices.Contains(a.hit, serviceOf(t, operation)) && slices.Contains(operation.Statuses, a.status) {
					asked[operation.ID] = i.anyRequest(t, operation)
				}
			}
			for _, each := range asked {
				if each.Credential != "" {
					i.credential(t, each.Credential) // made while everything is in order
				}
			}
			a.bring(t, s)
			for id, each := range asked {
				t.Run(id, func(t *testing.T) {
					t.Parallel()
					from := nextAddress()
					each.from(from)
					harness.Eventually(t, fmt.Sprintf("a %d of %s %s", a.status, each.Method, each.Path), func() bool {
						if a.status == http.StatusTooManyRequests {
							exhaust(t, i, from)
						}
						return each.once(t, i, i.known()).Status == a.status
					})
				})
			}
		})
	}
	t.Run("retencion", func(t *testing.T) { aCasoIsPurged(t, s) })
	t.Run("rechazos_contados", func(t *testing.T) { refusalsAreCounted(t, s) })
}

// exhaust spends what an address may send, with requests that are quicker than its limit
// fills again; those of the operations may be slower.
func exhaust(t *testing.T, i *institucion, address string) {
	t.Helper()
	cheap := step{Method: http.MethodGet, Path: "/", Until: http.StatusTooManyRequests}
	cheap.from(address)
	cheap.do(t, i, i.known())
}

// Ninety days after its end nothing of a person is left in a Caso, and its fields are null.
func aCasoIsPurged(t *testing.T, s *harness.System) {
	i := &institucion{Institucion: s.NewInstitucion(t), system: s}
	report := fmt.Sprintf(`{"id": %q, "curp": %q}`, harness.ReporteID(1), harness.CurpUno)
	listed := func(has string) harness.Answer {
		asked := step{Method: http.MethodGet, Path: "/cliente/casos", Credential: "cliente", UntilHas: has}
		asked.from(nextAddress())
		return asked.do(t, i, i.known())
	}
	step{Method: http.MethodPost, Path: "/activar-reporte", Credential: "pui", Raw: &report, Until: http.StatusOK}.do(t, i, i.known())
	listed(`"estado":"monitoreo"`)
	step{Method: http.MethodPost, Path: "/desactivar-reporte", Credential: "pui", Raw: &report, Until: http.StatusOK}.do(t, i, i.known())
	listed(`"estado":"cerrado"`)

	owner := ownerOf(t, s, stack.Registros)
	execute(t, owner, "SET enlace.alcance = 'todas'")
	execute(t, owner, "UPDATE casos SET cerrado_en = now() - interval '91 days' WHERE estado = 'cerrado'")
	err := s.Restart(t.Context(), stack.Registros) // it looks for what is due when it starts
	if err != nil {
		t.Fatal(err)
	}
	got := listed(`"curp":"XXXXXXXXXXXXXXXXXX"`)
	if !bytes.Contains(got.Body, []byte(`"lugar_nacimiento":null`)) {
		t.Errorf("the birthplace is left: %s", got.Body)
	}
}

// Of refusals of one kind the first has a line of the Bitácora; those that follow within a
// minute are counted in another, which has no duration and is written at a stop too.
func refusalsAreCounted(t *testing.T, s *harness.System) {
	i := &institucion{Institucion: s.NewInstitucion(t), system: s}
	wrong := `{"usuario": "PUI", "clave": "no-es-la-clave"}`
	login := step{Method: http.MethodPost, Path: "/i/{{.id_empresa}}/login", Raw: &wrong, Until: http.StatusUnauthorized}
	login.from(nextAddress())
	for range 3 {
		login.do(t, i, i.known())
	}
	i.credential(t, "operador") // made while everything is in order
	err := s.Restart(t.Context(), stack.Integracion)
	if err != nil {
		t.Fatal(err)
	}
	listed := step{
		Method: http.MethodGet, Path: "/operador/empresas/{{.id_empresa}}/bitacora?desde={{day 0}}", Credential: "operador",
		UntilHas: `{\"veces\":2}`,
	}
	listed.from(nextAddress())
	got := listed.do(t, i, i.known())
	if !bytes.Contains(got.Body, []byte(`"motivo":"credencial_invalida","duracion_ms":null`)) {
		t.Errorf("the counted refusals are not told so: %s", got.Body)
	}
}

func serviceOf(t *testing.T, operation document.Operation) routes.Service {
	t.Helper()
	for _, route := range publicTable(t).All() {
		if route.Pattern == operation.Path && route.Method == operation.Method {
			return route.Service
		}
	}
	t.Fatalf("the gateway has no %s %s", operation.Method, operation.Path)
	return routes.Gateway
}

// paused halts a part and lets it go on after the test.
func paused(t *testing.T, s *harness.System, part string) {
	t.Helper()
	err := s.Pause(part)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := s.Resume(part)
		if err != nil {
			t.Error(err)
		}
		harness.Eventually(t, "a system in good order", func() bool { return isHealthy(s) })
	})
}

// withoutTables takes integracion's tables out of its sight until the test ends.
func withoutTables(t *testing.T, s *harness.System) {
	t.Helper()
	owner := ownerOf(t, s, stack.Integracion)
	execute(t, owner, "ALTER SCHEMA public RENAME TO ausente")
	t.Cleanup(func() { execute(t, owner, "ALTER SCHEMA ausente RENAME TO public") })
}

// startBeside starts a system of its own with other settings, which stops with t.
func startBeside(t *testing.T, settings map[string]string) *harness.System {
	t.Helper()
	s, err := harness.Start(system.BinDir, t.TempDir(), settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := s.Stop(context.Background())
		if err != nil {
			t.Error(err)
		}
	})
	return s
}
