//go:build compose

package compose

import (
	"net/http"
	"slices"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

// The demonstration leaves credentials that open this machine's ports, and a match to see.
func TestDemo_leavesSomethingToTry(t *testing.T) {
	values := set.credenciales(t)
	for n, suffix := range []string{"_1", "_2"} {
		i := harness.Institucion{ID: values["ID_EMPRESA"+suffix], ApiKey: values["API_KEY"+suffix], BaseURL: set.baseURL}
		i.Post(t, "/cliente/sandbox/ping", nil).Want(t, http.StatusOK)
		told := slices.ContainsFunc(i.Coincidencias(t), func(c harness.Coincidencia) bool { return c.Estado == "notificada" })
		if told != (n == 0) {
			t.Errorf("institution %d has a notified match: %v", n+1, told)
		}
	}
	for key, port := range map[string]string{"BASE_URL": set.baseURL, "SIMULADOR_URL": set.simuladorURL} {
		harness.Call(t, http.MethodGet, values[key]+"/", nil, nil)
		if got, want := portOf(t, values[key]), portOf(t, port); got != want {
			t.Errorf("%s names port %s, want %s", key, got, want)
		}
	}
	pass("demo: two institutions, one notified match")
}

// newInstitucion makes an institution as an operator would, and connects it with the
// simulator by the names that they have for each other inside the set.
func newInstitucion(t *testing.T, id string) *harness.Institucion {
	t.Helper()
	const salida = "salida-de-pruebas"
	i := &harness.Institucion{ID: id, BaseURL: set.baseURL, Plataforma: simuladortest.At(t, set.simuladorURL)}
	set.openSesion(t)
	set.operate(t, "", nil, "empresas", "crear", "--id", id, "--nombre", "Laboratorio de pruebas")
	set.operate(t, salida, nil, "claves", "salida", "--id-empresa", id, "--url", "http://simulador:8090", "--clave-stdin")
	var entrada struct{ Clave string }
	set.operate(t, "", &entrada, "claves", "entrada", "--id-empresa", id)
	var key struct {
		ApiKey string `json:"api_key"`
	}
	set.operate(t, "", &key, "api-keys", "emitir", "--id-empresa", id, "--nombre", "pruebas", "--ambitos", "cliente")
	i.Clave, i.ApiKey = entrada.Clave, key.ApiKey
	i.Plataforma.Register(simuladortest.Institucion{
		ID: id, Clave: salida, URLBase: "http://gateway:8080/i/" + id, ClaveInstitucion: i.Clave,
	})
	return i
}
