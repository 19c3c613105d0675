package plataforma

import (
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// VidaToken is how long a token lives unless a fault says otherwise (§7.1).
const VidaToken = time.Hour

var errToken = errors.New("token is not alive")

// claims are those of the manual's sample token. The jti is ours: it tells two
// logins of the same second apart, so that one can be expired without the other.
type claims struct {
	InstitucionID string   `json:"institucion_id"`
	Permisos      []string `json:"permisos"`
	jwt.RegisteredClaims
}

// vigencia is one living token.
type vigencia struct {
	institucionID string
	caduca        time.Time
}

// tokens issues and checks the tokens of /login. The register of living tokens
// decides, not exp: exp counts whole seconds, and a token must be able to die
// early. The signing key is made at start, so a restart expires every token, as
// the platform may do at any time.
type tokens struct {
	secreto []byte
	now     func() time.Time

	mu    sync.Mutex
	vivos map[string]vigencia // by jti
}

func newTokens(now func() time.Time) *tokens {
	return &tokens{secreto: []byte(rand.Text() + rand.Text()), now: now, vivos: map[string]vigencia{}}
}

// issue makes a token that lives for vida.
func (t *tokens) issue(institucionID string, vida time.Duration) (string, error) {
	now := t.now()
	jti := rand.Text()
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims{
		InstitucionID: institucionID,
		Permisos:      []string{"notificar", "concluir"},
		RegisteredClaims: jwt.RegisteredClaims{
			ID:        jti,
			IssuedAt:  jwt.NewNumericDate(now),
			ExpiresAt: jwt.NewNumericDate(now.Truncate(time.Second).Add(vida)),
		},
	}).SignedString(t.secreto)
	if err != nil {
		return "", fmt.Errorf("sign token: %w", err)
	}

	t.mu.Lock()
	defer t.mu.Unlock()
	t.forgetLapsed(now)
	t.vivos[jti] = vigencia{institucionID, now.Add(vida)}
	return token, nil
}

// forgetLapsed keeps the register as small as the tokens in use.
func (t *tokens) forgetLapsed(now time.Time) {
	for jti, v := range t.vivos {
		if !now.Before(v.caduca) {
			delete(t.vivos, jti)
		}
	}
}

// verify tells whose living token this is.
func (t *tokens) verify(token string) (string, error) {
	c, err := t.parse(token)
	if err != nil {
		return "", errToken
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	v, vivo := t.vivos[c.ID]
	if !vivo || !t.now().Before(v.caduca) {
		return "", errToken
	}
	return v.institucionID, nil
}

// owner tells to whom a token was given, living or not; empty when it is not
// one of ours.
func (t *tokens) owner(token string) string {
	c, err := t.parse(token)
	if err != nil {
		return ""
	}
	return c.InstitucionID
}

// parse checks the signature and leaves time to the register.
func (t *tokens) parse(token string) (claims, error) {
	var c claims
	_, err := jwt.ParseWithClaims(token, &c,
		func(*jwt.Token) (any, error) { return t.secreto, nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
		jwt.WithoutClaimsValidation())
	return c, err
}

// expire ends the tokens given so far to one institution, or to all when
// institucionID is empty.
func (t *tokens) expire(institucionID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for jti, v := range t.vivos {
		if institucionID == "" || v.institucionID == institucionID {
			delete(t.vivos, jti)
		}
	}
}
