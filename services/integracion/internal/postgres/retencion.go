package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// purgeBatch bounds one transaction of a purge, so that it holds nobody up for long.
const purgeBatch = 200

// PurgeReportes removes the personal data of a batch of Reportes that were deactivated so
// long ago: the purpose for which it was given has ended (pui.md 3.3). It gives how many, and
// whether there are no more; what is emptied leaves the index reportes_por_depurar_idx.
func (s *Store) PurgeReportes(ctx context.Context, retention time.Duration) (purged int, last bool, err error) {
	err = s.sweep(ctx, func(tx pgx.Tx) error {
		purged, err = purgeReportes(ctx, tx, retention)
		return err
	})
	return purged, purged < purgeBatch, err
}

const (
	dueReportes = `
SELECT empresa_id, id FROM reportes
WHERE estado = 'desactivado' AND depurado_en IS NULL AND desactivado_en < now() - $1::interval
ORDER BY desactivado_en LIMIT $2`

	emptyReportes = `
UPDATE reportes SET curp = $3, persona = '{}', fecha_desaparicion = NULL, fecha_registro = NULL, depurado_en = statement_timestamp()
WHERE empresa_id = $1 AND id = ANY ($2) AND depurado_en IS NULL
RETURNING reporte_id, curp_huella`

	// What the platform said of a message may repeat the message.
	emptyEnvios = `UPDATE envios SET detalle = NULL WHERE empresa_id = $1 AND reporte_fila = ANY ($2)`
)

func purgeReportes(ctx context.Context, tx pgx.Tx, retention time.Duration) (purged int, err error) {
	due, err := pg.QueryDue[uuid.UUID](ctx, tx, dueReportes, retention, purgeBatch)
	if err != nil {
		return 0, fmt.Errorf("find reportes to empty: %w", err)
	}
	for _, empresa := range due.Empresas {
		emptied, err := emptyReportesOf(ctx, tx, empresa, due.IDs[empresa])
		if err != nil {
			return 0, fmt.Errorf("empty reportes: %w", err)
		}
		purged += emptied
	}
	return purged, nil
}

func emptyReportesOf(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, filas []uuid.UUID) (int, error) {
	var asientos []bitacora.Asiento
	var batch pgx.Batch
	batch.Queue(emptyReportes, string(empresa), filas, manual.CURPDepurada).Query(func(rows pgx.Rows) error {
		a := bitacora.Asiento{EmpresaID: empresa, Tipo: bitacora.AsientoCambio, Accion: bitacora.AccionDepurar}
		a.Sign(bitacora.ActuacionFrom(ctx))
		_, err := pgx.ForEachRow(rows, []any{&a.ReporteID, &a.HuellaCURP}, func() error {
			asientos = append(asientos, a)
			return nil
		})
		return err
	})
	batch.Queue(emptyEnvios, string(empresa), filas)
	err := tx.SendBatch(ctx, &batch).Close()
	if err != nil {
		return 0, err
	}
	return len(asientos), insertAsientos(ctx, tx, empresa, asientos)
}

// ForgetDetalles implements [seguimiento.Store]. It reads reportes_curp_huella_idx,
// envios_reporte_idx and envios_clave_key.
func (s *Store) ForgetDetalles(ctx context.Context, empresa tenant.EmpresaID, huella []byte, coincidencias []string) error {
	return s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		return forgetDetalles(ctx, tx, empresa, huella, coincidencias)
	})
}

func forgetDetalles(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, huella []byte, coincidencias []string) error {
	_, err := tx.Exec(ctx, `
		UPDATE envios SET detalle = NULL
		WHERE empresa_id = $1 AND detalle IS NOT NULL AND (tipo = 'coincidencia' AND clave = ANY ($3) OR reporte_fila = ANY (ARRAY (
			SELECT id FROM reportes WHERE empresa_id = $1 AND curp_huella = $2)))`, string(empresa), huella, coincidencias)
	if err != nil {
		return fmt.Errorf("forget what was said of a person: %w", err)
	}
	return nil
}

// AvisoKey names an Aviso of any institution, in the order of their times. The zero key
// stands before all.
type AvisoKey struct {
	RecibidoEn time.Time        `json:"recibido_en"`
	EmpresaID  tenant.EmpresaID `json:"empresa_id"`
	ID         uuid.UUID        `json:"id"`
}

