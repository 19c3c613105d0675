package cuentas

import (
	"context"
	"fmt"
	"slices"

	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// ClaseSellado is what a sealed secret is for.
type ClaseSellado string

// The secrets that are kept sealed.
const (
	SelladoSalida  ClaseSellado = "clave_salida"
	SelladoWebhook ClaseSellado = "secreto_webhook"
	SelladoTOTP    ClaseSellado = "totp"
	// SelladoTOTPNuevo is that of an enrolment that was begun.
	SelladoTOTPNuevo ClaseSellado = "totp_nuevo"
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

// Llavero is a Caja that knows its keys.
type Llavero interface {
	Caja
	// Llaves are the ids of its keys, the one that seals first.
	Llaves() []string
}

// RecifradoStore keeps the sealed secrets.
type RecifradoStore interface {
	// ListSellados gives at most so many secrets that one of these keys sealed.
	ListSellados(ctx context.Context, llaves []string, most int) ([]SelladoGuardado, error)
	// CountSellados counts all of them by the key that sealed them.
	CountSellados(ctx context.Context) (map[string]int, error)
	// ReplaceSellado puts another seal on a secret, unless it was changed meanwhile.
	ReplaceSellado(ctx context.Context, old SelladoGuardado, sellado Sellado) error
}

// Recifrado seals again with the present key what earlier keys sealed, so that those can be
// forgotten. It may run at any time, on several replicas at once, and goes on where it was cut.
type Recifrado struct {
	Store RecifradoStore
	Caja  Llavero
}

// Recifrados is what was done, and how all secrets stand afterwards.
type Recifrados struct {
	Recifrados int
	AlDia      int // sealed with the present key
	Quedan     int // sealed with an earlier one
	SinLlave   int // sealed with one that is not configured, or that does not open them
}

// recifradoRows bounds one run, so that whoever asked hears soon how far it is.
const recifradoRows = 200

// Run seals a part of what is due. What does not open keeps no other one from it.
func (r *Recifrado) Run(ctx context.Context) (Recifrados, error) {
	var done Recifrados
	due, err := r.Store.ListSellados(ctx, r.Caja.Llaves()[1:], recifradoRows)
	if err != nil {
		return done, err
	}
	broken := 0
	for _, g := range due {
		secreto, err := r.Caja.Open(g.Sellado, g.contexto())
		if err != nil {
			broken++
			continue
		}
		err = r.reseal(ctx, g, secreto)
		if err != nil {
			return done, fmt.Errorf("%s of %s %s: %w", g.Clase, g.EmpresaID, g.Recurso, err)
		}
		done.Recifrados++
	}
	err = r.count(ctx, &done)
	// They stand under the earlier key that should have opened them.
	broken = min(broken, done.Quedan)
	done.Quedan, done.SinLlave = done.Quedan-broken, done.SinLlave+broken
	return done, err
}

// count tells how all secrets stand.
func (r *Recifrado) count(ctx context.Context, done *Recifrados) error {
	llaves := r.Caja.Llaves()
	counts, err := r.Store.CountSellados(ctx)
	for llave, total := range counts {
		switch slices.Index(llaves, llave) {
		case 0:
			done.AlDia += total
		case -1:
			done.SinLlave += total
		default:
			done.Quedan += total
		}
	}
	return err
}

func (r *Recifrado) reseal(ctx context.Context, g SelladoGuardado, secreto Secreto) error {
	fresh, err := r.Caja.Seal(secreto, g.contexto())
	if err != nil {
		return err
	}
	return r.Store.ReplaceSellado(ctx, g, fresh)
}
