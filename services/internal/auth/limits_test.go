package auth

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/proto/errores"
	accesov1 "github.com/enlace-iis/enlace/proto/gen/enlace/acceso/v1"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

var institution = Principal{Rol: RolInstitucion, EmpresaID: empresa, Subject: "key 1"}

func with(principal Principal, change func(*Principal)) Principal {
	change(&principal)
	return principal
}

// allowedOf counts how many of n calls at this moment pass.
func allowedOf(t *testing.T, limiter *RateLimiter, principal Principal, n int) int {
	t.Helper()
	passed := 0
	for range n {
		err := limiter.Allow(t.Context(), principal, loteRPC)
		if err == nil {
			passed++
		} else if !errs.Is(err, errores.DemasiadasSolicitudes) {
			t.Fatal(err)
		}
	}
	return passed
}

func TestRateLimiter_burstThenRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := NewRateLimiter(LimitConfig{CredentialRate: 2, CredentialBurst: 5})
		if got := allowedOf(t, limiter, institution, 20); got != 5 {
			t.Errorf("burst: %d", got)
		}
		time.Sleep(time.Second)
		if got := allowedOf(t, limiter, institution, 20); got != 2 {
			t.Errorf("after a second: %d", got)
		}
		time.Sleep(time.Hour)
		if got := allowedOf(t, limiter, institution, 20); got != 5 {
			t.Errorf("after an hour: %d", got)
		}
	})
}

func TestRateLimiter_refusalsTellHowLongToWaitAndCostNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := NewRateLimiter(LimitConfig{CredentialRate: 0.5, CredentialBurst: 1})
		allowedOf(t, limiter, institution, 100)
		err := limiter.Allow(t.Context(), institution, loteRPC)
		refusal, ok := errors.AsType[*errs.Error](err)
		if !ok || refusal.RetryAfter != 2*time.Second {
			t.Fatalf("%#v", err)
		}
		time.Sleep(refusal.RetryAfter)
		if got := allowedOf(t, limiter, institution, 1); got != 1 {
			t.Error("refused after waiting as told")
		}
	})
}

func TestRateLimiter_lookingCostsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := NewRateLimiter(LimitConfig{EmpresaRate: 1, EmpresaBurst: 3, CredentialRate: 1, CredentialBurst: 3})
		for range 100 {
			err := limiter.Look(t.Context(), institution, loteRPC)
			if err != nil {
				t.Fatal(err)
			}
		}
		if got := allowedOf(t, limiter, institution, 20); got != 3 {
			t.Errorf("after looking: %d", got)
		}
		err := limiter.Look(t.Context(), institution, loteRPC)
		if !errs.Is(err, errores.DemasiadasSolicitudes) {
			t.Errorf("once nothing is left: %v", err)
		}
	})
}

func TestRateLimiter_whoSharesABucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limiter := NewRateLimiter(LimitConfig{EmpresaRate: 1, EmpresaBurst: 10, CredentialRate: 1, CredentialBurst: 4, PuiRate: 1, PuiBurst: 30})
		secondKey := with(institution, func(p *Principal) { p.Subject = "key 2" })
		thirdKey := with(institution, func(p *Principal) { p.Subject = "key 3" })
		platform := with(institution, func(p *Principal) { p.Rol = RolPUI; p.Subject = "PUI" })
		neighbour := with(institution, func(p *Principal) { p.EmpresaID = "XEXX010101000"; p.Subject = "key 4" })
		operator := Principal{Rol: RolOperador, Subject: "operador"}
		service := Principal{Rol: RolServicio, Subject: ServicioRegistros}

		for _, tt := range []struct {
			name      string
			principal Principal
			want      int
		}{
			{"one key", institution, 4},
			{"another key", secondKey, 4},
			{"a third, what the Empresa has left", thirdKey, 2},
			{"the platform, apart and with more", platform, 30},
			{"the platform for another", with(platform, func(p *Principal) { p.EmpresaID = "XEXX010101000" }), 30},
			{"another Empresa", neighbour, 4},
			{"an operator, without Empresa", operator, 4},
			{"a service, without limit", service, 50},
		} {
			if got := allowedOf(t, limiter, tt.principal, 50); got != tt.want {
				t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
			}
		}
	})
}

