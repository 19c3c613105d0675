package postgres

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// sweep runs fn in a transaction that sees every institution and reads along indexes.
func (s *Store) sweep(ctx context.Context, fn func(tx pgx.Tx) error) error {
	return s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		err := pg.AlongIndexes(ctx, tx)
		if err != nil {
			return err
		}
		return fn(tx)
	})
}

// reportesPage is how many Reportes are looked at in one transaction.
const reportesPage = 500

// ReporteKey names a Reporte of any institution. The zero key stands before all.
type ReporteKey struct {
	EmpresaID tenant.EmpresaID `json:"empresa_id"`
	Fila      uuid.UUID        `json:"reporte_fila"`
}

// Visto is a Reporte that was come upon.
type Visto struct {
	ReporteKey
	// Vigente tells that it is active or ended lately.
	Vigente bool
}

// PageOfReportes gives the Reportes behind a key, across all institutions, in the order of
// their keys, and whether there are no more. It reads reportes_pkey from that key on, and no
// row twice.
func (s *Store) PageOfReportes(ctx context.Context, from ReporteKey) (page []Visto, last bool, err error) {
	err = s.sweep(ctx, func(tx pgx.Tx) error {
		page, err = pageOfReportes(ctx, tx, from)
		return err
	})
	return page, len(page) < reportesPage, err
}

const selectReportes = `
SELECT empresa_id, id, estado = 'activo' OR desactivado_en > now() - interval '7 days'
FROM reportes WHERE (empresa_id, id) > ($1, $2) ORDER BY empresa_id, id LIMIT $3`

func pageOfReportes(ctx context.Context, tx pgx.Tx, from ReporteKey) ([]Visto, error) {
	rows, err := tx.Query(ctx, selectReportes, string(from.EmpresaID), from.Fila, reportesPage)
	if err != nil {
		return nil, fmt.Errorf("read reportes: %w", err)
	}
	page, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Visto, error) {
		var v Visto
		err := row.Scan(&v.EmpresaID, &v.Fila, &v.Vigente)
		return v, err
	})
	if err != nil {
		return nil, fmt.Errorf("read reportes: %w", err)
	}
	return page, nil
}

// EnqueueReportes tells registros again how every Reporte stands, ended long ago or not,
// and gives their number. It is for a registros that was restored from a backup, which may
// lack Casos and have others open that ended since.
func (s *Store) EnqueueReportes(ctx context.Context) (int, error) {
	enqueued := 0
	var from ReporteKey
	for {
		var page []Visto
		err := s.sweep(ctx, func(tx pgx.Tx) error {
			var err error
			page, err = pageOfReportes(ctx, tx, from)
			if err != nil || len(page) == 0 {
				return err
			}
			syncs := make([]Sync, len(page))
			for n, r := range page {
				syncs[n].ReporteKey = r.ReporteKey
			}
			return s.queue.SyncCasos(ctx, tx, syncs)
		})
		if err != nil {
			return enqueued, fmt.Errorf("enqueue reportes: %w", err)
		}
		enqueued += len(page)
		if len(page) < reportesPage {
			return enqueued, nil
		}
		from = page[len(page)-1].ReporteKey
	}
}
