package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/seguimiento"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// listPanoramas looks, an institution at a time, into what it has few of or only for whether
// there is one.
const listPanoramas = `
	SELECT ` + empresaColumns + `,
		e.clave_entrada IS NOT NULL, e.pui_clave IS NOT NULL,
		k.llaves > 0, k.usada, k.activas, k.caduca,
		EXISTS (SELECT FROM avisos WHERE empresa_id = e.id AND tipo = 'activacion_prueba'),
		EXISTS (SELECT FROM reportes WHERE empresa_id = e.id),
		(SELECT count(*) FROM reportes WHERE empresa_id = e.id AND estado = 'activo')
	FROM empresas e, LATERAL (
		SELECT count(*) AS llaves, count(ultimo_uso_en) > 0 AS usada,
			count(*) FILTER (WHERE activa) AS activas, min(caduca_en) FILTER (WHERE activa) AS caduca
		FROM (SELECT *, revocada_en IS NULL AND (caduca_en IS NULL OR caduca_en > clock_timestamp()) AS activa
			FROM api_keys WHERE empresa_id = e.id) each
	) k
	WHERE $1 = '' OR e.id = $1 ORDER BY e.id`

// ListPanoramas implements [seguimiento.Store].
func (s *Store) ListPanoramas(ctx context.Context, empresa tenant.EmpresaID) ([]seguimiento.Panorama, error) {
	var all []seguimiento.Panorama
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, listPanoramas, string(empresa))
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, scanPanorama)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list panoramas: %w", err)
	}
	return all, nil
}

func scanPanorama(row pgx.CollectableRow) (seguimiento.Panorama, error) {
	var p seguimiento.Panorama
	var caduca *time.Time
	r := empresaRow{empresa: &p.Empresa}
	err := row.Scan(append(r.targets(),
		&p.Pasos.ClaveEntrada, &p.Pasos.ClaveSalida, &p.Pasos.Llave, &p.Pasos.PrimerUso, &p.LlavesActivas, &caduca,
		&p.Pasos.PrimeraActivacionPrueba, &p.Pasos.PrimerReporte, &p.ReportesActivos)...)
	r.fill()
	p.LlaveCaducaEn = pg.Value(caduca)
	return p, err
}
