package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
)

// SetClave implements [cuentas.UsuarioStore].
func (s *Store) SetClave(ctx context.Context, usuario, hash string) error {
	return s.changeUsuario(ctx, usuario, accionClave,
		`UPDATE usuarios SET clave = $2, version = version + 1 WHERE usuario = $1`, usuario, hash)
}

// RevokeTokens implements [cuentas.UsuarioStore].
func (s *Store) RevokeTokens(ctx context.Context, usuario string) error {
	return s.changeUsuario(ctx, usuario, accionTokens,
		`UPDATE usuarios SET version = version + 1 WHERE usuario = $1`, usuario)
}

// RemoveTOTP implements [cuentas.UsuarioStore].
func (s *Store) RemoveTOTP(ctx context.Context, usuario string) error {
	return s.changeUsuario(ctx, usuario, accionSinTOTP, `
		WITH gone AS (DELETE FROM usuario_recuperaciones WHERE usuario = $1)
		UPDATE usuarios SET totp_secreto = NULL, totp_llave = NULL, totp_paso = NULL, version = version + 1
		WHERE usuario = $1`, usuario)
}

// changeUsuario runs a statement that changes one operator, and leaves accion in the
// Bitácora.
func (s *Store) changeUsuario(ctx context.Context, usuario, accion, sql string, args ...any) error {
	r := newRemoval(bitacora.SinEmpresa, accion, usuario)
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		done, err := tx.Exec(ctx, sql, args...)
		if err != nil {
			return err
		}
		if done.RowsAffected() == 0 {
			return pgx.ErrNoRows
		}
		if accion == accionTokens { // a restoration voids all tokens
			return insertCambio(ctx, tx, bitacora.SinEmpresa, accion, usuario)
		}
		return s.insertRemoval(ctx, tx, r)
	})
	return notFound(err, "change usuario", usuarioMissing)
}

// UseTOTP implements [cuentas.UsuarioStore]: of two logins at once with one code, one
// changes the row.
func (s *Store) UseTOTP(ctx context.Context, usuario string, paso int64) (bool, error) {
	fresh := false
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		done, err := tx.Exec(ctx, `
			UPDATE usuarios SET totp_paso = $2
			WHERE usuario = $1 AND totp_secreto IS NOT NULL AND (totp_paso IS NULL OR totp_paso < $2)`, usuario, paso)
		fresh = err == nil && done.RowsAffected() == 1
		return err
	})
	if err != nil {
		return false, fmt.Errorf("use totp code: %w", err)
	}
	return fresh, nil
}
