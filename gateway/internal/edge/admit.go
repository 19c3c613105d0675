package edge

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
	"github.com/enlace-iis/enlace/gateway/internal/intake"
	"github.com/enlace-iis/enlace/gateway/internal/routes"
	"github.com/enlace-iis/enlace/proto/errores"
	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
	"github.com/enlace-iis/enlace/services/process/fair"
	"github.com/enlace-iis/enlace/services/process/header"
)

// strangersBody is how much of a body is read for anybody: not much more than the connection
// that it comes on costs. For more the service is asked first, so that nobody without a
// credential makes us hold it.
const strangersBody = 8 << 10

// An answer to a batch can be far larger than the batch: every three bytes of "{}," are an
// observation for each required field. There are at most 5000 of them, on whose way as much
// memory is used as on that of a body of maxAnswer or two.
const (
	answerRatio = 128
	maxAnswer   = 1 << 20
)

// beforehand is the reason of a refusal that there is not.
const beforehand = erroresv1.Motivo_MOTIVO_UNSPECIFIED

// admitBody lets a body be read: a small one at once, a larger one when its sender's
// credentials are good and its size, or where that is not known the most that it may have, is
// within the sender's share. An error is the service's or the gates'.
func (e *Edge) admitBody(r *http.Request, body *intake.Body) error {
	x := of(r)
	plain := contentEncoding(r) == ""
	if plain && r.ContentLength >= 0 && r.ContentLength <= strangersBody {
		return nil
	}
	err := e.ask(r.Context(), x, beforehand)
	if err != nil && status.Code(err) != codes.Unimplemented {
		return err
	}
	if plain && r.ContentLength < 0 && endsEarly(r) {
		return nil
	}
	owner, verified := x.owner()
	large := isLarge(x.route, r.ContentLength)
	return refusalOf(body.Admit(r.Context(), owner, verified, large, mostBytes(r, x.route)), shareOfBatches)
}

// listWait is how long a list waits for its turn.
const listWait = 5 * time.Second

// newLists bounds the lists being sent. A client that stops reading keeps its own, so no
// credential has more than a quarter; how many each institution may have open is for the
// services to say.
func newLists(most int) *fair.Gate {
	return fair.New(fair.Config{Capacity: int64(most), Share: int64(max(1, most/4))})
}

// boundLists keeps the number of lists that may go unread to what there is memory for. A list
// counts once its service has begun to answer: one that is refused takes nobody's turn.
func (e *Edge) boundLists(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := of(r)
		if !x.route.List {
			next.ServeHTTP(w, r)
			return
		}
		leave := func() {}
		defer func() { leave() }()
		x.call.Begin = func(ctx context.Context) (err error) {
			waiting, cancel := context.WithTimeout(ctx, e.listWait)
			defer cancel()
			turn, err := e.lists.Enter(waiting, x.credentials.owner(), 1)
			if err == nil {
				leave = turn
			}
			return refusalOf(err, shareOfLists)
		}
		next.ServeHTTP(w, r)
	})
}

// endsEarly reads the beginning of a body of unknown length, and tells whether that was all.
func endsEarly(r *http.Request) bool {
	beginning, err := io.ReadAll(io.LimitReader(r.Body, strangersBody+1))
	// A body that has ended, or failed, does so again.
	r.Body = joined{io.MultiReader(bytes.NewReader(beginning), r.Body), r.Body}
	return err != nil || len(beginning) <= strangersBody
}

// joined is the beginning of a body and the rest of it.
type joined struct {
	io.Reader
	io.Closer
}

// isLarge tells whether a body counts among the batches of its institution.
func isLarge(route *routes.Route, size int64) bool {
	return route.Body == routes.Batch && size > header.LargeBatch
}

// mostBytes is the most that a body and what follows from it may take.
func mostBytes(r *http.Request, route *routes.Route) int64 {
	size := route.BodyLimit
	switch {
	case r.ContentLength < 0:
	case contentEncoding(r) == "":
		size = r.ContentLength
	default:
		size = min(size, max(bombFloor, maxRatio*r.ContentLength))
	}
	return withAnswer(route, size)
}

// withAnswer adds what the answer may need beyond its request.
func withAnswer(route *routes.Route, size int64) int64 {
	if route.Body != routes.Batch {
		return size
	}
	return max(size, min(maxAnswer, answerRatio*size))
}

// admitWork takes a turn for what a body turned out to need. Who sent a small batch is known
// by its address alone.
func (e *Edge) admitWork(r *http.Request, body *intake.Body, size int) error {
	x := of(r)
	if !body.Admitted() && x.route.Body != routes.Batch {
		return nil
	}
	owner, _ := x.owner()
	return refusalOf(body.Whole(r.Context(), owner, withAnswer(x.route, int64(size))), shareOfBatches)
}

// owner is whose share a body counts in, and whether its credential is verified.
func (x *exchange) owner() (name string, verified bool) {
	switch {
	case x.empresa != "":
		return x.empresa, true
	default:
		return fair.SourceOf(x.client).String(), x.access() != routes.Open
	}
}

// What an institution has all of already.
const (
	shareOfBatches = "Ya hay tantos lotes en proceso como admite una institución. Espere lo que indica Retry-After."
	shareOfLists   = "Ya hay tantas listas abiertas como admite una credencial. Espere lo que indica Retry-After."
)

// refusalOf is the answer to what a gate did not let in; share says what it divides.
func refusalOf(err error, share string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fair.ErrShare):
		return httperr.OverShare(share)
	default:
		return httperr.Unavailable()
	}
}

// refuseAdmission answers what admitBody and admitWork return.
func (e *Edge) refuseAdmission(w http.ResponseWriter, r *http.Request, err error) {
	if refusal, ok := errors.AsType[*httperr.Error](err); ok && refusal.Motivo == errores.DemasiadasSolicitudes {
		e.refuse(w, r, refusal)
		return
	}
	e.onError(w, r, err)
}
