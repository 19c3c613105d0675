package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/integracion"
)

// FindEmpresaByClave implements [integracion.SesionStore].
func (s *Store) FindEmpresaByClave(ctx context.Context, huella []byte) (integracion.Empresa, error) {
	var e integracion.Empresa
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		var err error
		e, err = scanEmpresa(tx.QueryRow(ctx,
			`SELECT `+empresaColumns+` FROM empresas e WHERE e.clave_entrada = $1`, huella))
		return err
	})
	return e, notFound(err, "find empresa by clave", empresaMissing)
}

// loginWait finds, for the address and for the user, the failure with which the limit was
// reached: the try may go on once that one has left the window. A user's failures hold
// only those addresses that had a part in them.
const loginWait = `
WITH recientes AS MATERIALIZED (
	SELECT huella_ip = $1 AS de_ip, huella_usuario = $2 AS de_usuario, ocurrido_en
	FROM logins_fallidos
	WHERE (huella_ip = $1 OR huella_usuario = $2) AND ocurrido_en > clock_timestamp() - $4::interval
),
limite AS (
	(SELECT ocurrido_en FROM recientes WHERE de_ip
		ORDER BY ocurrido_en DESC OFFSET $3::int - 1 LIMIT 1)
	UNION ALL
	(SELECT ocurrido_en FROM recientes WHERE de_usuario
			AND EXISTS (SELECT FROM recientes WHERE de_ip AND de_usuario)
		ORDER BY ocurrido_en DESC OFFSET $3::int - 1 LIMIT 1)
)
SELECT coalesce(extract(epoch FROM max(ocurrido_en) + $4::interval - clock_timestamp()), 0)::float8 FROM limite`

// LoginWait implements [integracion.SesionStore].
func (s *Store) LoginWait(ctx context.Context, o integracion.OrigenLogin, limite integracion.LimiteLogin) (time.Duration, error) {
	var wait float64
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, loginWait, o.IP, o.Usuario, limite.Intentos, limite.Ventana).Scan(&wait)
	})
	if err != nil {
		return 0, fmt.Errorf("look at failed logins: %w", err)
	}
	return max(seconds(wait), 0), nil
}

// RecordLoginFailure implements [integracion.SesionStore].
func (s *Store) RecordLoginFailure(ctx context.Context, o integracion.OrigenLogin) error {
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO logins_fallidos (huella_ip, huella_usuario) VALUES ($1, $2)`, o.IP, o.Usuario)
		return err
	})
	if err != nil {
		return fmt.Errorf("record failed login: %w", err)
	}
	return nil
}

// ForgetLoginFailures removes what no limit looks at any more.
func (s *Store) ForgetLoginFailures(ctx context.Context, ventana time.Duration) error {
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM logins_fallidos WHERE ocurrido_en < clock_timestamp() - $1::interval`, ventana)
		return err
	})
	if err != nil {
		return fmt.Errorf("forget failed logins: %w", err)
	}
	return nil
}