// However ids are made up, nobody's requests are counted with another's: as many pass of each
// institution, role and credential as if it were alone.
func TestRateLimiter_nobodySharesABucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		credentials := NewRateLimiter(LimitConfig{CredentialRate: 1, CredentialBurst: 2, PuiRate: 1, PuiBurst: 2})
		empresas := NewRateLimiter(LimitConfig{EmpresaRate: 1, EmpresaBurst: 2, PuiRate: 1, PuiBurst: 2})
		ids := []string{"PUI", "pui", "a", "a/b", "b", "/", "a/", "/b", "pui/a", "institucion/a", "a\x00b", "a b", "a,b", "ñ"}
		for _, rol := range []Rol{RolInstitucion, RolPUI, RolOperador, "institucion/a"} {
			for _, empresa := range append(ids, "") {
				for _, subject := range append(ids, "") {
					principal := Principal{Rol: rol, EmpresaID: tenant.EmpresaID(empresa), Subject: subject}
					if got := allowedOf(t, credentials, principal, 3); got != 2 {
						t.Fatalf("%+v: %d of its 2 requests passed", principal, got)
					}
				}
				if empresa == "" {
					continue
				}
				if got := allowedOf(t, empresas, Principal{Rol: rol, EmpresaID: tenant.EmpresaID(empresa)}, 3); got != 2 {
					t.Fatalf("institution %q as %q: %d of its 2 requests passed", empresa, rol, got)
				}
			}
		}
	})
}

// On the real clock, which moves between taking a token and giving it back.
func TestRateLimiter_anEmpresaRefusalGivesTheCredentialsTokenBack(t *testing.T) {
	limiter := NewRateLimiter(LimitConfig{EmpresaRate: 0.001, EmpresaBurst: 1, CredentialRate: 0.001, CredentialBurst: 2})
	if got := allowedOf(t, limiter, institution, 50); got != 1 {
		t.Fatalf("first: %d", got)
	}
	limiter.empresa = bucketSet{}
	if got := allowedOf(t, limiter, institution, 50); got != 1 {
		t.Errorf("the credential had one token left, and gave %d", got)
	}
}

func TestRateLimiter_zeroSetsNoLimit(t *testing.T) {
	if got := allowedOf(t, NewRateLimiter(LimitConfig{}), institution, 10_000); got != 10_000 {
		t.Error(got)
	}
	if got := allowedOf(t, NewRateLimiter(LimitConfig{CredentialRate: 0.001}), institution, 10); got != 1 {
		t.Errorf("a rate without a burst: %d", got)
	}
}

func TestRateLimiter_memoryIsBounded(t *testing.T) {
	limiter := NewRateLimiter(LimitConfig{CredentialRate: 1, CredentialBurst: 1})
	for i := range 3 * maxBuckets {
		subject := strconv.Itoa(i)
		err := limiter.Allow(context.Background(), Principal{Rol: RolInstitucion, Subject: subject}, loteRPC)
		if err != nil {
			t.Fatal(err)
		}
	}
	limiter.credential.buckets.CleanUp()
	if size := limiter.credential.buckets.EstimatedSize(); size > maxBuckets {
		t.Errorf("%d buckets", size)
	}
}

func TestRateLimiter_tellsTheLimit(t *testing.T) {
	g := newGuarded(t, NewRateLimiter(LimitConfig{CredentialRate: 0.1, CredentialBurst: 1}))
	err := g.call(t, validateRPC, "x-api-key", g.present.cliente)
	if err != nil {
		t.Fatal(err)
	}
	<-g.seen

	ctx := metadata.AppendToOutgoingContext(t.Context(), "x-api-key", g.present.cliente)
	_, err = accesov1.NewAccesoServiceClient(g.conn).CheckAcceso(ctx, &accesov1.CheckAccesoRequest{Rpc: validateRPC})

	check(t, "second call", err, errores.DemasiadasSolicitudes)
	refusal, _ := errors.AsType[*errs.Error](err)
	if want := (errs.Cuota{Limite: 1, Ventana: 10 * time.Second}); refusal.Cuota == nil || *refusal.Cuota != want {
		t.Errorf("cuota = %v, want %v", refusal.Cuota, want)
	}
}
