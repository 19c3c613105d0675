// Package tokens writes and reads the JWT of /login. It knows the signature and the
// times; whether the holder still may do anything is the domain's to say, at each use.
package tokens

import (
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

const (
	// Issuer marks the tokens of /login; a service's own tokens have other issuers.
	Issuer = "enlace"
	// Life is how long a token lasts (pui.md 1.5, by symmetry with the platform's).
	Life = time.Hour
)

// claims is the content of a token. jti makes two logins give two tokens (S-03).
type claims struct {
	Rol       auth.Rol         `json:"rol"`
	EmpresaID tenant.EmpresaID `json:"empresa_id,omitempty"`
	Version   int              `json:"ver"`
	jwt.RegisteredClaims
}

// Tokens signs with HS256.
type Tokens struct {
	key    []byte
	keys   jwt.VerificationKeySet
	now    func() time.Time
	parser *jwt.Parser
}

// New makes Tokens that tell the time by now.
func New(secrets auth.Secrets, now func() time.Time) *Tokens {
	return &Tokens{
		key:  secrets.Signing(),
		keys: secrets.Accepted(),
		now:  now,
		parser: jwt.NewParser(
			// Pinned: the token does not choose how it is verified.
			jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
			jwt.WithIssuer(Issuer),
			jwt.WithAudience(Issuer),
			jwt.WithExpirationRequired(),
			jwt.WithStrictDecoding(), // one spelling only: no bit that nobody checks
			jwt.WithTimeFunc(now),
		),
	}
}

// Sign implements [cuentas.Tokens]. The hour of a token begins with the login that it follows from.
func (t *Tokens) Sign(s cuentas.Sesion) (cuentas.Secreto, error) {
	at := s.Desde
	if at.IsZero() {
		at = t.now()
	}
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims{
		Rol:       s.Rol,
		EmpresaID: s.EmpresaID,
		Version:   s.Version,
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer:    Issuer,
			Audience:  jwt.ClaimStrings{Issuer},
			Subject:   s.Sujeto,
			ID:        rand.Text(),
			IssuedAt:  jwt.NewNumericDate(at),
			ExpiresAt: jwt.NewNumericDate(at.Add(Life)),
		},
	}).SignedString(t.key)
	if err != nil {
		return "", fmt.Errorf("sign token: %w", err)
	}
	return cuentas.Secreto(token), nil
}

// Read gives what a token says, if it was signed here and is not over. Of one that is over
// it gives with the refusal who it was for.
func (t *Tokens) Read(token string) (cuentas.Sesion, error) {
	var c claims
	_, err := t.parser.ParseWithClaims(token, &c, func(*jwt.Token) (any, error) { return t.keys, nil })
	if errors.Is(err, jwt.ErrTokenExpired) && c.sound() {
		// The signature is looked at before the times, so the claims are ours.
		return c.sesion(), auth.TokenError(err)
	}
	if err != nil {
		return cuentas.Sesion{}, auth.TokenError(err)
	}
	if !c.sound() {
		return cuentas.Sesion{}, auth.TokenError(errors.New("read token: its claims do not fit together"))
	}
	return c.sesion(), nil
}

func (c claims) sesion() cuentas.Sesion {
	s := cuentas.Sesion{ID: c.ID, Sujeto: c.Subject, Rol: c.Rol, EmpresaID: c.EmpresaID, Version: c.Version}
	if c.IssuedAt != nil {
		s.Desde = c.IssuedAt.UTC()
	}
	return s
}

// sound reports whether the claims fit together: the platform acts for one institution, an
// operator for none, with a token that can be voided and says since when.
func (c claims) sound() bool {
	switch c.Rol {
	case auth.RolPUI:
		return c.EmpresaID != "" && c.Subject == cuentas.UsuarioPUI
	case auth.RolOperador, auth.RolInscripcion:
		return c.EmpresaID == "" && c.Subject != "" && c.ID != "" && c.IssuedAt != nil
	default:
		return false
	}
}

var _ cuentas.Tokens = (*Tokens)(nil)
