package auth

import (
	"context"
	"math"
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/time/rate"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// LimitConfig is how often callers may call, on each replica. A rate of zero sets no
// limit.
type LimitConfig struct {
	// EmpresaRate is the requests per second of all keys of an Empresa, and EmpresaBurst how
	// many may come at once. What the platform sends for it is counted apart, so that neither
	// can starve the other.
	EmpresaRate  float64 `env:"EMPRESA_RATE" envDefault:"500"`
	EmpresaBurst int     `env:"EMPRESA_BURST" envDefault:"2000"`
	// CredentialRate and CredentialBurst are the same for one credential of an Empresa.
	CredentialRate  float64 `env:"CREDENTIAL_RATE" envDefault:"200"`
	CredentialBurst int     `env:"CREDENTIAL_BURST" envDefault:"1000"`
	// PuiRate and PuiBurst are the platform's, for each Empresa: it tells of every missing
	// person at once when an institution joins and after an outage, and its manual knows no 429.
	PuiRate  float64 `env:"PUI_RATE" envDefault:"5000"`
	PuiBurst int     `env:"PUI_BURST" envDefault:"50000"`
}

// maxBuckets bounds the memory of a limiter. A bucket that falls out is full again when
// its owner returns; only authenticated callers have one.
const maxBuckets = 20_000

// RateLimiter is a [Limiter] with token buckets. Services are not limited: their calls are
// the consequence of others that were.
type RateLimiter struct {
	empresa    bucketSet
	credential bucketSet
	pui        bucketSet
}

// NewRateLimiter starts with full buckets.
func NewRateLimiter(cfg LimitConfig) *RateLimiter {
	return &RateLimiter{
		empresa:    newBucketSet(cfg.EmpresaRate, cfg.EmpresaBurst),
		credential: newBucketSet(cfg.CredentialRate, cfg.CredentialBurst),
		pui:        newBucketSet(cfg.PuiRate, cfg.PuiBurst),
	}
}

// Allow implements [Limiter]. A refusal takes nothing from either bucket, and tells what the
// limit is.
func (l *RateLimiter) Allow(_ context.Context, principal Principal, _ string) error {
	_, err := l.take(principal, time.Now())
	return err
}

// Look implements [Limiter].
func (l *RateLimiter) Look(_ context.Context, principal Principal, _ string) error {
	now := time.Now()
	tokens, err := l.take(principal, now)
	for _, token := range tokens {
		token.giveBack(now)
	}
	return err
}

// take gives the tokens that a call costs, none with a refusal.
func (l *RateLimiter) take(principal Principal, now time.Time) ([]taken, error) {
	if principal.Rol == RolServicio {
		return nil, nil
	}
	of := owner{rol: principal.Rol, empresa: principal.EmpresaID, credential: principal.Subject}
	if principal.Rol == RolPUI {
		pui := l.pui.take(of, now)
		if pui.wait > 0 {
			pui.giveBack(now)
			return nil, refuse(&l.pui, pui.wait)
		}
		return []taken{pui}, nil
	}
	credential := l.credential.take(of, now)
	if credential.wait > 0 {
		credential.giveBack(now)
		return nil, refuse(&l.credential, credential.wait)
	}
	if principal.EmpresaID == "" {
		return []taken{credential}, nil
	}
	of.credential = ""
	empresa := l.empresa.take(of, now)
	if empresa.wait > 0 {
		empresa.giveBack(now)
		credential.giveBack(now)
		return nil, refuse(&l.empresa, empresa.wait)
	}
	return []taken{empresa, credential}, nil
}

// owner is whose a bucket is. All institutions' platforms log in under the same name, so a
// credential alone names nobody.
type owner struct {
	rol        Rol
	empresa    tenant.EmpresaID
	credential string
}

// bucketSet is one kind of bucket, one for each owner.
type bucketSet struct {
	rate    rate.Limit
	burst   int
	buckets *otter.Cache[owner, *rate.Limiter]
}

func newBucketSet(perSecond float64, burst int) bucketSet {
	if perSecond <= 0 {
		return bucketSet{}
	}
	// A burst under one would refuse every request for ever.
	return bucketSet{rate: rate.Limit(perSecond), burst: max(1, burst), buckets: newCache[owner, *rate.Limiter](maxBuckets)}
}

// taken is a token out of a bucket, or how long to wait for one.
type taken struct {
	reservation *rate.Reservation
	wait        time.Duration
}

func (b *bucketSet) take(of owner, now time.Time) taken {
	if b.buckets == nil {
		return taken{}
	}
	bucket, _ := b.buckets.ComputeIfAbsent(of, func() (*rate.Limiter, bool) {
		return rate.NewLimiter(b.rate, b.burst), false
	})
	reservation := bucket.ReserveN(now, 1)
	return taken{reservation: reservation, wait: reservation.DelayFrom(now)}
}

// giveBack has to name the moment of taking: a reservation whose time has come by the
// clock is not given back.
func (t taken) giveBack(now time.Time) {
	if t.reservation != nil {
		t.reservation.CancelAt(now)
	}
}

func refuse(limit *bucketSet, wait time.Duration) error {
	return errs.New(errores.DemasiadasSolicitudes, "Se excedió el ritmo de solicitudes. Espere antes de repetir.").
		After(wait).
		Within(errs.Cuota{Limite: limit.burst, Ventana: limit.window()})
}

// window is the time in which an empty bucket fills, in whole seconds: the quota's window.
func (b *bucketSet) window() time.Duration {
	return time.Duration(max(1, math.Ceil(float64(b.burst)/float64(b.rate)))) * time.Second
}
