package auth

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/process/header"
)

// The services, as issuers and audiences of service tokens.
const (
	ServicioRegistros   = "registros"
	ServicioIntegracion = "integracion"
)

const (
	serviceTokenLife   = 60 * time.Second
	serviceTokenRenew  = 20 * time.Second // left of its life when a token is replaced
	serviceTokenLeeway = 10 * time.Second // between the clocks of two machines
)

// ServiceTokens proves to one service that the calls come from the other. It goes into a
// connection as its credentials.PerRPCCredentials and is safe for concurrent use.
type ServiceTokens struct {
	key              []byte
	issuer, audience string

	mu      sync.Mutex
	token   string
	expires time.Time
}

// NewServiceTokens makes tokens of issuer for audience. The secrets are shared by the two
// services.
func NewServiceTokens(secrets Secrets, issuer, audience string) (*ServiceTokens, error) {
	err := secrets.Check("service secret")
	if err != nil {
		return nil, err
	}
	return &ServiceTokens{key: secrets.Signing(), issuer: issuer, audience: audience}, nil
}

// GetRequestMetadata implements credentials.PerRPCCredentials.
func (s *ServiceTokens) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	token, err := s.current()
	if err != nil {
		return nil, err
	}
	return map[string]string{header.Authorization: "Bearer " + token}, nil
}

// RequireTransportSecurity is false, because the local run and a network that encrypts by
// itself use plain text; tokens are short-lived and TLS is a setting.
func (s *ServiceTokens) RequireTransportSecurity() bool {
	return false
}

func (s *ServiceTokens) current() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	now := time.Now()
	if s.expires.Sub(now) > serviceTokenRenew {
		return s.token, nil
	}
	token, err := s.sign(now)
	if err != nil {
		return "", fmt.Errorf("sign service token: %w", err)
	}
	s.token, s.expires = token, now.Add(serviceTokenLife)
	return s.token, nil
}

func (s *ServiceTokens) sign(now time.Time) (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", err
	}
	return jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.RegisteredClaims{
		Issuer:    s.issuer,
		Subject:   s.issuer,
		Audience:  jwt.ClaimStrings{s.audience},
		IssuedAt:  jwt.NewNumericDate(now),
		ExpiresAt: jwt.NewNumericDate(now.Add(serviceTokenLife)),
		ID:        id.String(),
	}).SignedString(s.key)
}

// ServiceVerifier accepts the service tokens that one service makes for another.
type ServiceVerifier struct {
	keys   jwt.VerificationKeySet
	parser *jwt.Parser
}

// NewServiceVerifier accepts tokens of issuer for audience, which is the service that
// verifies.
func NewServiceVerifier(secrets Secrets, issuer, audience string) (*ServiceVerifier, error) {
	err := secrets.Check("service secret")
	if err != nil {
		return nil, err
	}
	return &ServiceVerifier{
		keys: secrets.Accepted(),
		parser: jwt.NewParser(
			// Pinned: a token must not choose how it is verified.
			jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
			jwt.WithIssuer(issuer),
			jwt.WithAudience(audience),
			jwt.WithExpirationRequired(),
			jwt.WithStrictDecoding(), // one spelling only: no bit that nobody checks
			jwt.WithIssuedAt(),
			jwt.WithLeeway(serviceTokenLeeway),
		),
	}, nil
}

// VerifyToken implements [TokenVerifier].
func (v *ServiceVerifier) VerifyToken(_ context.Context, bearer string) (Principal, error) {
	var claims jwt.RegisteredClaims
	_, err := v.parser.ParseWithClaims(bearer, &claims, func(*jwt.Token) (any, error) { return v.keys, nil })
	if err != nil {
		return Principal{}, TokenError(err)
	}
	return Principal{Rol: RolServicio, Subject: claims.Issuer}, nil
}

// TokenError is the refusal for a JWT that package jwt refused. Only one whose signature
// is right is told that it is too old.
func TokenError(cause error) error {
	if errors.Is(cause, jwt.ErrTokenExpired) {
		return errs.Wrap(cause, errores.CredencialCaducada, "La credencial caducó.")
	}
	return errInvalida(cause)
}
