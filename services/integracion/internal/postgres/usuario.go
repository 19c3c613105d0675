package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/pg"
)

const usuarioMissing = "No existe ese usuario."

// CreateUsuario implements [cuentas.UsuarioStore].
func (s *Store) CreateUsuario(ctx context.Context, u cuentas.Usuario) error {
	return createdUsuario(s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error { return insertUsuario(ctx, tx, u) }))
}

func insertUsuario(ctx context.Context, tx pgx.Tx, u cuentas.Usuario) error {
	_, err := tx.Exec(ctx, `INSERT INTO usuarios (usuario, clave) VALUES ($1, $2)`, u.Usuario, u.Hash)
	if err != nil {
		return err
	}
	return insertCambio(ctx, tx, bitacora.SinEmpresa, "usuario_creado", u.Usuario)
}

// createdUsuario says of a name that it is taken.
func createdUsuario(err error) error {
	if pg.ConstraintOf(err) == "usuarios_pkey" {
		return errs.New(errores.Conflicto, "Ya existe ese usuario.")
	}
	if err != nil {
		return fmt.Errorf("insert usuario: %w", err)
	}
	return nil
}

// CreatePrimerUsuario implements [cuentas.UsuarioStore]: of two at once, one is the first.
func (s *Store) CreatePrimerUsuario(ctx context.Context, u cuentas.Usuario) error {
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `LOCK TABLE usuarios IN SHARE ROW EXCLUSIVE MODE`)
		if err != nil {
			return err
		}
		var there bool
		err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM usuarios WHERE baja_en IS NULL)`).Scan(&there)
		if err != nil {
			return err
		}
		if there {
			return errs.New(errores.Conflicto, "Ya hay operadores, y uno de ellos añade a los demás: abra una sesión con integracion sesion abrir.")
		}
		return insertUsuario(ctx, tx, u)
	})
	return createdUsuario(err)
}

// GetUsuario implements [cuentas.UsuarioStore].
func (s *Store) GetUsuario(ctx context.Context, usuario string) (cuentas.Usuario, error) {
	var u cuentas.Usuario
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) (err error) {
		u, err = scanUsuario(tx.QueryRow(ctx, `SELECT `+usuarioColumns+` FROM usuarios u WHERE u.usuario = $1`, usuario))
		return err
	})
	return u, notFound(err, "read usuario", usuarioMissing)
}

func scanUsuario(row pgx.Row) (cuentas.Usuario, error) {
	var u cuentas.Usuario
	var totpLlave, nuevoLlave *string
	var baja *time.Time
	err := row.Scan(&u.Usuario, &u.Hash, &u.Version, &u.CreadoEn, &baja, &u.TOTP.Datos, &totpLlave, &u.TOTPNuevo.Datos, &nuevoLlave, &u.Recuperaciones)
	u.TOTP.Llave, u.TOTPNuevo.Llave, u.BajaEn = pg.Value(totpLlave), pg.Value(nuevoLlave), pg.Value(baja)
	return u, err
}
