package auth

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"google.golang.org/grpc/credentials"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

const serviceSecret = "a secret for tests, 32 bytes long"

var _ credentials.PerRPCCredentials = (*ServiceTokens)(nil)

func newTokens(t *testing.T) *ServiceTokens {
	t.Helper()
	tokens, err := NewServiceTokens(Secrets{serviceSecret}, ServicioRegistros, ServicioIntegracion)
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

func newServiceVerifier(t *testing.T) *ServiceVerifier {
	t.Helper()
	verifier, err := NewServiceVerifier(Secrets{serviceSecret}, ServicioRegistros, ServicioIntegracion)
	if err != nil {
		t.Fatal(err)
	}
	return verifier
}

func bearer(t *testing.T, tokens *ServiceTokens) string {
	t.Helper()
	md, err := tokens.GetRequestMetadata(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	token, ok := strings.CutPrefix(md["authorization"], "Bearer ")
	if !ok {
		t.Fatalf("metadata %d", len(md))
	}
	return token
}

func TestServiceTokens_accepted(t *testing.T) {
	principal, err := newServiceVerifier(t).VerifyToken(t.Context(), bearer(t, newTokens(t)))
	if err != nil || principal.Rol != RolServicio || principal.Subject != ServicioRegistros || principal.EmpresaID != "" {
		t.Errorf("%+v, %v", principal, err)
	}
}

// Each step of the change of a secret accepts what the step before and after it signs, so
// that the two services need not change at once.
func TestServiceTokens_theSecretChanges(t *testing.T) {
	const next = "the next secret for tests, 32 bytes too"
	steps := []Secrets{{serviceSecret}, {serviceSecret, next}, {next, serviceSecret}, {next}}
	for i := range steps[1:] {
		for signer, reader := range map[int]int{i: i + 1, i + 1: i} {
			tokens, err := NewServiceTokens(steps[signer], ServicioRegistros, ServicioIntegracion)
			if err != nil {
				t.Fatal(err)
			}
			verifier, err := NewServiceVerifier(steps[reader], ServicioRegistros, ServicioIntegracion)
			if err != nil {
				t.Fatal(err)
			}
			_, err = verifier.VerifyToken(t.Context(), bearer(t, tokens))
			if err != nil {
				t.Errorf("step %d does not accept what step %d signs: %v", reader, signer, err)
			}
		}
	}
}

func TestServiceTokens_renewedBeforeTheyExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tokens, verifier := newTokens(t), newServiceVerifier(t)
		first := bearer(t, tokens)
		seen := map[string]bool{}
		for range 600 {
			token := bearer(t, tokens)
			seen[token] = true
			_, err := verifier.VerifyToken(t.Context(), token)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		// 600 s at 40 s each; a new one for each call would cost a signature every time.
		if len(seen) != 15 || !seen[first] {
			t.Errorf("%d tokens", len(seen))
		}
	})
}

func TestServiceTokens_liveForAMinuteAndTheLeeway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		verifier, token := newServiceVerifier(t), bearer(t, newTokens(t))
		time.Sleep(69 * time.Second)
		_, err := verifier.VerifyToken(t.Context(), token)
		if err != nil {
			t.Errorf("within the leeway: %v", err)
		}
		time.Sleep(2 * time.Second)
		_, err = verifier.VerifyToken(t.Context(), token)
		if !errs.Is(err, errores.CredencialCaducada) {
			t.Errorf("after it: %v", err)
		}
	})
}

func TestServiceTokens_areSafeForConcurrentUse(t *testing.T) {
	tokens := newTokens(t)
	var callers sync.WaitGroup
	for range 20 {
		callers.Go(func() { bearer(t, tokens) })
	}
	callers.Wait()
}

