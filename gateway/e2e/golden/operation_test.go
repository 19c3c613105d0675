package golden

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/document"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// request is one that an operation of the document takes: its example, with what the
// document cannot know put in.
func (i *institucion) request(t *testing.T, operation document.Operation, example any) step {
	t.Helper()
	keyID := ""
	if strings.Contains(operation.Path, "{key_id}") {
		keyID = i.issueKey(t, "", "cliente").GetKeyId()
	}
	usuario := ""
	if strings.Contains(operation.Path, "{usuario}") {
		usuario = newOperador(t, i.system).GetUsuario()
	}
	path := strings.NewReplacer("{usuario}", usuario, "{id_empresa}", i.ID, "{key_id}", keyID, "{codigo}", "interno",
		"{reporte_id}", harness.ReporteID(1), "{coincidencia_id}", "019aa1f2-6c1e-7d3a-9f04-2b7c5e8d1a61",
		"{id_lote}", "019aa1f2-6c1e-7d3a-9f04-2b7c5e8d1a63").Replace(operation.Path)
	made := step{Method: operation.Method, Path: path, Credential: credentialOf(operation)}
	if example != nil {
		ours := strings.NewReplacer("AAA010101AAA", i.ID, "Clave-de-ejemplo-1", i.Clave)
		made.Raw = new(ours.Replace(string(harness.Encode(t, example))))
	}
	if operation.Path == "/operador/segundo-factor/confirmar" {
		made.Credential, made.Raw = "operador_propio", new(i.beginsSegundoFactor(t))
	}
	if operation.Method == http.MethodDelete {
		made.Credential = "sesion_propia"
	}
	if strings.HasSuffix(operation.Path, "/eventos") {
		made.Sign = &signature{ID: example.(map[string]any)["id"].(string)}
	}
	return made
}

// beginsSegundoFactor gives a body that confirms what it began.
func (i *institucion) beginsSegundoFactor(t *testing.T) string {
	t.Helper()
	var begun struct{ Secreto string }
	step{Method: http.MethodPost, Path: "/operador/segundo-factor/inscribir", Credential: "operador_propio"}.do(t, i, i.known()).Into(t, &begun)
	return fmt.Sprintf(`{"codigo": %q}`, totp(begun.Secreto))
}

// anyRequest takes whichever example there is.
func (i *institucion) anyRequest(t *testing.T, operation document.Operation) step {
	t.Helper()
	names := slices.Sorted(maps.Keys(operation.Requests))
	if len(names) == 0 {
		return i.request(t, operation, nil)
	}
	return i.request(t, operation, operation.Requests[names[0]])
}

// isOperators tells the routes of contract.md section 9.
func isOperators(operation document.Operation) bool {
	return strings.HasPrefix(operation.Path, "/operador/")
}

func credentialOf(operation document.Operation) string {
	switch {
	case operation.Credential == "ApiKey":
		return "con_eventos"
	case operation.Credential == "Token" && (strings.HasPrefix(operation.Path, "/webhooks/") || isOperators(operation)):
		return "operador"
	case operation.Credential == "Token":
		return "pui"
	default:
		return ""
	}
}

// everyExampleIsTaken sends each example of a request as the live document has it. What an
// operator does may end what others use, and is done to an institution of its own.
func everyExampleIsTaken(t *testing.T) {
	shared := &institucion{Institucion: system.NewInstitucion(t), system: system}
	for _, operation := range system.Document.Operations() {
		i := shared
		if isOperators(operation) {
			i = &institucion{Institucion: system.NewInstitucion(t), system: system}
		}
		for name, example := range operation.Requests {
			t.Run(operation.ID+" "+name, func(t *testing.T) {
				got := i.request(t, operation, example).do(t, i, i.known())
				if got.Status >= http.StatusBadRequest {
					t.Errorf("it is answered with %d: %s", got.Status, got.Body)
				}
			})
		}
	}
}

// spoilers make of a good request one that is refused with a status, whatever the operation
// does. One that cannot tells so.
var spoilers = map[int]func(document.Operation, *step) bool{
	http.StatusBadRequest: func(operation document.Operation, s *step) bool {
		if operation.TakesBody {
			s.Raw = new("{")
		} else {
			s.Path += "?page=2"
		}
		return true
	},
	http.StatusUnauthorized: func(operation document.Operation, s *step) bool {
		s.Credential, s.Sign = "", nil
		return operation.Credential != ""
	},
	http.StatusForbidden: func(operation document.Operation, s *step) bool {
		s.Credential = map[string]string{"con_eventos": "solo_eventos", "operador": "pui", "operador_propio": "pui", "sesion_propia": "pui", "pui": "operador"}[s.Credential]
		if s.Sign != nil {
			s.Credential = "solo_cliente"
		}
		return true
	},
	http.StatusRequestTimeout: func(_ document.Operation, s *step) bool {
		s.Stops = true
		if s.Body.IsZero() && s.Raw == nil {
			s.Raw = new("{}")
		}
		return true
	},
	http.StatusRequestEntityTooLarge: func(operation document.Operation, s *step) bool {
		s.Size = 1<<20 + 1
		if strings.HasPrefix(operation.Path, "/cliente/registros") {
			s.Size = 16<<20 + 1
		}
		return true
	},
	http.StatusUnsupportedMediaType: func(_ document.Operation, s *step) bool {
		s.Headers = map[string]string{"Content-Type": "text/plain"}
		return true
	},
}

// everyOperationRefuses asks each wrongly in every way that is documented for it.
func everyOperationRefuses(t *testing.T) {
	i := &institucion{Institucion: system.NewInstitucion(t), system: system}
	for _, operation := range system.Document.Operations() {
		for _, status := range operation.Statuses {
			spoil := spoilers[status]
			if spoil == nil {
				continue
			}
			t.Run(fmt.Sprintf("%s %d", operation.ID, status), func(t *testing.T) {
				t.Parallel()
				asked := i.anyRequest(t, operation)
				if !spoil(operation, &asked) {
					return // its own cases show it
				}
				got := asked.do(t, i, i.known())
				if got.Status != status {
					t.Errorf("it is answered with %d, want %d: %s", got.Status, status, got.Body)
				}
			})
		}
	}
}
