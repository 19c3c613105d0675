package edge

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
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

// admissionWait is how long a request waits for its turn; a body that is still not read then
// would soon be timed out by its client.
const admissionWait = 5 * time.Second

// strangers are whoever sends a large body to a route that asks for no credential. All of
// them together get what one institution gets.
const strangers = ""

// beforehand is the reason of a refusal that there is not.
const beforehand = erroresv1.Motivo_MOTIVO_UNSPECIFIED

// gates divide the memory of the process among its callers, in bytes of bodies; what a body
// becomes on its way is proportional, see [Config.MaxBodyBytes].
type gates struct {
	// bodies are the bytes in hand.
	bodies *fair.Gate
	// batches counts the large ones of each institution, which it knows the size of.
	batches *fair.Gate
	// lists are those being sent.
	lists *fair.Gate
	// wait is how long a request waits for its turn.
	wait time.Duration
}

func newGates(cfg Config) gates {
	return gates{
		bodies:  fair.New(fair.Config{Capacity: cfg.MaxBodyBytes, Share: cfg.EmpresaMaxBatchBytes}),
		batches: fair.New(fair.Config{Capacity: math.MaxInt64, Share: int64(cfg.EmpresaMaxBatches)}),
		lists:   fair.New(fair.Config{Capacity: int64(cfg.MaxLists)}),
		wait:    admissionWait,
	}
}

// An admission is what a request has taken of the gates.
type admission struct {
	bytes *fair.Permit
	batch *fair.Permit
}

func (a *admission) leave() {
	for _, permit := range []*fair.Permit{a.bytes, a.batch} {
		if permit != nil {
			permit.Leave()
		}
	}
}

// admitBody lets a body be read: a small one at once, a larger one when its sender's
// credentials are good and its size, or where that is not known the most that it may have, is
// free. An error is the service's or the gates'.
func (e *Edge) admitBody(r *http.Request) error {
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
	if isLarge(x.route, r.ContentLength) {
		x.admission.batch, err = e.gates.take(r.Context(), e.gates.batches, x.owner(), 1)
		if err != nil {
			return err
		}
	}
	x.admission.bytes, err = e.gates.take(r.Context(), e.gates.bodies, x.owner(), mostBytes(r, x.route))
	return err
}

// boundLists keeps the number of lists that nobody may be reading to what there is memory
// for. How many each institution may have open is for the services to say.
func (e *Edge) boundLists(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := of(r)
		if x.route.List {
			permit, err := e.gates.take(r.Context(), e.gates.lists, x.owner(), 1)
			if err != nil {
				e.refuseAdmission(w, r, err)
				return
			}
			defer permit.Leave()
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

// admitWork takes what a body turned out to need: a larger one gives back what it does not, a
// small batch has to ask for its answer.
func (e *Edge) admitWork(r *http.Request, size int) error {
	x := of(r)
	need := withAnswer(x.route, int64(size))
	if x.admission.bytes != nil {
		x.admission.bytes.Keep(need)
		return nil
	}
	if x.route.Body != routes.Batch {
		return nil
	}
	var err error
	x.admission.bytes, err = e.gates.take(r.Context(), e.gates.bodies, x.owner(), need)
	return err
}

// owner is whose share a body counts in.
func (x *exchange) owner() string {
	switch {
	case x.empresa != "":
		return x.empresa
	case x.access() == routes.Open:
		return strangers
	default:
		return fair.SourceOf(x.client).String()
	}
}

// take waits for a turn, but not for long.
func (g *gates) take(ctx context.Context, gate *fair.Gate, owner string, units int64) (*fair.Permit, error) {
	waiting, cancel := context.WithTimeout(ctx, g.wait)
	defer cancel()
	permit, err := gate.Take(waiting, owner, units)
	switch {
	case err == nil:
		return permit, nil
	case errors.Is(err, fair.ErrShare):
		return nil, httperr.OverShare()
	default:
		return nil, httperr.Unavailable()
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
