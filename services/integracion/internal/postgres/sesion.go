package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
)

const empresaByClave = `SELECT ` + empresaColumns + ` FROM empresas e WHERE e.clave_entrada = $1`

// FindEmpresaByClave implements [cuentas.SesionStore].
func (s *Store) FindEmpresaByClave(ctx context.Context, huella []byte) (cuentas.Empresa, error) {
	var e cuentas.Empresa
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		var err error
		e, err = scanEmpresa(tx.QueryRow(ctx, empresaByClave, huella))
		return err
	})
	return e, notFound(err, "find empresa by clave", cuentas.EmpresaMissing)
}

// loginWait finds, for each part of the origin, the failure with which its limit was
// reached: the try may go on once that one has left the window. The columns are older than
// what they hold: huella_ip is of the address and the base, huella_usuario of the operator
// whose code was wrong.
const loginWait = `
WITH limite AS (
	(SELECT ocurrido_en FROM logins_fallidos WHERE huella_ip = $1 AND ocurrido_en > clock_timestamp() - $4::interval
		ORDER BY ocurrido_en DESC OFFSET $3::int - 1 LIMIT 1)
	UNION ALL
	(SELECT ocurrido_en FROM logins_fallidos WHERE huella_usuario = $2 AND ocurrido_en > clock_timestamp() - $4::interval
		ORDER BY ocurrido_en DESC OFFSET $3::int - 1 LIMIT 1)
)
SELECT coalesce(extract(epoch FROM max(ocurrido_en) + $4::interval - clock_timestamp()), 0)::float8 FROM limite`

// LoginWait implements [cuentas.SesionStore].
func (s *Store) LoginWait(ctx context.Context, o cuentas.OrigenLogin, limite cuentas.LimiteLogin) (time.Duration, error) {
	var wait float64
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, loginWait, o.Par, o.Codigo, limite.Intentos, limite.Ventana).Scan(&wait)
	})
	if err != nil {
		return 0, fmt.Errorf("look at failed logins: %w", err)
	}
	return max(seconds(wait), 0), nil
}

// RecordLoginFailure implements [cuentas.SesionStore]. A part that is not given is an
// empty hash, which is nobody's.
func (s *Store) RecordLoginFailure(ctx context.Context, o cuentas.OrigenLogin) error {
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO logins_fallidos (huella_ip, huella_usuario) VALUES (coalesce($1::bytea, ''), coalesce($2::bytea, ''))`, o.Par, o.Codigo)
		return err
	})
	if err != nil {
		return fmt.Errorf("record failed login: %w", err)
	}
	return nil
}

// forgetBatch bounds one transaction of the purge, after a flood.
const forgetBatch = 1000

// ForgetLoginFailures removes what no limit looks at any more, a batch a transaction.
func (s *Store) ForgetLoginFailures(ctx context.Context, ventana time.Duration) error {
	for {
		var forgotten int64
		err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
			tag, err := tx.Exec(ctx, `
				DELETE FROM logins_fallidos WHERE id IN (
					SELECT id FROM logins_fallidos WHERE ocurrido_en < clock_timestamp() - $1::interval
					ORDER BY ocurrido_en LIMIT $2)`, ventana, forgetBatch)
			forgotten = tag.RowsAffected()
			return err
		})
		if err != nil {
			return fmt.Errorf("forget failed logins: %w", err)
		}
		if forgotten < forgetBatch {
			return nil
		}
	}
}
