package golden

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
)

// A credential is what a request shows, and for a key the secret of its webhooks.
type credential struct {
	text, secreto string
}

// credentials gives, for each name that a case may use, the credential of an institution.
// Each is made when a case first wants it.
var credentials = map[string]func(*testing.T, *institucion) credential{
	"cliente":      func(_ *testing.T, i *institucion) credential { return credential{text: i.ApiKey} },
	"con_eventos":  func(t *testing.T, i *institucion) credential { return i.issue(t, "cliente", "eventos") },
	"solo_cliente": func(t *testing.T, i *institucion) credential { return i.issue(t, "cliente") },
	"solo_eventos": func(t *testing.T, i *institucion) credential { return i.issue(t, "eventos") },
	"revocada": func(t *testing.T, i *institucion) credential {
		key := i.issueKey(t, "", "cliente", "eventos")
		_, err := integracionv1.NewApiKeyServiceClient(i.system.Operador(t)).RevokeApiKey(t.Context(), &integracionv1.RevokeApiKeyRequest{KeyId: key.GetKeyId()})
		if err != nil {
			t.Error(err)
		}
		return credentialOfKey(key)
	},
	"por_caducar": func(t *testing.T, i *institucion) credential {
		soon := time.Now().Add(2 * time.Second).UTC().Format(time.RFC3339Nano)
		return credentialOfKey(i.issueKey(t, soon, "cliente", "eventos"))
	},
	// The last letters are the checksum.
	"mal_copiada": func(_ *testing.T, i *institucion) credential { return credential{text: altered(i.ApiKey)} },

	"pui": func(t *testing.T, i *institucion) credential { return i.login(t, "PUI", i.Clave) },
	// Of another institution.
	"pui_ajeno": func(t *testing.T, i *institucion) credential {
		other := &institucion{Institucion: i.system.NewInstitucion(t), system: i.system}
		return other.login(t, "PUI", other.Clave)
	},
	"operador": func(t *testing.T, i *institucion) credential {
		return i.login(t, operadorUsuario, operadorClave(t, i.system))
	},
	// An operator whom no other case has; its second factor may be enrolled.
	"operador_propio": func(t *testing.T, i *institucion) credential {
		usuario := newOperador(t, i.system)
		return i.login(t, usuario.GetUsuario(), usuario.GetClave())
	},
	// A session of its own, which may be closed.
	"sesion_propia": func(t *testing.T, i *institucion) credential {
		return i.login(t, operadorUsuario, operadorClave(t, i.system))
	},
	// Of an operator to whom another one gave a clave.
	"operador_restablecido": func(t *testing.T, i *institucion) credential {
		usuario := newOperador(t, i.system).GetUsuario()
		changed, err := integracionv1.NewUsuarioServiceClient(i.system.Operador(t)).ChangeClave(t.Context(), &integracionv1.ChangeClaveRequest{Usuario: usuario})
		if err != nil {
			t.Error(err)
		}
		return i.login(t, usuario, changed.GetClave())
	},
	"operador_antiguo": func(t *testing.T, i *institucion) credential {
		operadorClave(t, i.system)
		return credential{text: i.system.SignToken(t, operadorUsuario, 6*time.Minute)}
	},
	"token_alterado": func(t *testing.T, i *institucion) credential {
		return credential{text: altered(i.login(t, "PUI", i.Clave).text)}
	},
	"token_sin_firma": func(t *testing.T, i *institucion) credential {
		_, rest, _ := strings.Cut(i.token(t, time.Hour).text, ".")
		claims, _, _ := strings.Cut(rest, ".")
		return credential{text: base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + claims + "."}
	},
	"token_caducado": func(t *testing.T, i *institucion) credential { return i.token(t, -time.Minute) },
}

// keys are the credentials that go into X-API-Key.
var keys = map[string]bool{
	"cliente": true, "con_eventos": true, "solo_cliente": true, "solo_eventos": true, "revocada": true, "por_caducar": true, "mal_copiada": true,
}

