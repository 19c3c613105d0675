package secrets

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

// recorrido is the way through the system: what was secret on it, and what the refusals on
// it answered.
type recorrido struct {
	*harness.Institucion
	// secrets by what they are.
	secrets map[string]string
	errors  strings.Builder
	keyID   string
}

// keep takes note of a secret.
func (r *recorrido) keep(t *testing.T, what, secret string) string {
	t.Helper()
	if len(secret) < 12 {
		t.Fatalf("%s: %d characters may be found anywhere", what, len(secret))
	}
	r.secrets[what] = secret
	return secret
}

// refused makes a request that must be refused, and takes note of the answer.
func (r *recorrido) refused(t *testing.T, status int, method, path string, header http.Header, body any) {
	t.Helper()
	answer := harness.Call(t, method, r.BaseURL+path, header, body).Want(t, status)
	fmt.Fprintf(&r.errors, "%s %v\n", answer.Body, answer.Header)
}

// operatorRefused runs a command that must fail, and takes note of what it says.
func (r *recorrido) operatorRefused(t *testing.T, stdin string, args ...string) {
	t.Helper()
	_, err := system.Operator(t.Context(), stdin, args...)
	if err == nil {
		t.Fatalf("%v was not refused", args)
	}
	r.errors.WriteString(err.Error() + "\n")
}

func TestSecrets_areNowhereToBeSeen(t *testing.T) {
	stopWatching := watchProcesses(t)
	r := &recorrido{secrets: map[string]string{}, Institucion: system.NewInstitucion(t)}
	r.keep(t, "clave of the platform", r.Clave)
	r.keep(t, "clave towards the platform", "salida-de-pruebas")
	r.keep(t, "secret of the first API key", secretOf(r.ApiKey))
	r.operate(t)
	key, secretoWebhook := r.issue(t)
	r.useKey(t, key)
	r.sendEvents(t, key, secretoWebhook)
	r.logIn(t)
	r.deliver(t)
	for _, name := range []string{"SERVICE_SECRET", "GATEWAY_SECRET", "HASH_SECRET", "JWT_SECRET", "EVIDENCE_KEYS"} {
		r.keep(t, name, system.Secrets().Get(name))
	}
	_, cifrado, _ := strings.Cut(system.Secrets().Get("ENCRYPTION_KEYS"), ":")
	r.keep(t, "ENCRYPTION_KEYS", cifrado)

	harness.Eventually(t, "the traces", func() bool { return strings.Contains(traces.String(), "busqueda-finalizada") })
	places := map[string]string{
		"the list of processes": stopWatching(),
		"an error":              r.errors.String(),
		"a log":                 logs(t),
		"a metric":              metrics(t),
		"a database":            databases(t),
		"a trace":               traces.String(),
	}
	// What may be seen was seen, so the places are the right ones.
	for place, public := range map[string]string{
		"the list of processes": "integracion", "an error": "credencial_invalida", "a log": r.ID,
		"a metric": "go_goroutines", "a database": r.keyID, "a trace": "POST /webhooks/eventos",
	} {
		if !strings.Contains(places[place], public) {
			t.Errorf("%s does not show %q, which it should", place, public)
		}
	}
	for what, secret := range r.secrets {
		for place, content := range places {
			for form, text := range formsOf(secret) {
				if strings.Contains(content, text) {
					t.Errorf("%s holds the %s (%s)", place, what, form)
				}
			}
		}
	}
}

// formsOf is how a secret may appear.
func formsOf(secret string) map[string]string {
	return map[string]string{
		"as it is":    secret,
		"hexadecimal": hex.EncodeToString([]byte(secret)),
		"base64":      strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(secret)), "="),
		"in a URL":    url.QueryEscape(secret),
	}
}

// secretOf is what of an API key must not be seen.
func secretOf(key string) string {
	return key[strings.LastIndex(key, "_")+1:]
}

// operate runs the operator's commands that handle secrets, the failing ones too.
func (r *recorrido) operate(t *testing.T) {
	t.Helper()
	chosen := r.keep(t, "chosen clave of an operator", "una clave elegida por nadie")
	var made struct{ Clave string }
	system.Operate(t, chosen, nil, "usuarios", "crear", "--usuario", "secretos-1", "--clave-stdin")
	r.operatorRefused(t, chosen, "usuarios", "crear", "--usuario", "secretos-1", "--clave-stdin")
	r.operatorRefused(t, "corta", "usuarios", "cambiar-clave", "--usuario", "secretos-1", "--clave-stdin")
	system.Operate(t, "", &made, "usuarios", "cambiar-clave", "--usuario", "secretos-1")
	r.keep(t, "made up clave of an operator", made.Clave)
	system.Operate(t, "", &made, "usuarios", "crear", "--usuario", "secretos-2")
	r.keep(t, "secret of the second factor", r.enrol(t, "secretos-2", made.Clave))
	wrong := r.keep(t, "clave that breaks the rules", "sin-las-clases-que-pide")
	r.operatorRefused(t, wrong, "claves", "entrada", "--id-empresa", r.ID, "--clave-stdin")
}

