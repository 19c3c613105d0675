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
	switch pg.ConstraintOf(err) {
	case "usuarios_pkey":
		return errs.New(errores.Conflicto, "Ya existe ese usuario.")
	case "usuarios_minusculas_key":
		return errs.New(errores.Conflicto, "Ya existe ese usuario, con otras mayúsculas.")
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

// usuarioDeToken reads two rows by their keys, or looks for one that is not there.
const usuarioDeToken = `SELECT ` + usuarioColumns + ` FROM usuarios u
WHERE u.usuario = $1 AND NOT EXISTS (SELECT FROM tokens_anulados a WHERE a.token = $2)`

// GetUsuarioDeToken implements [cuentas.UsuarioStore].
func (s *Store) GetUsuarioDeToken(ctx context.Context, usuario, tokenID string) (cuentas.Usuario, error) {
	var u cuentas.Usuario
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) (err error) {
		u, err = scanUsuario(tx.QueryRow(ctx, usuarioDeToken, usuario, tokenID))
		return err
	})
	return u, notFound(err, "read usuario of token", usuarioMissing)
}

// VoidToken implements [cuentas.UsuarioStore].
func (s *Store) VoidToken(ctx context.Context, usuario, tokenID string) error {
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO tokens_anulados (token) VALUES ($1) ON CONFLICT DO NOTHING`, tokenID)
		if err != nil {
			return err
		}
		return insertCambio(ctx, tx, bitacora.SinEmpresa, "sesion_cerrada", usuario)
	})
	if err != nil {
		return fmt.Errorf("void token: %w", err)
	}
	return nil
}

// ForgetTokens removes the voided tokens of before that span, which are over by then.
func (s *Store) ForgetTokens(ctx context.Context, span time.Duration) error {
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM tokens_anulados WHERE anulado_en < statement_timestamp() - $1::interval`, span)
		return err
	})
	if err != nil {
		return fmt.Errorf("forget voided tokens: %w", err)
	}
	return nil
}

const (
	// listRestablecido is what operators did to each other's accounts.
	listRestablecido = `
SELECT recurso, CASE accion WHEN '` + accionClave + `' THEN 'clave' ELSE 'segundo_factor' END, actor, ocurrido_en FROM bitacora
WHERE empresa_id = $1 AND accion IN ('` + accionClave + `', '` + accionSinTOTP + `') AND ocurrido_en > statement_timestamp() - $2::interval
	AND recurso <> actor AND ($3 = '' OR recurso = $3)
ORDER BY ocurrido_en DESC, id DESC LIMIT $4`
	// maxRestablecimientos bounds what is shown of a week.
	maxRestablecimientos = 100
)

// ListRestablecimientos implements [cuentas.UsuarioStore]. It reads bitacora_restablecimientos_idx.
func (s *Store) ListRestablecimientos(ctx context.Context, usuario string, span time.Duration) ([]cuentas.Restablecimiento, error) {
	var all []cuentas.Restablecimiento
	err := s.db.InEmpresa(ctx, bitacora.SinEmpresa, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, listRestablecido, string(bitacora.SinEmpresa), span, usuario, maxRestablecimientos)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[cuentas.Restablecimiento])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list what was reset of operators: %w", err)
	}
	return all, nil
}

func scanUsuario(row pgx.Row) (cuentas.Usuario, error) {
	var u cuentas.Usuario
	var totpLlave, nuevoLlave *string
	var baja *time.Time
	err := row.Scan(&u.Usuario, &u.Hash, &u.Version, &u.CreadoEn, &baja, &u.TOTP.Datos, &totpLlave, &u.TOTPNuevo.Datos, &nuevoLlave, &u.Recuperaciones)
	u.TOTP.Llave, u.TOTPNuevo.Llave, u.BajaEn = pg.Value(totpLlave), pg.Value(nuevoLlave), pg.Value(baja)
	return u, err
}
