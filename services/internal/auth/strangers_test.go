package auth

import (
	"context"
	"crypto/sha256"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

// flood presents random keys, so many at once, and others as soon as those are answered,
// until ctx ends.
func flood(ctx context.Context, t *testing.T, verifier *CachedVerifier, atOnce int) *sync.WaitGroup {
	var callers sync.WaitGroup
	for range atOnce {
		callers.Go(func() {
			for ctx.Err() == nil {
				_, err := verifier.VerifyKey(ctx, newKey(t, "pruebas"))
				if !errs.Is(err, errores.CredencialInvalida) && !errs.Is(err, errores.NoDisponible) && ctx.Err() == nil {
					t.Errorf("a random key: %v", err)
				}
				if errs.Is(err, errores.NoDisponible) {
					time.Sleep(300 * time.Millisecond)
				}
			}
		})
	}
	return &callers
}

// Whoever floods with made-up keys costs the other service no more than the pace allows, and
// a key that is known to be good nothing at all.
func TestCachedVerifier_randomKeysAreAskedAboutAtAPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		known := newKey(t, "pruebas")
		r := &remote{only: &known, latency: time.Millisecond}
		verifier := NewCachedVerifier(r.check, CacheConfig{})
		_, err := verifier.VerifyKey(t.Context(), known)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		flooding := flood(ctx, t, verifier, 500)

		for range 100 {
			time.Sleep(100 * time.Millisecond)
			started := time.Now()
			_, err := verifier.VerifyKey(t.Context(), known)
			if err != nil || time.Since(started) > 2*time.Millisecond {
				t.Fatalf("the known key: %v after %s", err, time.Since(started))
			}
		}

		if asked := r.asked(); asked > strangersBurst+11*strangersPerSecond {
			t.Errorf("ten seconds of random keys cost %d questions", asked)
		}
		stop()
		flooding.Wait()
	})
}

// While as many wait as may, a new key still gets its answer.
func TestCachedVerifier_aNewKeyWaitsForItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fresh := newKey(t, "pruebas")
		r := &remote{only: &fresh, latency: time.Millisecond}
		verifier := NewCachedVerifier(r.check, CacheConfig{})
		ctx, stop := context.WithCancel(t.Context())
		flooding := flood(ctx, t, verifier, strangersAtOnce+strangersWaiting-1)
		time.Sleep(5 * time.Second)

		_, err := verifier.VerifyKey(t.Context(), fresh)

		if err != nil {
			t.Errorf("the right key: %v", err)
		}
		stop()
		flooding.Wait()
	})
}

// However many more wait than may, the first use of a good key from elsewhere is answered.
func TestCachedVerifier_aCrowdKeepsOutNobodyFromElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := func(ctx context.Context, address string) context.Context {
			return metadata.NewIncomingContext(ctx, metadata.Pairs("x-cliente-ip", address))
		}
		ctx, stop := context.WithCancel(from(t.Context(), "198.51.100.1"))
		r := &remote{latency: time.Millisecond}
		verifier := NewCachedVerifier(func(ctx context.Context, id string, hash [sha256.Size]byte) (Principal, error) {
			if originOf(ctx) == "203.0.113.1/32" {
				return Principal{EmpresaID: empresa}, nil
			}
			return r.check(ctx, id, hash)
		}, CacheConfig{})
		nobody := newKey(t, "pruebas")
		r.only = &nobody
		flooding := flood(ctx, t, verifier, 4*strangersWaiting)
		time.Sleep(5 * time.Second)
		for n := range 25 {
			_, err := verifier.VerifyKey(from(t.Context(), "203.0.113.1"), newKey(t, "pruebas"))
			if err != nil {
				t.Errorf("first use %d: %v", n+1, err)
			}
		}
		stop()
		flooding.Wait()
	})
}

// A key whose secret is being guessed holds up no other.
func TestCachedVerifier_guessesAtOneKeyHoldUpNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fresh, guessed := newKey(t, "pruebas"), newKey(t, "pruebas")
		r := &remote{only: &fresh, latency: 100 * time.Millisecond}
		verifier := NewCachedVerifier(r.check, CacheConfig{})
		var guesses sync.WaitGroup
		for range strangersWaiting {
			guesses.Go(func() {
				guess := Key{Ambiente: guessed.Ambiente, ID: guessed.ID, secret: newKey(t, "pruebas").secret}
				_, err := verifier.VerifyKey(t.Context(), guess)
				if err == nil {
					t.Error("a guess was accepted")
				}
			})
		}
		synctest.Wait()
		started := time.Now()
		_, err := verifier.VerifyKey(t.Context(), fresh)
		if err != nil || time.Since(started) > 300*time.Millisecond {
			t.Errorf("another key: %v after %s", err, time.Since(started))
		}
		guesses.Wait()
	})
}

func TestCachedVerifier_whoStopsWaitingHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		verifier := NewCachedVerifier((&remote{}).check, CacheConfig{})
		verifier.pace.AllowN(time.Now(), strangersBurst)
		for range 2 * strangersAtOnce {
			ctx, cancel := context.WithTimeout(t.Context(), time.Microsecond)
			_, err := verifier.VerifyKey(ctx, newKey(t, "pruebas"))
			cancel()
			if err == nil {
				t.Fatal("a key was asked about beyond the pace")
			}
		}
		_, err := verifier.VerifyKey(t.Context(), newKey(t, "pruebas"))
		if err != nil {
			t.Errorf("the next: %v", err)
		}
	})
}
