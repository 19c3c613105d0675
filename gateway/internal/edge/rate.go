package edge

import (
	"context"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"

	"github.com/enlace-iis/enlace/gateway/internal/routes"
	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/process/fair"
)

// limitRate refuses what one address sends beyond the limit. It is a guard against floods
// and not a quota: the limits on logins and credentials are the services'.
func (e *Edge) limitRate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		left := allowanceOf(r.Context())
		if !left.within() {
			e.refuse(w, r, left.refusal())
			return
		}
		next.ServeHTTP(w, r)
	})
}

// An allowance is what the limit leaves to one request.
type allowance struct {
	within    func() bool // counts the request, once
	questions *rate.Limiter
	perSecond int
}

type allowanceKey struct{}

func allowanceOf(ctx context.Context) allowance { return ctx.Value(allowanceKey{}).(allowance) }

// allowanceFor chooses the limiter: the platform's networks have one of their own at its routes.
func (e *Edge) allowanceFor(m *match, client netip.Addr) allowance {
	l := e.limiter
	if m.route.Style == routes.Platform && within(e.cfg.PuiNetworks, client) {
		l = e.pui
	}
	if l == nil {
		return allowance{within: func() bool { return true }}
	}
	b := l.bucketOf(client)
	return allowance{within: sync.OnceValue(b.requests.Allow), questions: b.questions, perSecond: l.perSecond}
}

// mayAsk reports whether a service may be asked about a request that is about to be refused,
// by whatever layer and with a credential or not: a flood must not pass on as questions.
func (a allowance) mayAsk() bool { return a.within() || a.questions.Allow() }

func (a allowance) refusal() *routes.Error {
	return &routes.Error{
		Motivo:     errores.DemasiadasSolicitudes,
		Detail:     "Se excedió el ritmo de solicitudes de esta dirección. Espere lo que indica Retry-After.",
		RetryAfter: time.Second / time.Duration(a.perSecond),
		Quota:      &routes.Quota{Name: "ip", Limit: a.perSecond, Window: time.Second},
	}
}

// maxAddresses bounds a limiter's memory, to some 20 MiB.
const maxAddresses = 50_000

// A limiter counts requests by address.
type limiter struct {
	perSecond, burst int
	buckets          *otter.Cache[netip.Prefix, *bucket]
}

type bucket struct {
	// requests is the limit itself. questions bounds how often a refusal of what is beyond
	// it may ask a service first.
	requests, questions *rate.Limiter
}

// newLimiter gives nil, no limiter, for a rate of zero.
func newLimiter(perSecond, burst int) *limiter {
	if perSecond == 0 {
		return nil
	}
	buckets := otter.Must(&otter.Options[netip.Prefix, *bucket]{MaximumSize: maxAddresses})
	return &limiter{perSecond: perSecond, burst: max(burst, perSecond), buckets: buckets}
}

func (l *limiter) bucketOf(client netip.Addr) *bucket {
	found, _ := l.buckets.ComputeIfAbsent(fair.SourceOf(client), func() (*bucket, bool) {
		return &bucket{
			requests:  rate.NewLimiter(rate.Limit(l.perSecond), l.burst),
			questions: rate.NewLimiter(rate.Limit(l.perSecond), l.perSecond),
		}, false
	})
	return found
}
