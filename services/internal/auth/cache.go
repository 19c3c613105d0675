package auth

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/time/rate"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/process/fair"
	"github.com/enlace-iis/enlace/services/process/header"
)

// maxFresh is how long an answer may stand: a revoked key dies within a second on every
// replica (contract, section 5). It is not a setting.
const maxFresh = time.Second

// cacheSize is how many keys are remembered.
const cacheSize = 10_000

// Anybody can make up keys that look right, and each would cost the other service a look at
// its database. So what is not known to be good is asked about at a bounded pace; the burst
// is for a start, when nothing is known. Of those that wait the last is asked about before
// its time is up; where as many wait as may, those are refused who come from where the most do.
const (
	strangersPerSecond = 200
	strangersBurst     = 1000
	strangersAtOnce    = 16
	strangersWaiting   = 256
)

// CacheConfig is how a [CachedVerifier] remembers.
type CacheConfig struct {
	// Grace is how long a key that was good goes on working while the other service cannot
	// be reached, so that its restart stops no institution. Zero: not at all.
	Grace time.Duration `env:"API_KEY_GRACE" envDefault:"60s"`
	// Timeout bounds one question. Zero: 2 s.
	Timeout time.Duration `env:"API_KEY_TIMEOUT" envDefault:"2s"`
	// Metrics takes how keys were verified. Nil: none.
	Metrics prometheus.Registerer `env:"-"`
}

// RemoteCheck asks the service that knows keys. It fills the Empresa and the scopes; the
// rest of the Principal follows from the key.
type RemoteCheck func(ctx context.Context, keyID string, secretHash [sha256.Size]byte) (Principal, error)

// CachedVerifier is a [KeyVerifier] that asks at most about once a second for each key.
//
// An answer stands for one second from before its question was sent, in flight or not. So
// whoever revokes a key and gets an answer knows that one second later no replica accepts
// it, however slow the network: a caller never shares a question older than that, even if
// its answer is only just arriving.
type CachedVerifier struct {
	check   RemoteCheck
	grace   time.Duration
	timeout time.Duration
	checks  *prometheus.CounterVec

	// strangers and pace are for keys that are not known to be good. They wait in turn, key by
	// key: one that is tried with many secrets holds up no other.
	strangers *fair.Gate
	pace      *rate.Limiter

	// mu orders questions and the answers to them; reading needs it not.
	mu sync.Mutex
	// answers is the newest question for each key. Random keys may push others out of it,
	// which costs them a question.
	answers *otter.Cache[presentedKey, *answer]
	// good is when each key was last known to be good. Only good keys enter it, so that
	// nobody can push them out during an outage.
	good *otter.Cache[presentedKey, goodKey]

	// away is whether the last question went unanswered, so that an outage is logged when
	// it begins and ends and not for each key.
	away atomic.Bool
}

// presentedKey includes the secret's hash, so that a wrong secret never meets the answer
// to the right one.
type presentedKey struct {
	id   string
	hash [sha256.Size]byte
}

// answer is a question to the other service and, once done is closed, what it answered.
type answer struct {
	askedAt   time.Time
	done      chan struct{}
	principal Principal
	err       error
}

type goodKey struct {
	askedAt   time.Time
	principal Principal
}

// NewCachedVerifier remembers nothing yet.
func NewCachedVerifier(check RemoteCheck, cfg CacheConfig) *CachedVerifier {
	if cfg.Timeout <= 0 {
		cfg.Timeout = 2 * time.Second
	}
	return &CachedVerifier{
		check:   check,
		grace:   cfg.Grace,
		timeout: cfg.Timeout,
		checks:  newChecks(cfg.Metrics),

		strangers: fair.New(fair.Config{Capacity: strangersAtOnce, Queue: strangersWaiting}),
		pace:      rate.NewLimiter(strangersPerSecond, strangersBurst),

		answers: newCache[presentedKey, *answer](cacheSize),
		good:    newCache[presentedKey, goodKey](cacheSize),
	}
}

// VerifyKey implements [KeyVerifier].
func (v *CachedVerifier) VerifyKey(ctx context.Context, key Key) (Principal, error) {
	presented := presentedKey{id: key.ID, hash: key.SecretHash()}
	principal, err := v.verify(ctx, presented)
	if err != nil {
		return Principal{}, err
	}
	principal.Rol = RolInstitucion
	principal.Subject = key.ID
	principal.Ambiente = key.Ambiente
	return principal, nil
}

func (v *CachedVerifier) verify(ctx context.Context, key presentedKey) (Principal, error) {
	leave, err := v.admit(ctx, key)
	if err != nil {
		v.count(checkDeferred)
		return Principal{}, err
	}
	defer leave()
	current, isNew := v.ask(ctx, key)
	select {
	case <-current.done:
	case <-ctx.Done():
		return Principal{}, ctx.Err()
	}
	if current.err == nil || !unreachable(current.err) {
		v.count(current.outcome(isNew))
		return current.principal, current.err
	}
	known, ok := v.good.GetIfPresent(key)
	if ok && time.Since(known.askedAt) <= v.grace {
		v.count(checkGrace)
		return known.principal, nil
	}
	v.count(checkUnanswered)
	return Principal{}, current.err
}

