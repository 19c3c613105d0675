package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// purgeBatch bounds one transaction of a purge, so that it holds nobody up for long.
const purgeBatch = 200

// depurado is a Reporte that was just emptied.
type depurado struct {
	EmpresaID tenant.EmpresaID
	Fila      uuid.UUID
	ReporteID string
	Huella    []byte
}

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

const updateDue = `
UPDATE reportes r SET curp = $3, persona = '{}', fecha_desaparicion = NULL, depurado_en = clock_timestamp()
FROM (
	SELECT empresa_id, id FROM reportes
	WHERE estado = 'desactivado' AND depurado_en IS NULL AND desactivado_en < now() - $1::interval
	ORDER BY desactivado_en LIMIT $2 FOR UPDATE SKIP LOCKED
) due
WHERE r.empresa_id = due.empresa_id AND r.id = due.id
RETURNING r.empresa_id, r.id, r.reporte_id, r.curp_huella`

func purgeReportes(ctx context.Context, tx pgx.Tx, retention time.Duration) (int, error) {
	rows, err := tx.Query(ctx, updateDue, retention, purgeBatch, manual.CURPDepurada)
	if err != nil {
		return 0, fmt.Errorf("empty reportes: %w", err)
	}
	purged, err := pgx.CollectRows(rows, pgx.RowToStructByPos[depurado])
	if err != nil {
		return 0, fmt.Errorf("empty reportes: %w", err)
	}
	for _, each := range purged {
		// What the platform said of a message may repeat the message.
		_, err = tx.Exec(ctx, `UPDATE envios SET detalle = NULL WHERE empresa_id = $1 AND reporte_fila = $2`,
			string(each.EmpresaID), each.Fila)
		if err != nil {
			return 0, fmt.Errorf("empty envios: %w", err)
		}
		err = insertAsiento(ctx, tx, bitacora.Asiento{
			EmpresaID: each.EmpresaID, Tipo: bitacora.AsientoCambio, Accion: bitacora.AccionDepurar,
			ReporteID: each.ReporteID, HuellaCURP: each.Huella,
		})
		if err != nil {
			return 0, err
		}
	}
	return len(purged), nil
}

// ForgetDetalles implements [seguimiento.Store]. It reads reportes_curp_huella_idx,
// envios_reporte_idx and envios_clave_key.
func (s *Store) ForgetDetalles(ctx context.Context, empresa tenant.EmpresaID, huella []byte, coincidencias []string) error {
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			UPDATE envios SET detalle = NULL
			WHERE empresa_id = $1 AND detalle IS NOT NULL AND (tipo = 'coincidencia' AND clave = ANY ($3) OR reporte_fila = ANY (ARRAY (
				SELECT id FROM reportes WHERE empresa_id = $1 AND curp_huella = $2)))`, string(empresa), huella, coincidencias)
		return err
	})
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

func emptyAvisos(ctx context.Context, tx pgx.Tx, page []avisoVisto) (int, error) {
	var empresas []string
	var ids []uuid.UUID
	for _, v := range page {
		if v.Due {
			empresas, ids = append(empresas, string(v.EmpresaID)), append(ids, v.ID)
		}
	}
	_, err := tx.Exec(ctx, `
		UPDATE avisos a SET curp = $3 FROM unnest($1::text[], $2::uuid[]) due (empresa_id, id)
		WHERE a.empresa_id = due.empresa_id AND a.id = due.id`, empresas, ids, manual.CURPDepurada)
	if err != nil {
		return 0, fmt.Errorf("empty avisos: %w", err)
	}
	// In order, as all lock their revisions.
	_, err = tx.Exec(ctx, `
		UPDATE revisiones r SET revision = revision + 1, marca = gen_random_uuid()
		FROM (SELECT empresa_id FROM revisiones WHERE empresa_id = ANY ($1) ORDER BY empresa_id FOR UPDATE) touched
		WHERE r.empresa_id = touched.empresa_id`, empresas)
	if err != nil {
		return 0, fmt.Errorf("bump revisions: %w", err)
	}
	return len(ids), nil
}

const deleteEventos = `
DELETE FROM eventos WHERE (empresa_id, id) IN (
	SELECT empresa_id, id FROM eventos WHERE recibido_en < now() - $1::interval ORDER BY recibido_en LIMIT $2)`

// PurgeEventos forgets a batch of ids of events that were accepted so long ago, by the index
// eventos_recibido_idx. It gives how many, and whether there are no more.
func (s *Store) PurgeEventos(ctx context.Context, retention time.Duration) (purged int, last bool, err error) {
	err = s.sweep(ctx, func(tx pgx.Tx) error {
		deleted, err := tx.Exec(ctx, deleteEventos, retention, purgeBatch)
		purged = int(deleted.RowsAffected())
		return err
	})
	if err != nil {
		return 0, false, fmt.Errorf("forget eventos: %w", err)
	}
	return purged, purged < purgeBatch, nil
}
