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

const (
	listPanoramas = `
	SELECT ` + empresaColumns + `,
		e.clave_entrada IS NOT NULL, e.pui_clave IS NOT NULL,
		k.llaves > 0, k.usada, k.activas, k.caduca
	FROM empresas e, LATERAL (
		SELECT count(*) AS llaves, count(ultimo_uso_en) > 0 AS usada,
			count(*) FILTER (WHERE activa) AS activas, min(caduca_en) FILTER (WHERE activa) AS caduca
		FROM (SELECT *, revocada_en IS NULL AND (caduca_en IS NULL OR caduca_en > clock_timestamp()) AS activa
			FROM api_keys WHERE empresa_id = e.id) each
	) k
	WHERE $1 = '' OR e.id = $1 ORDER BY e.id`

	// listSolicitados looks, an institution at a time, into what it has few of or only for whether
	// there is one. Who was asked for anything has a row of revisiones.
	listSolicitados = `
	SELECT v.empresa_id,
		EXISTS (SELECT FROM avisos a WHERE a.empresa_id = v.empresa_id AND a.tipo = 'activacion_prueba'),
		EXISTS (SELECT FROM reportes r WHERE r.empresa_id = v.empresa_id),
		(SELECT count(*) FROM reportes r WHERE r.empresa_id = v.empresa_id AND r.estado = 'activo')
	FROM revisiones v WHERE $1 = '' OR v.empresa_id = $1`
)

// ListPanoramas implements [seguimiento.Store].
func (s *Store) ListPanoramas(ctx context.Context, empresa tenant.EmpresaID) ([]seguimiento.Panorama, error) {
	var all []seguimiento.Panorama
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		var batch pgx.Batch
		batch.Queue(listPanoramas, string(empresa)).Query(func(rows pgx.Rows) (err error) {
			all, err = pgx.CollectRows(rows, scanPanorama)
			return err
		})
		batch.Queue(listSolicitados, string(empresa)).Query(func(rows pgx.Rows) error { return addSolicitados(all, rows) })
		return tx.SendBatch(ctx, &batch).Close()
	})
	if err != nil {
		return nil, fmt.Errorf("list panoramas: %w", err)
	}
	return all, nil
}

// addSolicitados adds what the platform asked of institutions.
func addSolicitados(all []seguimiento.Panorama, rows pgx.Rows) error {
	places := make(map[tenant.EmpresaID]int, len(all))
	for n := range all {
		places[all[n].ID] = n
	}
	var id tenant.EmpresaID
	var prueba, reporte bool
	var activos int
	_, err := pgx.ForEachRow(rows, []any{&id, &prueba, &reporte, &activos}, func() error {
		at, found := places[id]
		if found { // an institution may have come in between
			p := &all[at]
			p.Pasos.PrimeraActivacionPrueba, p.Pasos.PrimerReporte, p.ReportesActivos = prueba, reporte, activos
		}
		return nil
	})
	return err
}

func scanPanorama(row pgx.CollectableRow) (seguimiento.Panorama, error) {
	var p seguimiento.Panorama
	var caduca *time.Time
	r := empresaRow{empresa: &p.Empresa}
	err := row.Scan(append(r.targets(),
		&p.Pasos.ClaveEntrada, &p.Pasos.ClaveSalida, &p.Pasos.Llave, &p.Pasos.PrimerUso, &p.LlavesActivas, &caduca)...)
	r.fill()
	p.Pasos.Sitio = !p.Sitio.IsZero()
	p.LlaveCaducaEn = pg.Value(caduca)
	return p, err
}
