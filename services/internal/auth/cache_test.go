package auth

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

// remote is the service that knows keys. Each answer is decided when the question arrives
// and leaves after latency, as if the way back were slow.
type remote struct {
	mu      sync.Mutex
	calls   int
	latency time.Duration
	err     error
	only    *Key // the one key that is good; nil: all
}

func (r *remote) check(ctx context.Context, keyID string, hash [sha256.Size]byte) (Principal, error) {
	r.mu.Lock()
	r.calls++
	err, latency := r.err, r.latency
	if err == nil && r.only != nil && (r.only.ID != keyID || r.only.SecretHash() != hash) {
		err = errs.New(errores.CredencialInvalida, "x")
	}
	r.mu.Unlock()
	select {
	case <-time.After(latency):
	case <-ctx.Done():
		return Principal{}, fmt.Errorf("call peer: %w", ctx.Err())
	}
	if err != nil {
		return Principal{}, err
	}
	return Principal{EmpresaID: empresa, EmpresaNombre: "NOMBRE", Ambitos: []Ambito{AmbitoCliente}}, nil
}

func (r *remote) set(change func(*remote)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(r)
}

func (r *remote) answers(err error) { r.set(func(r *remote) { r.err = err }) }

func (r *remote) asked() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.calls
}

var (
	errRevoked = errs.New(errores.CredencialRevocada, "x")
	errDown    = errs.New(errores.NoDisponible, "x")
)

// inCacheTest runs with a clock of its own, a remote and a verifier with the defaults.
func inCacheTest(t *testing.T, test func(t *testing.T, r *remote, verify func(Key) error)) {
	synctest.Test(t, func(t *testing.T) {
		r := &remote{latency: time.Millisecond}
		verifier := NewCachedVerifier(r.check, CacheConfig{Grace: time.Minute})
		test(t, r, func(key Key) error {
			_, err := verifier.VerifyKey(t.Context(), key)
			return err
		})
		// What is still on its way has to end inside the bubble.
		time.Sleep(time.Minute)
	})
}