// avisoVisto is an Aviso that is old enough to be emptied.
type avisoVisto struct {
	AvisoKey
	// Due tells that no Reporte of its id is active or was until lately.
	Due bool
}

// PurgeAvisos removes the personal data of a batch of Avisos behind a key that came so long
// ago and tell of searches that ended, or of tests. It gives how many, and the key that it
// came to; last tells that there are no more. An old Aviso of a long search stays where it
// is in the index avisos_por_depurar_idx, and each run passes over it once.
func (s *Store) PurgeAvisos(ctx context.Context, from AvisoKey, retention time.Duration) (purged int, next AvisoKey, last bool, err error) {
	var page []avisoVisto
	err = s.sweep(ctx, func(tx pgx.Tx) error {
		page, err = pageOfAvisos(ctx, tx, from, retention)
		if err != nil {
			return err
		}
		purged, err = emptyAvisos(ctx, tx, page)
		return err
	})
	if err != nil || len(page) < purgeBatch {
		return purged, from, true, err
	}
	return purged, page[len(page)-1].AvisoKey, false, nil
}

// selectAvisos names the CURP that stands for none, as avisos_por_depurar_idx does.
const selectAvisos = `
SELECT recibido_en, empresa_id, id, NOT EXISTS (
	SELECT FROM reportes r
	WHERE r.empresa_id = v.empresa_id AND r.reporte_id = v.reporte_id
		AND (r.estado = 'activo' OR r.desactivado_en >= now() - $1::interval))
FROM avisos v
WHERE curp <> 'XXXXXXXXXXXXXXXXXX' AND recibido_en < now() - $1::interval
	AND recibido_en >= $2 AND (recibido_en, empresa_id, id) > ($2, $3, $4)
ORDER BY recibido_en, empresa_id, id LIMIT $5`

func pageOfAvisos(ctx context.Context, tx pgx.Tx, from AvisoKey, retention time.Duration) ([]avisoVisto, error) {
	rows, err := tx.Query(ctx, selectAvisos, retention, from.RecibidoEn, string(from.EmpresaID), from.ID, purgeBatch)
	if err != nil {
		return nil, fmt.Errorf("read avisos: %w", err)
	}
	page, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (avisoVisto, error) {
		var v avisoVisto
		err := row.Scan(&v.RecibidoEn, &v.EmpresaID, &v.ID, &v.Due)
		return v, err
	})
	if err != nil {
		return nil, fmt.Errorf("read avisos: %w", err)
	}
	return page, nil
}

const emptyAvisosOf = `UPDATE avisos SET curp = $3 WHERE empresa_id = $1 AND id = ANY ($2)`

func emptyAvisos(ctx context.Context, tx pgx.Tx, page []avisoVisto) (int, error) {
	var old pg.Due[uuid.UUID]
	for _, v := range page {
		if v.Due {
			old.Add(v.EmpresaID, v.ID)
		}
	}
	var batch pgx.Batch
	for _, empresa := range old.Empresas {
		batch.Queue(emptyAvisosOf, string(empresa), old.IDs[empresa], manual.CURPDepurada)
		batch.Queue(nextRevision, string(empresa))
	}
	err := tx.SendBatch(ctx, &batch).Close()
	if err != nil {
		return 0, fmt.Errorf("empty avisos: %w", err)
	}
	return old.Total, nil
}

const (
	dueEventos = `SELECT empresa_id, id FROM eventos WHERE recibido_en < now() - $1::interval ORDER BY recibido_en LIMIT $2`

	deleteEventos = `DELETE FROM eventos WHERE empresa_id = $1 AND id = ANY ($2)`
)

// PurgeEventos forgets a batch of ids of events that were accepted so long ago, by the index
// eventos_recibido_idx. It gives how many, and whether there are no more.
func (s *Store) PurgeEventos(ctx context.Context, retention time.Duration) (purged int, last bool, err error) {
	err = s.sweep(ctx, func(tx pgx.Tx) error {
		old, err := pg.QueryDue[string](ctx, tx, dueEventos, retention, purgeBatch)
		if err != nil {
			return err
		}
		purged = old.Total
		_, err = pg.ChangeDue(ctx, tx, old, deleteEventos)
		return err
	})
	if err != nil {
		return 0, false, fmt.Errorf("forget eventos: %w", err)
	}
	return purged, purged < purgeBatch, nil
}
