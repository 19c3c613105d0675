package httpapi

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/go-json-experiment/json"

	"github.com/enlace-iis/enlace/services/simulador/internal/plataforma"
)

// maxBody leaves room for a notification with photos of the size that the
// manual allows (§9), and for a list of some 200,000 reports.
const maxBody = 64 << 20

// controlError is the body of every refusal of a control route.
type controlError struct {
	Error   string   `json:"error"`
	Errores []string `json:"errores"`
}

// readAll reads a request's body whole, or answers and returns false.
func (a *api) readAll(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	cuerpo, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err == nil {
		return cuerpo, true
	}
	_, excedido := errors.AsType[*http.MaxBytesError](err)
	if excedido {
		a.refuse(w, http.StatusRequestEntityTooLarge, "El cuerpo es demasiado grande")
	} else {
		a.refuse(w, http.StatusBadRequest, "El cuerpo no llegó completo")
	}
	return nil, false
}

// readJSON reads a control body strictly into target, or answers and returns
// false: a misspelt field must not turn into a fault that never fires.
func (a *api) readJSON(w http.ResponseWriter, r *http.Request, target any) bool {
	cuerpo, ok := a.readAll(w, r)
	if !ok {
		return false
	}
	err := json.Unmarshal(cuerpo, target, json.RejectUnknownMembers(true))
	if err != nil {
		a.refuse(w, http.StatusBadRequest, "El cuerpo no tiene la forma esperada", describe(err))
		return false
	}
	return true
}

// describe says where a control body is wrong, without its values.
func describe(err error) string {
	semantic, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return "no es un JSON válido"
	}
	if errors.Is(err, json.ErrUnknownName) {
		return fmt.Sprintf("'%s' no es un campo conocido", semantic.JSONPointer)
	}
	return fmt.Sprintf("'%s' no es del tipo esperado", semantic.JSONPointer)
}

func (a *api) write(w http.ResponseWriter, status int, cuerpo any) {
	encoded, err := json.Marshal(cuerpo)
	if err != nil {
		a.log.Error("encode control answer", "error", err)
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	writeBytes(w, status, encoded)
}

func writeBytes(w http.ResponseWriter, status int, cuerpo []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A client that is gone, or a status without a body (304), is nobody's mistake.
	_, _ = w.Write(cuerpo)
}

func (a *api) refuse(w http.ResponseWriter, status int, texto string, errores ...string) {
	a.write(w, status, controlError{texto, errores})
}

// refuseWith answers for an error of plataforma.
func (a *api) refuseWith(w http.ResponseWriter, err error) {
	errores, invalido := errors.AsType[plataforma.Errores](err)
	switch {
	case invalido:
		a.refuse(w, http.StatusBadRequest, "La petición no es válida", errores...)
	case errors.Is(err, plataforma.ErrDesconocida):
		a.refuse(w, http.StatusNotFound, "La institución no está registrada")
	default:
		a.log.Error("control request failed", "error", err)
		a.refuse(w, http.StatusInternalServerError, "Error interno del simulador")
	}
}