// made keeps what was made: institution and name to credential.
var made sync.Map

// credential gives a credential by its name, and the header that it goes into.
func (i *institucion) credential(t *testing.T, name string) (header string, given credential) {
	t.Helper()
	create, known := credentials[name]
	if !known {
		t.Fatalf("no credential is called %q", name)
	}
	once, _ := made.LoadOrStore(i.ID+"/"+name, sync.OnceValue(func() credential { return create(t, i) }))
	given = once.(func() credential)()
	if keys[name] {
		return "X-Api-Key", given
	}
	given.text = "Bearer " + given.text
	return "Authorization", given
}

// issue makes a further key, as an operator does.
func (i *institucion) issue(t *testing.T, ambitos ...string) credential {
	t.Helper()
	return credentialOfKey(i.issueKey(t, "", ambitos...))
}

func (i *institucion) issueKey(t *testing.T, caducaEn string, ambitos ...string) *integracionv1.IssueApiKeyResponse {
	t.Helper()
	return i.system.IssueApiKey(t, &integracionv1.IssueApiKeyRequest{IdEmpresa: i.ID, Nombre: "otra", Ambitos: ambitos, CaducaEn: caducaEn})
}

func credentialOfKey(key *integracionv1.IssueApiKeyResponse) credential {
	return credential{text: key.GetApiKey(), secreto: key.GetSecretoWebhook()}
}

var operadoresNuevos atomic.Int32

// newOperador makes an operator of one case alone.
func newOperador(t *testing.T, s *harness.System) *integracionv1.CreateUsuarioResponse {
	t.Helper()
	return createOperador(t, s, fmt.Sprintf("operador-%d", operadoresNuevos.Add(1)))
}

func createOperador(t *testing.T, s *harness.System, usuario string) *integracionv1.CreateUsuarioResponse {
	t.Helper()
	made, err := integracionv1.NewUsuarioServiceClient(s.Operador(t)).CreateUsuario(t.Context(), &integracionv1.CreateUsuarioRequest{Usuario: usuario})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

const operadorUsuario = "operador-de-pruebas"

var operadores sync.Map

// operadorClave makes the one operator of a system.
func operadorClave(t *testing.T, s *harness.System) string {
	t.Helper()
	once, _ := operadores.LoadOrStore(s, sync.OnceValue(func() string { return createOperador(t, s, operadorUsuario).GetClave() }))
	return once.(func() string)()
}

func (i *institucion) login(t *testing.T, usuario, clave string) credential {
	t.Helper()
	var granted struct{ Token string }
	body := map[string]string{"usuario": usuario, "clave": clave}
	harness.Call(t, http.MethodPost, i.BaseURL+"/login", nil, body).Want(t, http.StatusOK).Into(t, &granted)
	return credential{text: granted.Token}
}

// token signs one for the platform with the system's own secret: what an expired token looks like.
func (i *institucion) token(t *testing.T, life time.Duration) credential {
	t.Helper()
	now := time.Now()
	return credential{text: harness.SignJWT(t, i.system.Secrets().Get("JWT_SECRET"), map[string]any{
		"iss": "enlace", "aud": []string{"enlace"}, "sub": "PUI", "jti": "prueba", "rol": "pui", "empresa_id": i.ID, "ver": 1,
		"iat": now.Add(-time.Hour).Unix(), "exp": now.Add(life).Unix(),
	})}
}

// altered changes a credential near its end.
func altered(credential string) string {
	at := len(credential) - 3
	other := byte('a')
	if credential[at] == other {
		other = 'b'
	}
	return credential[:at] + string(other) + credential[at+1:]
}

// known is what the templates of a case may name.
func (i *institucion) known() map[string]string {
	return map[string]string{
		"id_empresa": i.ID, "clave": i.Clave, "api_key": i.ApiKey, "operador": operadorUsuario,
	}
}
