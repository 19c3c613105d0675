package edge

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
	"github.com/enlace-iis/enlace/proto/errores"
)

// refuse answers a refusal of the edge's own, after whatever the owning service has to say
// about the credentials: 401, 403 and 429 come first (contract.md 8).
func (e *Edge) refuse(w http.ResponseWriter, r *http.Request, refusal *httperr.Error) {
	x := of(r)
	if !e.mayAsk(x) {
		e.answer(w, r, e.limiterOf(x).refusal())
		return
	}
	verdict := e.ask(r.Context(), x, refusal.Motivo)
	if outranks(verdict) {
		refusal = httperr.FromError(verdict)
	}
	e.answer(w, r, refusal)
}

// failed is the mux's error handler. Generated handlers make a text of the decoder's error; the
// body still has it with its place.
func (e *Edge) failed(_ context.Context, _ *runtime.ServeMux, _ runtime.Marshaler, w http.ResponseWriter, r *http.Request, err error) {
	e.onError(w, r, cmp.Or(of(r).call.Err, err))
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