func TestServiceVerifier_refuses(t *testing.T) {
	now := time.Now()
	claims := func(change func(*jwt.RegisteredClaims)) jwt.RegisteredClaims {
		good := jwt.RegisteredClaims{
			Issuer: ServicioRegistros, Audience: jwt.ClaimStrings{ServicioIntegracion},
			IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(time.Minute)),
		}
		change(&good)
		return good
	}
	sign := func(method jwt.SigningMethod, key any, claims jwt.Claims) string {
		token, err := jwt.NewWithClaims(method, claims).SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	unchanged := func(*jwt.RegisteredClaims) {}
	secret := []byte(serviceSecret)
	good := sign(jwt.SigningMethodHS256, secret, claims(unchanged))
	_, err := newServiceVerifier(t).VerifyToken(t.Context(), good)
	if err != nil {
		t.Fatalf("the token that the cases vary is refused itself: %v", err)
	}
	for name, token := range map[string]string{
		"not a token":       "x.y.z",
		"empty":             "",
		"other secret":      sign(jwt.SigningMethodHS256, []byte("another secret, also 32 bytes long"), claims(unchanged)),
		"no signature":      sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, claims(unchanged)),
		"other algorithm":   sign(jwt.SigningMethodHS512, secret, claims(unchanged)),
		"altered":           good[:len(good)-4] + "AAAA",
		"other issuer":      sign(jwt.SigningMethodHS256, secret, claims(func(c *jwt.RegisteredClaims) { c.Issuer = ServicioIntegracion })),
		"no issuer":         sign(jwt.SigningMethodHS256, secret, claims(func(c *jwt.RegisteredClaims) { c.Issuer = "" })),
		"other audience":    sign(jwt.SigningMethodHS256, secret, claims(func(c *jwt.RegisteredClaims) { c.Audience = jwt.ClaimStrings{ServicioRegistros} })),
		"no audience":       sign(jwt.SigningMethodHS256, secret, claims(func(c *jwt.RegisteredClaims) { c.Audience = nil })),
		"no expiry":         sign(jwt.SigningMethodHS256, secret, claims(func(c *jwt.RegisteredClaims) { c.ExpiresAt = nil })),
		"from the future":   sign(jwt.SigningMethodHS256, secret, claims(func(c *jwt.RegisteredClaims) { c.IssuedAt = jwt.NewNumericDate(now.Add(time.Minute)) })),
		"expired unsigned":  sign(jwt.SigningMethodHS256, []byte("another secret, also 32 bytes long"), claims(func(c *jwt.RegisteredClaims) { c.ExpiresAt = jwt.NewNumericDate(now.Add(-time.Hour)) })),
		"payload not JSON":  "eyJhbGciOiJIUzI1NiJ9.eHh4.AAAA",
		"header and nobody": "eyJhbGciOiJIUzI1NiJ9",
	} {
		_, err := newServiceVerifier(t).VerifyToken(t.Context(), token)
		if !errs.Is(err, errores.CredencialInvalida) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestServiceTokens_refuseAShortSecret(t *testing.T) {
	_, err := NewServiceTokens(Secrets{"short"}, ServicioRegistros, ServicioIntegracion)
	if err == nil || strings.Contains(err.Error(), "\"short\"") {
		t.Errorf("tokens: %v", err)
	}
	_, err = NewServiceVerifier(Secrets{serviceSecret, strings.Repeat("x", 31)}, ServicioRegistros, ServicioIntegracion)
	if err == nil {
		t.Error("verifier: accepted")
	}
}

func TestByIssuer(t *testing.T) {
	token := bearer(t, newTokens(t))
	known := ByIssuer{ServicioRegistros: newServiceVerifier(t)}
	principal, err := known.VerifyToken(t.Context(), token)
	if err != nil || principal.Subject != ServicioRegistros {
		t.Errorf("%+v, %v", principal, err)
	}
	for name, refused := range map[string]error{
		"unknown issuer": second(ByIssuer{"other": newServiceVerifier(t)}.VerifyToken(t.Context(), token)),
		"not a token":    second(known.VerifyToken(t.Context(), "x")),
		"named only":     second(known.VerifyToken(t.Context(), token[:len(token)-4]+"AAAA")),
	} {
		if !errs.Is(refused, errores.CredencialInvalida) {
			t.Errorf("%s: %v", name, refused)
		}
	}
}

func second(_ Principal, err error) error { return err }
