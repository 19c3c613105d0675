package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// insertAviso leaves a notice; see queueAvisos.
func insertAviso(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, a reportes.Aviso) error {
	var batch pgx.Batch
	queueAvisos(&batch, empresa, []reportes.Aviso{a})
	err := tx.SendBatch(ctx, &batch).Close()
	if err != nil {
		return fmt.Errorf("insert aviso: %w", err)
	}
	return nil
}

const (
	newAvisos = `
INSERT INTO avisos (empresa_id, id, reporte_id, tipo, curp, recibido_en)
VALUES ($1, unnest($2::uuid[]), unnest($3::text[]), unnest($4::text[]), unnest($5::text[]), unnest($6::timestamptz[]))`

	nextRevision = `
INSERT INTO revisiones AS r (empresa_id, revision, marca) VALUES ($1, 1, gen_random_uuid())
ON CONFLICT (empresa_id) DO UPDATE SET revision = r.revision + 1, marca = excluded.marca`
)

// queueAvisos puts notices into a batch, and marks the list as changed. It is the last step of
// its transaction, because all changes of an Empresa queue up at its row of revisiones. A notice
// is received at the instant of its id, since the list goes by the ids.
func queueAvisos(batch *pgx.Batch, empresa tenant.EmpresaID, avisos []reportes.Aviso) {
	var ids []uuid.UUID
	var reporteIDs, tipos []string
	var curps []*string
	var recibidos []time.Time
	for _, a := range avisos {
		id := pg.NewID()
		ids, recibidos, reporteIDs = append(ids, id), append(recibidos, time.Unix(id.Time().UnixTime())), append(reporteIDs, a.ReporteID)
		tipos, curps = append(tipos, string(a.Tipo)), append(curps, null(a.CURP))
	}
	batch.Queue(newAvisos, string(empresa), ids, reporteIDs, tipos, curps, recibidos)
	batch.Queue(nextRevision, string(empresa))
}

// emptyRevision is the revision of an institution that never had an Aviso.
const emptyRevision = "0"

// ListAvisos implements [reportes.AvisoStore]. The revision is read first and from the
// same copy of the database: a list that changes in between is newer than its revision
// says, and is merely sent once more.
func (s *Store) ListAvisos(ctx context.Context, empresa tenant.EmpresaID, conocida string) (reportes.ListaAvisos, error) {
	var lista reportes.ListaAvisos
	err := s.db.Lectura().InEmpresa(ctx, empresa, nil, func(tx pgx.Tx) error {
		var err error
		lista.Revision, err = readRevision(ctx, tx, empresa)
		if err != nil {
			return err
		}
		lista.SinCambios = lista.Revision == conocida
		if lista.SinCambios {
			return nil
		}
		lista.Avisos, err = readAvisos(ctx, tx, empresa)
		return err
	})
	if err != nil {
		return lista, fmt.Errorf("list avisos: %w", err)
	}
	return lista, nil
}

const revisionOf = `SELECT revision || '-' || marca FROM revisiones WHERE empresa_id = $1`

func readRevision(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID) (string, error) {
	var revision string
	err := tx.QueryRow(ctx, revisionOf, string(empresa)).Scan(&revision)
	if errors.Is(err, pgx.ErrNoRows) {
		return emptyRevision, nil
	}
	return revision, err
}

// newestAvisos reads avisos_pruebas_idx and avisos_reales_idx: however many there are of one
// kind, the newest of the other are found at once.
const newestAvisos = `
(SELECT id, reporte_id, tipo, coalesce(curp, ''), recibido_en FROM avisos
	WHERE empresa_id = $1 AND tipo = 'activacion_prueba' ORDER BY id DESC LIMIT $3)
UNION ALL
(SELECT id, reporte_id, tipo, coalesce(curp, ''), recibido_en FROM avisos
	WHERE empresa_id = $1 AND tipo <> 'activacion_prueba' ORDER BY id DESC LIMIT $2)
ORDER BY id DESC LIMIT $2`

func readAvisos(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID) ([]reportes.Aviso, error) {
	rows, err := tx.Query(ctx, newestAvisos, string(empresa), reportes.MaxAvisos, reportes.MaxAvisosPrueba)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (reportes.Aviso, error) {
		var a reportes.Aviso
		err := row.Scan(&a.ID, &a.ReporteID, &a.Tipo, &a.CURP, &a.RecibidoEn)
		return a, err
	})
}
