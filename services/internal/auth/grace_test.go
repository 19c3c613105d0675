package auth

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

func TestCachedVerifier_graceWhileTheRemoteIsAway(t *testing.T) {
	for name, outage := range map[string]func(*remote){
		"refuses connections": func(r *remote) { r.err = errDown },
		"answers too late":    func(r *remote) { r.err = errs.New(errores.TiempoAgotado, "x") },
		"never answers":       func(r *remote) { r.latency = time.Hour },
	} {
		t.Run(name, func(t *testing.T) {
			inCacheTest(t, func(t *testing.T, r *remote, verify func(Key) error) {
				known, unknown := newKey(t, "pruebas"), newKey(t, "pruebas")
				check(t, "before", verify(known), allowed)
				r.set(outage)
				for range 5 {
					time.Sleep(8 * time.Second)
					check(t, "known", verify(known), allowed)
					if err := verify(unknown); err == nil || !unreachable(err) {
						t.Errorf("unknown: %v", err)
					}
				}
				time.Sleep(30 * time.Second)
				if err := verify(known); err == nil || !unreachable(err) {
					t.Errorf("after the grace: %v", err)
				}
				r.set(func(r *remote) { r.err, r.latency = nil, time.Millisecond })
				time.Sleep(time.Second)
				check(t, "back again", verify(known), allowed)
			})
		})
	}
}

func TestCachedVerifier_noGraceForARevokedKey(t *testing.T) {
	inCacheTest(t, func(t *testing.T, r *remote, verify func(Key) error) {
		key := newKey(t, "pruebas")
		check(t, "good", verify(key), allowed)
		time.Sleep(time.Second)
		r.answers(errRevoked)
		check(t, "revoked", verify(key), errores.CredencialRevocada)
		time.Sleep(time.Second)
		r.answers(errDown)
		check(t, "revoked, then an outage", verify(key), errores.NoDisponible)
	})
}

func TestCachedVerifier_noGraceForOtherFailures(t *testing.T) {
	inCacheTest(t, func(t *testing.T, r *remote, verify func(Key) error) {
		key := newKey(t, "pruebas")
		check(t, "good", verify(key), allowed)
		time.Sleep(time.Second)
		r.answers(errors.New("a bug"))
		check(t, "broken", verify(key), errores.Interno)
	})
}

func TestCachedVerifier_randomKeysCostNoGoodKeyItsGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		known := newKey(t, "pruebas")
		r := &remote{only: &known}
		verifier := NewCachedVerifier(r.check, CacheConfig{Grace: time.Hour})
		_, err := verifier.VerifyKey(t.Context(), known)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 * cacheSize {
			_, err := verifier.VerifyKey(t.Context(), newKey(t, "pruebas"))
			check(t, "random", err, errores.CredencialInvalida)
		}
		verifier.answers.CleanUp()
		if size := verifier.answers.EstimatedSize(); size > cacheSize {
			t.Errorf("%d answers are kept", size)
		}
		r.answers(errDown)
		time.Sleep(10 * time.Second)
		_, err = verifier.VerifyKey(t.Context(), known)
		check(t, "known", err, allowed)
	})
}