// enrol begins the second factor of an operator, and gives its secret.
func (r *recorrido) enrol(t *testing.T, usuario, clave string) string {
	t.Helper()
	var session struct{ Token string }
	harness.Call(t, http.MethodPost, r.BaseURL+"/login", nil, map[string]string{"usuario": usuario, "clave": clave}).
		Want(t, http.StatusOK).Into(t, &session)
	var begun struct{ Secreto string }
	harness.Call(t, http.MethodPost, r.BaseURL+"/operador/segundo-factor/inscribir", http.Header{"Authorization": {"Bearer " + session.Token}}, nil).
		Want(t, http.StatusOK).Into(t, &begun)
	return begun.Secreto
}

// issue has an operator make a key over the API.
func (r *recorrido) issue(t *testing.T) (key, secretoWebhook string) {
	t.Helper()
	var session struct{ Token string }
	harness.Call(t, http.MethodPost, r.BaseURL+"/login", nil, map[string]string{
		"usuario": "secretos-1", "clave": r.secrets["made up clave of an operator"],
	}).Want(t, http.StatusOK).Into(t, &session)
	r.keep(t, "token of an operator", session.Token)
	bearer := http.Header{"Authorization": {"Bearer " + session.Token}}
	var issued struct {
		KeyID          string `json:"key_id"`
		ApiKey         string `json:"api_key"`
		SecretoWebhook string `json:"secreto_webhook"`
	}
	harness.Call(t, http.MethodPost, r.BaseURL+"/webhooks/api-keys", bearer, map[string]any{
		"id_empresa": r.ID, "nombre": "secretos", "ambitos": []string{"cliente", "eventos"},
	}).Want(t, http.StatusCreated).Into(t, &issued)
	r.keyID = issued.KeyID
	r.keep(t, "secret of an API key", secretOf(issued.ApiKey))
	r.keep(t, "webhook secret", strings.TrimPrefix(issued.SecretoWebhook, "whsec_"))
	harness.Call(t, http.MethodGet, r.BaseURL+"/webhooks/api-keys/"+r.ID, bearer, nil).Want(t, http.StatusOK)
	signature := session.Token[strings.LastIndex(session.Token, ".")+1:]
	r.keep(t, "signature of a token", signature)
	forged := strings.TrimSuffix(session.Token, signature) + strings.Repeat("A", len(signature))
	r.refused(t, http.StatusUnauthorized, http.MethodGet, "/webhooks/api-keys/"+r.ID, http.Header{"Authorization": {"Bearer " + forged}}, nil)
	r.refused(t, http.StatusUnauthorized, http.MethodGet, "/webhooks/api-keys/"+r.ID, http.Header{"Authorization": {"Basic " + session.Token}}, nil)
	return issued.ApiKey, issued.SecretoWebhook
}

// useKey presents a key rightly, wrongly and in the wrong places.
func (r *recorrido) useKey(t *testing.T, key string) {
	t.Helper()
	const ping = "/cliente/sandbox/ping"
	right := http.Header{"X-Api-Key": {key}}
	harness.Call(t, http.MethodPost, r.BaseURL+ping, right, nil).Want(t, http.StatusOK)
	harness.Call(t, http.MethodGet, r.BaseURL+"/cliente/reportes", right, nil).Want(t, http.StatusOK)
	for _, wrong := range []string{key + "x", key[:len(key)-1], "x" + key, key + key} {
		r.refused(t, http.StatusUnauthorized, http.MethodPost, ping, http.Header{"X-Api-Key": {wrong}}, nil)
	}
	r.refused(t, http.StatusUnauthorized, http.MethodPost, ping, http.Header{"X-Api-Key": {key, key}}, nil)
	r.refused(t, http.StatusUnauthorized, http.MethodPost, ping, http.Header{"Authorization": {"Bearer " + key}}, nil)
	r.refused(t, http.StatusBadRequest, http.MethodGet, "/cliente/casos?api_key="+key, right, nil)
	r.refused(t, http.StatusUnprocessableEntity, http.MethodPost, "/cliente/registros", right, map[string]string{"api_key": key})
	r.refused(t, http.StatusBadRequest, http.MethodPost, "/cliente/registros", right, []byte(`{"registros":[{"`+key+`":`+key))
	r.refused(t, http.StatusUnprocessableEntity, http.MethodPost, "/cliente/registros", right, map[string]string{"folio": key, "curp": key})
}

