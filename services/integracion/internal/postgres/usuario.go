package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/pg"
)

const usuarioMissing = "No existe ese usuario."

// CreateUsuario implements [cuentas.UsuarioStore].
func (s *Store) CreateUsuario(ctx context.Context, u cuentas.Usuario) error {
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO usuarios (usuario, clave) VALUES ($1, $2)`, u.Usuario, u.Hash)
		if err != nil {
			return err
		}
		return insertCambio(ctx, tx, bitacora.SinEmpresa, "usuario_creado", u.Usuario)
	})
	if pg.ConstraintOf(err) == "usuarios_pkey" {
		return errs.New(errs.Conflicto, "Ya existe ese usuario.")
	}
	if err != nil {
		return fmt.Errorf("insert usuario: %w", err)
	}
	return nil
}

// GetUsuario implements [cuentas.UsuarioStore].
func (s *Store) GetUsuario(ctx context.Context, usuario string) (cuentas.Usuario, error) {
	var u cuentas.Usuario
	var totpLlave *string
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `
			SELECT usuario, clave, version, creado_en, totp_secreto, totp_llave FROM usuarios WHERE usuario = $1`, usuario).
			Scan(&u.Usuario, &u.Hash, &u.Version, &u.CreadoEn, &u.TOTP.Datos, &totpLlave)
	})
	u.TOTP.Llave = pg.Value(totpLlave)
	return u, notFound(err, "read usuario", usuarioMissing)
}
