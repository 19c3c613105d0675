package cuentas

import (
	"context"
	"fmt"

	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// ClaseSellado is what a sealed secret is for.
type ClaseSellado string

// The secrets that are kept sealed.
const (
	SelladoSalida  ClaseSellado = "clave_salida"
	SelladoWebhook ClaseSellado = "secreto_webhook"
	SelladoTOTP    ClaseSellado = "totp"
)

// SelladoGuardado is a sealed secret and where it is kept.
type SelladoGuardado struct {
	Clase ClaseSellado
	// EmpresaID is empty for an operator's.
	EmpresaID tenant.EmpresaID
	// Recurso is the id of the key or the name of the operator; empty for an institution's own.
	Recurso string
	Sellado Sellado
}

// contexto is what the secret was bound to when it was sealed.
func (g SelladoGuardado) contexto() string {
	switch g.Clase {
	case SelladoSalida:
		return contextoSalida(g.EmpresaID)
	case SelladoWebhook:
		return contextoWebhook(ApiKey{EmpresaID: g.EmpresaID, KeyID: g.Recurso})
	default:
		return contextoTOTP(g.Recurso)
	}
}

// RecifradoStore keeps the sealed secrets.
type RecifradoStore interface {
	// ListSellados gives all sealed secrets.
	ListSellados(ctx context.Context) ([]SelladoGuardado, error)
	// ReplaceSellado puts another seal on a secret, unless it was changed meanwhile.
	ReplaceSellado(ctx context.Context, old SelladoGuardado, sellado Sellado) error
}

// Recifrado seals again with the present key what earlier keys sealed, so that those can be
// forgotten. It may run beside the service, and again at any time.
type Recifrado struct {
	Store RecifradoStore
	Caja  Caja
}

// Recifrados counts what was done.
type Recifrados struct {
	Recifrados int
	// AlDia were sealed with the present key already.
	AlDia int
}

// Run seals what is due. It ends at the first secret that no configured key opens.
func (r *Recifrado) Run(ctx context.Context) (Recifrados, error) {
	var done Recifrados
	all, err := r.Store.ListSellados(ctx)
	if err != nil {
		return done, err
	}
	for _, g := range all {
		fresh, err := r.reseal(g)
		if err != nil {
			return done, fmt.Errorf("%s of %s %s: %w", g.Clase, g.EmpresaID, g.Recurso, err)
		}
		if fresh.Llave == g.Sellado.Llave {
			done.AlDia++
			continue
		}
		err = r.Store.ReplaceSellado(ctx, g, fresh)
		if err != nil {
			return done, err
		}
		done.Recifrados++
	}
	return done, nil
}

func (r *Recifrado) reseal(g SelladoGuardado) (Sellado, error) {
	secreto, err := r.Caja.Open(g.Sellado, g.contexto())
	if err != nil {
		return Sellado{}, err
	}
	return r.Caja.Seal(secreto, g.contexto())
}