// sendEvents signs rightly and wrongly, and puts the secret where it does not belong.
func (r *recorrido) sendEvents(t *testing.T, key, secreto string) {
	t.Helper()
	evento := func(id string, datos map[string]any) []byte {
		return harness.Encode(t, map[string]any{"id": id, "tipo": "registro.creado", "fecha": "2026-01-15T12:00:00Z", "datos": datos})
	}
	body := evento("s-1", harness.Registro("S-1", harness.CurpUno, "2026-01-15"))
	harness.Call(t, http.MethodPost, r.BaseURL+"/webhooks/eventos", harness.SignEvento(t, key, secreto, "s-1", body), body).Want(t, http.StatusAccepted)

	wrong := harness.SignEvento(t, key, secreto, "s-1", []byte("otra cosa"))
	r.keep(t, "signature of an event", wrong["Webhook-Signature"][0][len("v1,"):])
	r.refused(t, http.StatusUnauthorized, http.MethodPost, "/webhooks/eventos", wrong, body)
	misplaced := harness.SignEvento(t, key, secreto, "s-1", body)
	misplaced.Set("Webhook-Timestamp", secreto)
	misplaced.Set("Webhook-Signature", secreto)
	r.refused(t, http.StatusUnauthorized, http.MethodPost, "/webhooks/eventos", misplaced, body)
	unknown := evento("s-2", map[string]any{"secreto": secreto})
	r.refused(t, http.StatusUnprocessableEntity, http.MethodPost, "/webhooks/eventos", harness.SignEvento(t, key, secreto, "s-2", unknown), unknown)
	broken := []byte(`{"id":` + secreto) // the name of an unknown field is repeated: contract.md 2
	r.refused(t, http.StatusBadRequest, http.MethodPost, "/webhooks/eventos", harness.SignEvento(t, key, secreto, "s-3", broken), broken)
}

// logIn tries to get in, rightly and wrongly.
func (r *recorrido) logIn(t *testing.T) {
	t.Helper()
	var session struct{ Token string }
	harness.Call(t, http.MethodPost, r.BaseURL+"/login", nil, map[string]string{"usuario": "PUI", "clave": r.Clave}).
		Want(t, http.StatusOK).Into(t, &session)
	r.keep(t, "token of the platform", session.Token)
	guess := r.keep(t, "clave that was guessed", "Adivinada-No-Es-1")
	for _, body := range []any{
		map[string]string{"usuario": "PUI", "clave": guess},
		map[string]string{"usuario": "secretos-1", "clave": guess},
		map[string]string{"usuario": "secretos-2", "clave": guess, "codigo": "123456"},
		map[string]string{"usuario": guess, "clave": guess, "codigo": guess},
	} {
		r.refused(t, http.StatusUnauthorized, http.MethodPost, "/login", nil, body)
	}
	r.refused(t, http.StatusUnauthorized, http.MethodPost, "/i/"+r.ID+"/login", nil, map[string]string{"usuario": "PUI", "clave": guess})
	r.refused(t, http.StatusBadRequest, http.MethodPost, "/login", nil, []byte(`{"usuario":"PUI","clave":`+guess))
	r.refused(t, http.StatusBadRequest, http.MethodPost, "/activar-reporte", http.Header{"Authorization": {"Bearer " + session.Token}},
		map[string]string{"id": session.Token, "curp": r.Clave})
}

// deliver has a match told to the platform, which does not let us in at first.
func (r *recorrido) deliver(t *testing.T) {
	t.Helper()
	r.Plataforma.Fail(simuladortest.Falla{Ruta: simuladortest.RutaLogin, InstitucionID: r.ID, Tipo: simuladortest.FallaStatus, Status: http.StatusForbidden, Veces: 1})
	reporteID := harness.ReporteID(777)
	r.Activate(t, map[string]any{"id": reporteID, "curp": harness.CurpUno, "fecha_desaparicion": "2026-01-01"})
	harness.Eventually(t, "the delivery", func() bool {
		return len(r.Plataforma.Received(simuladortest.Filtro{InstitucionID: r.ID, Ruta: simuladortest.RutaBusquedaFinalizada})) > 0
	})
	r.Deactivate(t, reporteID)
}
