package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
)

// SetTOTPNuevo implements [cuentas.UsuarioStore]. It changes nothing that counts.
func (s *Store) SetTOTPNuevo(ctx context.Context, usuario string, secreto cuentas.Sellado) error {
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		done, err := tx.Exec(ctx, `UPDATE usuarios SET totp_nuevo = $2, totp_nuevo_llave = $3 WHERE usuario = $1 AND baja_en IS NULL`,
			usuario, secreto.Datos, secreto.Llave)
		if err == nil && done.RowsAffected() == 0 {
			err = pgx.ErrNoRows
		}
		return err
	})
	return notFound(err, "begin second factor", usuarioMissing)
}

// ConfirmTOTP implements [cuentas.UsuarioStore]. Of two confirmations at once one finds the
// enrolment.
func (s *Store) ConfirmTOTP(ctx context.Context, usuario string, nuevo cuentas.Sellado, paso int64, recuperacion [][]byte) (version int, err error) {
	r := newRemoval(bitacora.SinEmpresa, accionTOTP, usuario)
	err = s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `
			UPDATE usuarios SET totp_secreto = totp_nuevo, totp_llave = totp_nuevo_llave, totp_paso = $3,
				totp_nuevo = NULL, totp_nuevo_llave = NULL, version = version + 1
			WHERE usuario = $1 AND totp_nuevo = $2 AND baja_en IS NULL RETURNING version`, usuario, nuevo.Datos, paso).Scan(&version)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM usuario_recuperaciones WHERE usuario = $1`, usuario)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO usuario_recuperaciones (usuario, huella) SELECT $1, unnest($2::bytea[])`, usuario, recuperacion)
		if err != nil {
			return err
		}
		return s.insertRemoval(ctx, tx, r)
	})
	return version, notFound(err, "confirm second factor", "La inscripción ya se confirmó o se empezó otra.")
}

// UseRecuperacion implements [cuentas.UsuarioStore]: of two logins at once with one code, one
// deletes the row.
func (s *Store) UseRecuperacion(ctx context.Context, usuario string, huella []byte) (bool, error) {
	used := false
	r := newRemoval(bitacora.SinEmpresa, accionRecuperacion, usuario)
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		done, err := tx.Exec(ctx, `DELETE FROM usuario_recuperaciones WHERE usuario = $1 AND huella = $2`, usuario, huella)
		if err != nil {
			return err
		}
		used = done.RowsAffected() == 1
		if !used {
			return nil
		}
		return s.insertRemoval(ctx, tx, r)
	})
	if err != nil {
		return false, fmt.Errorf("use recovery code: %w", err)
	}
	return used, nil
}

// RemoveUsuario implements [cuentas.UsuarioStore].
func (s *Store) RemoveUsuario(ctx context.Context, usuario string) error {
	return s.changeUsuario(ctx, usuario, accionBaja, `
		UPDATE usuarios SET baja_en = coalesce(baja_en, clock_timestamp()), version = version + 1,
			totp_secreto = NULL, totp_llave = NULL, totp_paso = NULL, totp_nuevo = NULL, totp_nuevo_llave = NULL
		WHERE usuario = $1`, usuario)
}

// usuarioColumns are the columns that scanUsuario reads.
const usuarioColumns = `u.usuario, u.clave, u.version, u.creado_en, u.baja_en, u.totp_secreto, u.totp_llave, u.totp_nuevo, u.totp_nuevo_llave,
	(SELECT count(*)::int FROM usuario_recuperaciones r WHERE r.usuario = u.usuario)`

// ListUsuarios implements [cuentas.UsuarioStore].
func (s *Store) ListUsuarios(ctx context.Context) ([]cuentas.Usuario, error) {
	var all []cuentas.Usuario
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT `+usuarioColumns+` FROM usuarios u ORDER BY u.usuario`)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (cuentas.Usuario, error) { return scanUsuario(row) })
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list usuarios: %w", err)
	}
	return all, nil
}