// admit lets a key pass that is known to be good, or has just been asked about; any other
// waits for its turn.
func (v *CachedVerifier) admit(ctx context.Context, key presentedKey) (leave func(), err error) {
	_, good := v.good.GetIfPresent(key)
	if good || v.answered(key) {
		return func() {}, nil
	}
	waiting, cancel := context.WithTimeout(ctx, v.timeout)
	defer cancel()
	leave, err = v.strangers.EnterFrom(waiting, originOf(ctx), key.id, 1)
	if err == nil && !v.answered(key) {
		err = v.pace.Wait(waiting)
		if err != nil {
			leave()
		}
	}
	if err == nil || ctx.Err() != nil {
		return leave, err
	}
	return nil, errs.Wrap(err, errores.NoDisponible, errores.DetalleNoDisponible).After(time.Second)
}

// originOf is where a call comes from, as the gateway tells it, else the caller itself. It only
// decides who is refused first.
func originOf(ctx context.Context) string {
	told := metadata.ValueFromIncomingContext(ctx, header.ClienteIP)
	if len(told) == 1 {
		client, err := netip.ParseAddr(told[0])
		if err == nil {
			return fair.SourceOf(client.Unmap()).String()
		}
	}
	caller, found := peer.FromContext(ctx)
	if !found {
		return ""
	}
	return caller.Addr.String()
}

// answered tells whether a question about key stands, be it still on its way.
func (v *CachedVerifier) answered(key presentedKey) bool {
	current, found := v.answers.GetIfPresent(key)
	return found && current.stands()
}

// ask gives the question that stands for key, and sends a new one if none does.
func (v *CachedVerifier) ask(ctx context.Context, key presentedKey) (current *answer, isNew bool) {
	current, found := v.answers.GetIfPresent(key)
	if found && current.stands() {
		return current, false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	current, found = v.answers.GetIfPresent(key)
	if found && current.stands() {
		return current, false
	}
	current = &answer{askedAt: time.Now(), done: make(chan struct{})}
	v.answers.Set(key, current)
	// Others may be waiting for the same answer, so it outlives the call that asked first.
	go v.resolve(context.WithoutCancel(ctx), key, current)
	return current, true
}

func (a *answer) stands() bool {
	return time.Since(a.askedAt) < maxFresh
}

func (v *CachedVerifier) resolve(ctx context.Context, key presentedKey, current *answer) {
	defer close(current.done)
	ctx, cancel := context.WithTimeout(ctx, v.timeout)
	defer cancel()

	current.principal, current.err = v.check(ctx, key.id, key.hash)
	v.logOutage(ctx, current.err)
	switch {
	case current.err == nil:
		v.rememberGood(key, current)
	case !unreachable(current.err):
		v.forgetGood(key, current)
	}
}

func (v *CachedVerifier) logOutage(ctx context.Context, err error) {
	switch {
	case unreachable(err) && v.away.CompareAndSwap(false, true):
		slog.WarnContext(ctx, "api keys cannot be verified; those known to be good go on working", "grace", v.grace.String(), "error", err)
	case !unreachable(err) && v.away.CompareAndSwap(true, false):
		slog.InfoContext(ctx, "api keys can be verified again")
	}
}

// rememberGood heeds only the newest question: answers may overtake each other, and an old
// one must not bring back a key that a newer one refused.
func (v *CachedVerifier) rememberGood(key presentedKey, current *answer) {
	v.mu.Lock()
	defer v.mu.Unlock()
	newest, found := v.answers.GetIfPresent(key)
	if found && newest == current {
		v.good.Set(key, goodKey{askedAt: current.askedAt, principal: current.principal})
	}
}

// forgetGood lets a refusal outlast an outage: there is no grace for a revoked key.
func (v *CachedVerifier) forgetGood(key presentedKey, current *answer) {
	v.mu.Lock()
	defer v.mu.Unlock()
	known, found := v.good.GetIfPresent(key)
	if found && known.askedAt.Before(current.askedAt) {
		v.good.Invalidate(key)
	}
}

// unreachable tells a question that was not answered from one that was.
func unreachable(err error) bool {
	return errs.Away(err) || errors.Is(err, context.DeadlineExceeded)
}

// newCache is bounded by its size alone: what is too old is told by its own time. It does
// its upkeep in the calls, so that it leaves no goroutine behind.
func newCache[K comparable, V any](size int) *otter.Cache[K, V] {
	return otter.Must(&otter.Options[K, V]{
		MaximumSize: size,
		Executor:    func(upkeep func()) { upkeep() },
	})
}
