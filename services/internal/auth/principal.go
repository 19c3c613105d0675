package auth

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Rol is what a caller is.
type Rol string

// The roles.
const (
	RolInstitucion Rol = "institucion" // an institution's system, by API key
	RolPUI         Rol = "pui"         // the national platform, by JWT
	RolOperador    Rol = "operador"    // a person who operates Enlace, by JWT
	RolInscripcion Rol = "inscripcion" // an operator who has yet to enrol the second factor
	RolServicio    Rol = "servicio"    // the other service, by service token
)

// Ambito is what an API key is for.
type Ambito string

// The scopes of the contract, section 5. integracion's constraint api_keys_ambitos_check lists the
// same.
const (
	AmbitoCliente Ambito = "cliente" // the /cliente routes
	AmbitoEventos Ambito = "eventos" // signed events
)

// Principal is an authenticated caller. The zero value may do nothing.
type Principal struct {
	Rol Rol
	// EmpresaID is the institution that the credential is bound to; empty for operators and
	// services.
	EmpresaID     tenant.EmpresaID
	EmpresaNombre string
	// TieneSitio: the institution has a site of its own, where an event took place that does
	// not say so itself.
	TieneSitio bool
	// Ambitos are the scopes of an API key; other roles have none.
	Ambitos []Ambito
	// Subject names the credential: the key id of an API key, the user of a JWT, the
	// service of a service token.
	Subject string
	// Ambiente is the environment that an API key was made for.
	Ambiente string
	// TokenID names a token of /login, and LoggedInAt is when its holder showed the clave; other
	// credentials have neither.
	TokenID    string
	LoggedInAt time.Time
}

// Has tells whether the caller's key is for that scope.
func (p Principal) Has(ambito Ambito) bool {
	return slices.Contains(p.Ambitos, ambito)
}

type principalKey struct{}

// WithPrincipal says on whose behalf ctx acts. Only the guard and tests call it.
func WithPrincipal(ctx context.Context, principal Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, principal)
}

// PrincipalFrom gives the caller. It fails only where no guard stood in front, which is
// our mistake and so an internal error.
func PrincipalFrom(ctx context.Context) (Principal, error) {
	principal, ok := ctx.Value(principalKey{}).(Principal)
	if !ok {
		return Principal{}, errors.New("read principal: the call was not authenticated")
	}
	return principal, nil
}
