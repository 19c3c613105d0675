package edge

import (
	"container/list"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/process/fair"
)

// limitRate refuses what one address sends beyond the limit. It is a guard against floods
// and not a quota: the limits on logins and credentials are the services'.
func (e *Edge) limitRate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := of(r)
		if !e.withinRate(x) {
			e.refuse(w, r, e.limiterOf(x).refusal())
			return
		}
		next.ServeHTTP(w, r)
	})
}

// limiterOf is the one that counts a request; nil if there is none.
func (e *Edge) limiterOf(x *exchange) *limiter {
	if x.style() == httperr.Platform && within(e.cfg.PuiNetworks, x.client) {
		return e.pui
	}
	return e.limiter
}

// withinRate counts a request against the limit of its address, once.
func (e *Edge) withinRate(x *exchange) bool {
	limiter := e.limiterOf(x)
	if limiter == nil {
		return true
	}
	if !x.counted {
		x.counted, x.overRate = true, !limiter.allow(x.client)
	}
	return !x.overRate
}

// mayAsk tells whether a service may be asked about a request that is about to be refused,
// by whatever layer and with a credential or not: a flood must not pass on as questions.
func (e *Edge) mayAsk(x *exchange) bool {
	return e.withinRate(x) || e.limiterOf(x).mayAsk(x.client)
}

// maxAddresses bounds the limiter's memory, to some 20 MiB. Beyond, the address that was
// silent for longest is forgotten.
const maxAddresses = 50_000

// A limiter counts requests by address.
type limiter struct {
	perSecond, burst int

	mu      sync.Mutex
	buckets map[netip.Prefix]*list.Element
	byAge   *list.List // of *bucket, the most recent first
}

type bucket struct {
	source netip.Prefix
	// requests is the limit itself. questions bounds how often a refusal of what is beyond
	// it may ask a service first.
	requests, questions *rate.Limiter
}

// newLimiter gives nil, no limiter, for a rate of zero.
func newLimiter(perSecond, burst int) *limiter {
	if perSecond == 0 {
		return nil
	}
	return &limiter{
		perSecond: perSecond,
		burst:     max(burst, perSecond),
		buckets:   map[netip.Prefix]*list.Element{},
		byAge:     list.New(),
	}
}

func (l *limiter) allow(client netip.Addr) bool {
	return l.bucketOf(client).requests.Allow()
}

// mayAsk counts a question about a request that is beyond the limit.
func (l *limiter) mayAsk(client netip.Addr) bool {
	return l.bucketOf(client).questions.Allow()
}

func (l *limiter) refusal() *httperr.Error {
	return &httperr.Error{
		Motivo:     errores.DemasiadasSolicitudes,
		Detail:     "Se excedió el ritmo de solicitudes de esta dirección. Espere lo que indica Retry-After.",
		RetryAfter: time.Second / time.Duration(l.perSecond),
		Quota:      &httperr.Quota{Name: "ip", Limit: l.perSecond, Window: time.Second},
	}
}

func (l *limiter) bucketOf(client netip.Addr) *bucket {
	source := fair.SourceOf(client)
	l.mu.Lock()
	defer l.mu.Unlock()

	if known, ok := l.buckets[source]; ok {
		l.byAge.MoveToFront(known)
		return known.Value.(*bucket)
	}
	if l.byAge.Len() >= maxAddresses {
		oldest := l.byAge.Back()
		delete(l.buckets, oldest.Value.(*bucket).source)
		l.byAge.Remove(oldest)
	}
	fresh := &bucket{
		source:    source,
		requests:  rate.NewLimiter(rate.Limit(l.perSecond), l.burst),
		questions: rate.NewLimiter(rate.Limit(l.perSecond), l.perSecond),
	}
	l.buckets[source] = l.byAge.PushFront(fresh)
	return fresh
}
