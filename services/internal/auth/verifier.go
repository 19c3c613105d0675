package auth

import (
	"context"
	"errors"

	"github.com/golang-jwt/jwt/v5"
)

// KeyVerifier says whom an API key belongs to, or why it is not accepted.
type KeyVerifier interface {
	VerifyKey(ctx context.Context, key Key) (Principal, error)
}

// TokenVerifier says whom a bearer token belongs to, or why it is not accepted.
type TokenVerifier interface {
	VerifyToken(ctx context.Context, bearer string) (Principal, error)
}

// ByIssuer chooses among verifiers by the issuer that a token names. The name only chooses:
// the verifier checks the issuer again, with the signature.
type ByIssuer map[string]TokenVerifier

// VerifyToken implements [TokenVerifier].
func (b ByIssuer) VerifyToken(ctx context.Context, bearer string) (Principal, error) {
	var claims jwt.RegisteredClaims
	_, _, err := jwt.NewParser().ParseUnverified(bearer, &claims)
	if err != nil {
		return Principal{}, errInvalida(err)
	}
	verifier, known := b[claims.Issuer]
	if !known {
		return Principal{}, errInvalida(errors.New("verify token: unknown issuer"))
	}
	return verifier.VerifyToken(ctx, bearer)
}
