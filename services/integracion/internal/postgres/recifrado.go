package postgres

import (
	"cmp"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
)

// sellados are all sealed secrets.
const sellados = `(
	SELECT 'clave_salida' AS clase, id AS empresa_id, '' AS recurso, pui_clave_llave AS llave, pui_clave AS datos
	FROM empresas WHERE pui_clave IS NOT NULL
	UNION ALL
	SELECT 'secreto_webhook', empresa_id, key_id, secreto_webhook_llave, secreto_webhook FROM api_keys WHERE secreto_webhook IS NOT NULL
	UNION ALL
	SELECT 'totp', '', usuario, totp_llave, totp_secreto FROM usuarios WHERE totp_secreto IS NOT NULL
	UNION ALL
	SELECT 'totp_nuevo', '', usuario, totp_nuevo_llave, totp_nuevo FROM usuarios WHERE totp_nuevo IS NOT NULL
) sellados`

// replaceSellado changes a seal that is still the one that was read ($3).
var replaceSellado = map[cuentas.ClaseSellado]string{
	cuentas.SelladoSalida: `UPDATE empresas SET pui_clave_llave = $4, pui_clave = $5
		WHERE id = $1 AND $2 = '' AND pui_clave = $3`,
	cuentas.SelladoWebhook: `UPDATE api_keys SET secreto_webhook_llave = $4, secreto_webhook = $5
		WHERE empresa_id = $1 AND key_id = $2 AND secreto_webhook = $3`,
	cuentas.SelladoTOTP: `UPDATE usuarios SET totp_llave = $4, totp_secreto = $5
		WHERE $1 = '' AND usuario = $2 AND totp_secreto = $3`,
	cuentas.SelladoTOTPNuevo: `UPDATE usuarios SET totp_nuevo_llave = $4, totp_nuevo = $5
		WHERE $1 = '' AND usuario = $2 AND totp_nuevo = $3`,
}

// ListSellados implements [cuentas.RecifradoStore].
func (s *Store) ListSellados(ctx context.Context, llaves []string, most int) ([]cuentas.SelladoGuardado, error) {
	var all []cuentas.SelladoGuardado
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT clase, empresa_id, recurso, llave, datos FROM `+sellados+` WHERE llave = ANY ($1) LIMIT $2`, llaves, most)
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (cuentas.SelladoGuardado, error) {
			var g cuentas.SelladoGuardado
			err := row.Scan(&g.Clase, &g.EmpresaID, &g.Recurso, &g.Sellado.Llave, &g.Sellado.Datos)
			return g, err
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list sealed secrets: %w", err)
	}
	return all, nil
}

// CountSellados implements [cuentas.RecifradoStore].
func (s *Store) CountSellados(ctx context.Context) (map[string]int, error) {
	counts := map[string]int{}
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `SELECT llave, count(*) FROM `+sellados+` GROUP BY llave`)
		if err != nil {
			return err
		}
		var llave string
		var total int
		_, err = pgx.ForEachRow(rows, []any{&llave, &total}, func() error {
			counts[llave] = total
			return nil
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("count sealed secrets: %w", err)
	}
	return counts, nil
}

// ReplaceSellado implements [cuentas.RecifradoStore].
func (s *Store) ReplaceSellado(ctx context.Context, old cuentas.SelladoGuardado, sellado cuentas.Sellado) error {
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		done, err := tx.Exec(ctx, replaceSellado[old.Clase],
			string(old.EmpresaID), old.Recurso, old.Sellado.Datos, sellado.Llave, sellado.Datos)
		if err != nil || done.RowsAffected() == 0 {
			return err
		}
		// An operator's secret is no institution's.
		return insertCambio(ctx, tx, cmp.Or(old.EmpresaID, bitacora.SinEmpresa), string(old.Clase)+"_recifrado", old.Recurso)
	})
	if err != nil {
		return fmt.Errorf("replace sealed secret: %w", err)
	}
	return nil
}