func TestCachedVerifier_fillsThePrincipal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key := newKey(t, "pruebas")
		got, err := NewCachedVerifier((&remote{}).check, CacheConfig{}).VerifyKey(t.Context(), key)
		if err != nil || got.Rol != RolInstitucion || got.Subject != key.ID || got.Ambiente != "pruebas" ||
			got.EmpresaID != empresa || got.EmpresaNombre != "NOMBRE" || !got.Has(AmbitoCliente) {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestCachedVerifier_asksOnceASecond(t *testing.T) {
	inCacheTest(t, func(t *testing.T, r *remote, verify func(Key) error) {
		key := newKey(t, "pruebas")
		for range 100 {
			if err := verify(key); err != nil {
				t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond)
		}
		if got := r.asked(); got < 10 || got > 11 {
			t.Errorf("asked %d times in ten seconds", got)
		}
	})
}

func TestCachedVerifier_refusalsAreRememberedToo(t *testing.T) {
	inCacheTest(t, func(t *testing.T, r *remote, verify func(Key) error) {
		key := newKey(t, "pruebas")
		r.answers(errRevoked)
		for range 5 {
			if err := verify(key); !errs.Is(err, errores.CredencialRevocada) {
				t.Fatal(err)
			}
		}
		if r.asked() != 1 {
			t.Errorf("asked %d times", r.asked())
		}
		r.answers(nil)
		time.Sleep(time.Second)
		if err := verify(key); err != nil {
			t.Errorf("after a second: %v", err)
		}
	})
}

func TestCachedVerifier_aWrongSecretMeetsNoRightAnswer(t *testing.T) {
	inCacheTest(t, func(t *testing.T, r *remote, verify func(Key) error) {
		right := newKey(t, "pruebas")
		wrong := Key{Ambiente: right.Ambiente, ID: right.ID, secret: newKey(t, "pruebas").secret}
		altered := Key{Ambiente: "produccion", ID: right.ID, secret: right.secret}
		r.set(func(r *remote) { r.only = &right })
		for range 2 {
			if err := verify(right); err != nil {
				t.Fatal(err)
			}
			check(t, "wrong secret", verify(wrong), errores.CredencialInvalida)
			check(t, "other ambiente", verify(altered), errores.CredencialInvalida)
		}
		r.answers(errDown)
		time.Sleep(2 * time.Second)
		check(t, "right, in grace", verify(right), allowed)
		check(t, "wrong, no grace", verify(wrong), errores.NoDisponible)
	})
}

// The promise of the contract, with answers that are slow on their way: the remote decided
// before the revocation, and a call that starts one second after it must not profit.
func TestCachedVerifier_aRevokedKeyDiesWithinASecond(t *testing.T) {
	for _, latency := range []time.Duration{0, 10 * time.Millisecond, 500 * time.Millisecond, 999 * time.Millisecond, 1500 * time.Millisecond} {
		t.Run(latency.String(), func(t *testing.T) {
			inCacheTest(t, func(t *testing.T, r *remote, verify func(Key) error) {
				r.set(func(r *remote) { r.latency = latency })
				good, refused := revokeAmidCalls(t, r, verify)
				if good == 0 || refused == 0 {
					t.Errorf("%d good, %d refused: the test shows nothing", good, refused)
				}
			})
		})
	}
}

// revokeAmidCalls starts a call every 10 ms for four seconds, revokes after two, and fails
// if a call that starts a second later is accepted.
func revokeAmidCalls(t *testing.T, r *remote, verify func(Key) error) (good, refused int64) {
	key := newKey(t, "pruebas")
	deadline := time.Now().Add(3 * time.Second)
	var callers sync.WaitGroup
	var accepted, rejected atomic.Int64
	for i := range 400 {
		if i == 200 {
			r.answers(errRevoked)
		}
		callers.Go(func() {
			started := time.Now()
			err := verify(key)
			switch {
			case err == nil && !started.Before(deadline):
				t.Errorf("accepted %s after the second had passed", started.Sub(deadline))
			case err == nil:
				accepted.Add(1)
			default:
				rejected.Add(1)
			}
		})
		time.Sleep(10 * time.Millisecond)
	}
	callers.Wait()
	return accepted.Load(), rejected.Load()
}

func TestCachedVerifier_callersShareAQuestion(t *testing.T) {
	inCacheTest(t, func(t *testing.T, r *remote, verify func(Key) error) {
		r.set(func(r *remote) { r.latency = 500 * time.Millisecond })
		key := newKey(t, "pruebas")
		var callers sync.WaitGroup
		for range 100 {
			callers.Go(func() { check(t, "shared", verify(key), allowed) })
		}
		callers.Wait()
		if r.asked() != 1 {
			t.Errorf("asked %d times", r.asked())
		}
	})
}

func TestCachedVerifier_aCallerThatLeavesTakesNoAnswerAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &remote{latency: 500 * time.Millisecond}
		verifier := NewCachedVerifier(r.check, CacheConfig{})
		key := newKey(t, "pruebas")
		leaving, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		var callers sync.WaitGroup
		callers.Go(func() {
			_, err := verifier.VerifyKey(leaving, key)
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the one that left: %v", err)
			}
		})
		synctest.Wait()
		callers.Go(func() {
			_, err := verifier.VerifyKey(t.Context(), key)
			if err != nil {
				t.Errorf("the one that stayed: %v", err)
			}
		})
		callers.Wait()
		if r.asked() != 1 {
			t.Errorf("asked %d times", r.asked())
		}
	})
}

// A question whose "good" is long on its way must not undo the refusal that a later
// question brought home first.
func TestCachedVerifier_anOvertakenAnswerBringsNoKeyBack(t *testing.T) {
	inCacheTest(t, func(t *testing.T, r *remote, verify func(Key) error) {
		key := newKey(t, "pruebas")
		r.set(func(r *remote) { r.latency = 1900 * time.Millisecond })
		var slow sync.WaitGroup
		slow.Go(func() { check(t, "asked before the revocation", verify(key), allowed) })
		time.Sleep(1100 * time.Millisecond)

		r.set(func(r *remote) { r.latency, r.err = time.Millisecond, errRevoked })
		check(t, "asked after it", verify(key), errores.CredencialRevocada)
		slow.Wait()

		time.Sleep(time.Second)
		r.answers(errDown)
		check(t, "in an outage", verify(key), errores.NoDisponible)
	})
}

func BenchmarkCachedVerifier(b *testing.B) {
	verifier := NewCachedVerifier((&remote{}).check, CacheConfig{})
	key := newKey(b, "pruebas")
	b.ReportAllocs()
	for b.Loop() {
		_, err := verifier.VerifyKey(b.Context(), key)
		if err != nil {
			b.Fatal(err)
		}
	}
}
