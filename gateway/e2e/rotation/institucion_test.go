//go:build linux && rotation

package rotation

import (
	"crypto/rand"
	"net/http"
	"slices"
	"testing"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

// llave is an API key as it is shown once.
type llave struct {
	ID      string `json:"key_id"`
	Texto   string `json:"api_key"`
	Webhook string `json:"secreto_webhook"`
}

// apiKey is issue, switch, revoke. The webhook secret is the key's own.
func (r *rotation) apiKey(t *testing.T) {
	old := r.emitir(t)
	r.load.UseKey(old.Texto)
	r.wantEvento(t, old.Texto, old.Webhook, "E-1", http.StatusAccepted)
	next := r.emitir(t)
	r.load.UseKey(next.Texto)
	system.Operate(t, "", nil, "api-keys", "revocar", "--key-id", old.ID)
	for _, gateway := range r.Gateways() {
		harness.Eventually(t, "the end of the old key", func() bool {
			answer := harness.Call(t, http.MethodPost, gateway+"/cliente/sandbox/ping", http.Header{"X-Api-Key": {old.Texto}}, map[string]any{})
			return answer.Status == http.StatusUnauthorized
		})
	}
	r.wantEvento(t, old.Texto, old.Webhook, "E-2", http.StatusUnauthorized)
	r.wantEvento(t, next.Texto, old.Webhook, "E-2", http.StatusUnauthorized)
	r.wantEvento(t, next.Texto, next.Webhook, "E-2", http.StatusAccepted)
	r.llave = next
}

func (r *rotation) emitir(t *testing.T) llave {
	t.Helper()
	var k llave
	system.Operate(t, "", &k, "api-keys", "emitir", "--id-empresa", r.load.Institucion.ID, "--nombre", "cambio", "--ambitos", "cliente,eventos")
	return k
}

// wantEvento sends an event that is signed with a secret.
func (r *rotation) wantEvento(t *testing.T, key, webhook, id string, status int) {
	t.Helper()
	body := harness.Encode(t, map[string]any{
		"id": id, "tipo": "registro.creado", "fecha": harness.Day(-1) + "T12:00:00Z",
		"datos": harness.Registro(id, harness.CurpUno, harness.Day(-1)),
	})
	harness.Call(t, http.MethodPost, r.Balancer.URL+"/webhooks/eventos", harness.SignEvento(t, key, webhook, id, body), body).Want(t, status)
}

// claveEntrada is set at the moment agreed on with the platform. The institution's requests
// go on meanwhile.
func (r *rotation) claveEntrada(t *testing.T) {
	oldClave, oldToken := r.load.Institucion.Clave, r.load.LogIn()
	r.load.ChangeClave(func() string {
		var entrada struct{ Clave string }
		system.Operate(t, "", &entrada, "claves", "entrada", "--id-empresa", r.load.Institucion.ID)
		return entrada.Clave
	})
	r.register(t)
	r.wantLogin(t, oldClave, http.StatusUnauthorized)
	r.wantAdmitted(t, call{stack.Integracion, integracionv1.ReporteService_ActivateReporte_FullMethodName, oldToken}, false)
	r.activate(t)
}

// activate has the simulator report somebody, with the clave that it was told.
func (r *rotation) activate(t *testing.T) {
	t.Helper()
	id := harness.ReporteID(1_000_000)
	r.load.Institucion.Activate(t, map[string]any{"id": id, "curp": harness.CurpDos, "fecha_desaparicion": harness.Day(-2)})
	harness.Eventually(t, "the end of the search", func() bool { return slices.Contains(r.load.Institucion.Told(id), harness.Fin) })
}

// wantLogin logs in as the platform.
func (r *rotation) wantLogin(t *testing.T, clave string, status int) {
	t.Helper()
	body := map[string]string{"usuario": "PUI", "clave": clave}
	harness.Call(t, http.MethodPost, r.Balancer.URL+"/i/"+r.load.Institucion.ID+"/login", nil, body).Want(t, status)
}

// register tells the platform both claves, as its portal has them. It forgets its tokens.
func (r *rotation) register(t *testing.T) {
	t.Helper()
	i := r.load.Institucion
	i.Plataforma.Register(simuladortest.Institucion{
		ID: i.ID, Clave: r.salida, URLBase: r.Balancer.URL + "/i/" + i.ID, ClaveInstitucion: i.Clave,
	})
}

// claveSalida changes at the platform first, which then admits neither the old one nor its
// tokens. What is to be told meanwhile waits.
func (r *rotation) claveSalida(t *testing.T) {
	i := r.load.Institucion
	before := i.Plataforma.Received(simuladortest.Filtro{InstitucionID: i.ID})
	answered := func(status int) func() bool {
		return func() bool {
			logins := i.Plataforma.Received(simuladortest.Filtro{
				InstitucionID: i.ID, Ruta: simuladortest.RutaLogin, Desde: before[len(before)-1].N,
			})
			return slices.ContainsFunc(logins, func(login simuladortest.Recibido) bool { return login.Status == status })
		}
	}
	r.salida = "otra-salida-de-pruebas"
	r.register(t)
	harness.Eventually(t, "the refusal of the old clave", answered(http.StatusForbidden))
	system.Operate(t, r.salida, nil, "claves", "salida", "--id-empresa", i.ID, "--url", i.Plataforma.URL, "--clave-stdin")
	harness.Eventually(t, "a login with the new clave", answered(http.StatusOK))
}

// huella is the one secret that cannot change without loss: the platform's clave is then of
// no use until it is set anew. Keys are, for their hashes have no secret.
func (r *rotation) huella(t *testing.T) {
	r.wantLogin(t, r.load.Institucion.Clave, http.StatusOK)
	r.rollOut(t, settings{stack.Integracion: {"HASH_SECRET": rand.Text() + rand.Text()}})
	r.wantLogin(t, r.load.Institucion.Clave, http.StatusUnauthorized)
	r.load.Institucion.Post(t, "/cliente/sandbox/ping", nil).Want(t, http.StatusOK)
	system.Operate(t, r.load.Institucion.Clave, nil, "claves", "entrada", "--id-empresa", r.load.Institucion.ID, "--clave-stdin")
	r.wantLogin(t, r.load.Institucion.Clave, http.StatusOK)
}
