package edge

import (
	"context"
	"errors"
	"net/http"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
	"github.com/enlace-iis/enlace/proto/errores"
)

// refuse answers a refusal of the edge's own, after whatever the owning service has to say
// about the credentials: 401, 403 and 429 come first (contract.md 8).
func (e *Edge) refuse(w http.ResponseWriter, r *http.Request, refusal *httperr.Error) {
	x := of(r)
	if !e.mayAsk(x) {
		e.answer(w, r, e.limiter.refusal())
		return
	}
	verdict := e.ask(r.Context(), x, refusal.Motivo)
	if outranks(verdict) {
		refusal = httperr.FromError(verdict)
	}
	e.answer(w, r, refusal)
}

// onError answers what went wrong in or on the way to a service.
func (e *Edge) onError(w http.ResponseWriter, r *http.Request, err error) {
	// The client has gone, and with it anybody to answer.
	if errors.Is(r.Context().Err(), context.Canceled) {
		panic(http.ErrAbortHandler)
	}
	refusal := httperr.FromError(err)
	switch refusal.Motivo {
	case errores.JSONInvalido:
		e.refuse(w, r, refusal)
		return
	case errores.Interno, errores.NoDisponible, errores.TiempoAgotado:
		of(r).failure = err
	}
	e.answer(w, r, refusal)
}

// answer writes a refusal.
func (e *Edge) answer(w http.ResponseWriter, r *http.Request, refusal *httperr.Error) {
	x := of(r)
	x.codigo = errores.Codigo(refusal.Motivo)
	x.leaveBody(w, r)
	e.errors.Write(w, httperr.About{
		Style:     x.style(),
		Challenge: x.access().Challenge(),
		Instance:  x.instance,
		RequestID: x.requestID,
	}, refusal)
}
