package plataforma

import (
	"slices"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

func TestToken_hasTheClaimsOfTheManual(t *testing.T) {
	p, clock := newPlataforma(t)
	var c claims
	parsed, _, err := jwt.NewParser().ParseUnverified(login(t, p), &c)
	if err != nil {
		t.Fatalf("parse token: %v", err)
	}
	if parsed.Method.Alg() != "HS256" {
		t.Errorf("alg = %s, want HS256", parsed.Method.Alg())
	}
	if c.InstitucionID != institucionA || !slices.Equal(c.Permisos, []string{"notificar", "concluir"}) {
		t.Errorf("claims = %+v", c)
	}
	if got := c.ExpiresAt.Sub(c.IssuedAt.Time); got != time.Hour {
		t.Errorf("exp - iat = %v, want an hour", got)
	}
	if got := clock.Now().Sub(c.IssuedAt.Time); got < 0 || got >= time.Second {
		t.Errorf("iat is %v before now, want less than a second", got)
	}
}

func TestToken_livesAnHour(t *testing.T) {
	p, clock := newPlataforma(t)
	token := login(t, p)
	clock.advance(time.Hour - time.Millisecond)
	if r := send(t, p, RutaReportes, token, ""); r.Status != 200 {
		t.Errorf("just before the hour: %d", r.Status)
	}
	clock.advance(time.Millisecond)
	wantAnswer(t, send(t, p, RutaReportes, token, ""), 401, `{"error":"Token inválido o expirado"}`)
	// The log still knows whose token it was.
	if log := received(p, Filtro{Ruta: RutaReportes, InstitucionID: institucionA}); len(log) != 2 {
		t.Errorf("%d entries of A, want 2", len(log))
	}
}

func TestToken_otherSignaturesAreNotAlive(t *testing.T) {
	p, _ := newPlataforma(t)
	var c claims
	_, _, err := jwt.NewParser().ParseUnverified(login(t, p), &c)
	if err != nil {
		t.Fatalf("parse token: %v", err)
	}
	forged := map[string]string{}
	forged["other key"], err = jwt.NewWithClaims(jwt.SigningMethodHS256, c).SignedString([]byte("otra llave de firma, larga y ajena"))
	if err != nil {
		t.Fatalf("sign: %v", err)
	}
	forged["no signature"], err = jwt.NewWithClaims(jwt.SigningMethodNone, c).SignedString(jwt.UnsafeAllowNoneSignatureType)
	if err != nil {
		t.Fatalf("sign: %v", err)
	}
	for name, token := range forged {
		if r := send(t, p, RutaReportes, token, ""); r.Status != 401 || r.InstitucionID != "" {
			t.Errorf("%s: %d for %q, want 401 for nobody", name, r.Status, r.InstitucionID)
		}
	}
}

func TestToken_diesWithTheClave(t *testing.T) {
	p, _ := newPlataforma(t)
	token := login(t, p)
	register := func(i Institucion) {
		t.Helper()
		_, err := p.Register(i)
		if err != nil {
			t.Fatalf("register: %v", err)
		}
	}
	register(Institucion{ID: institucionA, Clave: claveA, URLBase: "http://localhost:8080/pui"})
	if r := send(t, p, RutaReportes, token, ""); r.Status != 200 {
		t.Errorf("same clave: %d, want 200", r.Status)
	}
	register(Institucion{ID: institucionA, Clave: "nueva"})
	if r := send(t, p, RutaReportes, token, ""); r.Status != 401 {
		t.Errorf("new clave: %d, want 401", r.Status)
	}
}

func TestToken_lapsedOnesAreForgotten(t *testing.T) {
	p, clock := newPlataforma(t)
	for range 3 {
		login(t, p)
	}
	clock.advance(VidaToken)
	login(t, p)
	if got := len(p.tokens.vivos); got != 1 {
		t.Errorf("%d tokens are kept, want 1", got)
	}
}
