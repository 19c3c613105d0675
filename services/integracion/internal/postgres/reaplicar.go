package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/removals"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// What voids a secret. A restoration brings the secret back, and [Store.Reapply] voids it again.
const (
	accionRevocar      = "api_key_revocada"
	accionRotar        = "api_key_rotada"
	accionClaveEntrada = "clave_entrada"
	accionBaja         = "usuario_baja"
	accionClave        = "usuario_clave"
	accionSinTOTP      = "usuario_totp_desactivado"
	accionTOTP         = "usuario_totp_activado"
	accionRecuperacion = "usuario_recuperacion_usada"
	accionTokens       = "usuario_tokens_revocados"
)

// newRemoval is a change that is about to be made, with an entry of its own in the Bitácora.
func newRemoval(empresa tenant.EmpresaID, accion, recurso string) removals.Removal {
	return removals.Removal{ID: pg.NewID(), At: time.Now(), EmpresaID: empresa, Accion: accion, Recurso: recurso}
}

// insertRemoval adds the entry of a change and puts it on the list, as the last of its transaction.
// A change that is not committed after all stays on the list: it is made by a restoration.
func (s *Store) insertRemoval(ctx context.Context, tx pgx.Tx, r removals.Removal) error {
	err := insertAsiento(ctx, tx, bitacora.Asiento{
		ID: r.ID, EmpresaID: r.EmpresaID, Tipo: bitacora.AsientoCambio, Accion: r.Accion, Recurso: r.Recurso,
	})
	if err != nil {
		return err
	}
	return s.Removals.Add(r)
}

// RecordErasure implements [seguimiento.Store].
func (s *Store) RecordErasure(ctx context.Context, a bitacora.Asiento, coincidencias []string) error {
	r := newRemoval(a.EmpresaID, removals.Erasure, a.Recurso)
	r.HuellaCURP, r.Coincidencias = a.HuellaCURP, coincidencias
	a.ID = r.ID
	return s.db.InEmpresa(ctx, a.EmpresaID, func(tx pgx.Tx) error {
		err := insertAsiento(ctx, tx, a)
		if err != nil {
			return err
		}
		return s.Removals.Add(r)
	})
}

// Reapply makes a change of the list again, unless the database has its entry, and tells whether that
// changed anything. hash is what the clave of an operator becomes.
func (s *Store) Reapply(ctx context.Context, r removals.Removal, hash string) (done bool, err error) {
	err = s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		done = false
		var known bool
		err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM bitacora WHERE empresa_id = $1 AND id = $2)`, string(r.EmpresaID), r.ID).Scan(&known)
		if err != nil || known {
			return err
		}
		done, err = reapply(ctx, tx, r, hash)
		if err != nil {
			return err
		}
		return insertAsiento(ctx, tx, bitacora.Asiento{
			ID: r.ID, EmpresaID: r.EmpresaID, Tipo: bitacora.AsientoCambio, Accion: r.Accion, Recurso: r.Recurso, HuellaCURP: r.HuellaCURP,
			Datos: map[string]any{"reaplicado": true, "ocurrido_en": r.At.UTC().Format(time.RFC3339)},
		})
	})
	if err != nil {
		return false, fmt.Errorf("apply %s again: %w", r.Accion, err)
	}
	return done, nil
}

// reapply makes a change again and tells whether there was what it concerns. Of an operator whose clave
// or second factor changed both go: which of the two somebody else knows is not known.
func reapply(ctx context.Context, tx pgx.Tx, r removals.Removal, hash string) (done bool, err error) {
	var change string
	args := []any{r.Recurso}
	switch r.Accion {
	case removals.Erasure:
		return true, forgetDetalles(ctx, tx, r.EmpresaID, r.HuellaCURP, r.Coincidencias)
	case accionRevocar:
		change = `UPDATE api_keys SET revocada_en = coalesce(revocada_en, $3) WHERE key_id = $1 AND empresa_id = $2`
		args = append(args, string(r.EmpresaID), r.At)
	case accionRotar:
		change = `UPDATE api_keys SET caduca_en = least(caduca_en, $3) WHERE key_id = $1 AND empresa_id = $2`
		args = append(args, string(r.EmpresaID), r.Hasta)
	case accionClaveEntrada:
		change, args = `UPDATE empresas SET clave_entrada = NULL WHERE id = $1`, []any{string(r.EmpresaID)}
	case accionBaja:
		change = `UPDATE usuarios SET baja_en = coalesce(baja_en, $2), ` + withoutTOTP + ` WHERE usuario = $1`
		args = append(args, r.At)
	case accionClave, accionSinTOTP, accionTOTP, accionRecuperacion:
		_, err = tx.Exec(ctx, `DELETE FROM usuario_recuperaciones WHERE usuario = $1`, r.Recurso)
		if err != nil {
			return false, err
		}
		change = `UPDATE usuarios SET clave = $2, ` + withoutTOTP + ` WHERE usuario = $1`
		args = append(args, hash)
	default:
		return false, errors.New("the list names a change that this version does not know")
	}
	tag, err := tx.Exec(ctx, change, args...)
	return tag.RowsAffected() > 0, err
}

const withoutTOTP = `totp_secreto = NULL, totp_llave = NULL, totp_paso = NULL, totp_nuevo = NULL, totp_nuevo_llave = NULL`

// ResetsUsuario reports whether a change is one that gives an operator another clave.
func ResetsUsuario(r removals.Removal) bool {
	switch r.Accion {
	case accionClave, accionSinTOTP, accionTOTP, accionRecuperacion:
		return true
	default:
		return false
	}
}

// RemovesClave reports whether a change is one that takes the platform's clave from an institution.
func RemovesClave(r removals.Removal) bool { return r.Accion == accionClaveEntrada }

// tokensVoided is how far versions are moved on: further than they were between a backup and its
// restoration, so that no token of that time fits again.
const tokensVoided = 100_000

// VoidTokens voids all tokens of operators and of the platform that were given out so far.
func (s *Store) VoidTokens(ctx context.Context) error {
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE usuarios SET version = version + $1`, tokensVoided)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE empresas SET version = version + $1`, tokensVoided)
		return err
	})
	if err != nil {
		return fmt.Errorf("void tokens: %w", err)
	}
	return nil
}
