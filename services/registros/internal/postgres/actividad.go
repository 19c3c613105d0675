package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

const (
	// actividadEvery is how far what operators read of a write may lag behind.
	actividadEvery = 5 * time.Second
	// actividadLimit bounds the last note, at the stop.
	actividadLimit = 5 * time.Second
)

// escrituras remembers which institutions wrote since the last note. A process that is
// killed forgets a few seconds; the next write tells the same.
type escrituras struct {
	mu       sync.Mutex
	empresas map[string]time.Time
}

func (e *escrituras) note(empresa tenant.EmpresaID, g registros.Guardado) {
	if g.Creados+g.Actualizados == 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.empresas == nil {
		e.empresas = map[string]time.Time{}
	}
	e.empresas[string(empresa)] = time.Now()
}

func (e *escrituras) take() map[string]time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	taken := e.empresas
	e.empresas = nil
	return taken
}

// RunActividad notes until ctx ends, and then once more, when each institution last wrote.
func (s *Store) RunActividad(ctx context.Context) {
	ticker := time.NewTicker(actividadEvery)
	defer ticker.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
		err := s.FlushActividad(ctx)
		if err != nil {
			slog.WarnContext(ctx, "last writes could not be noted", "error", err)
		}
	}
}

// FlushActividad notes what was written since the last time. It goes on although ctx ended.
func (s *Store) FlushActividad(ctx context.Context) error {
	taken := s.escrituras.take()
	if len(taken) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), actividadLimit)
	defer cancel()
	// Sorted, so that two replicas lock the rows in one order.
	empresas := slices.Sorted(maps.Keys(taken))
	times := make([]time.Time, len(empresas))
	for i, empresa := range empresas {
		times[i] = taken[empresa]
	}
	return s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			INSERT INTO actividades AS a (empresa_id, ultimo_registro_en) SELECT * FROM unnest($1::text[], $2::timestamptz[])
			ON CONFLICT (empresa_id) DO UPDATE SET ultimo_registro_en = greatest(a.ultimo_registro_en, excluded.ultimo_registro_en)`,
			empresas, times)
		return err
	})
}

// listActividades reads the indexes of what waits, an institution at a time. Without an
// entry in actividades, revisiones or cargas there is nothing to tell of one. What was refused of a
// Caso that is closed needs nobody any more; what was set aside is integracion's to tell.
const listActividades = `
	SELECT e.empresa_id, a.ultimo_registro_en, p.total, p.desde, r.total, f.total, g.terminada_en
	FROM (SELECT empresa_id FROM actividades UNION SELECT empresa_id FROM revisiones UNION SELECT empresa_id FROM cargas) e
	LEFT JOIN actividades a ON a.empresa_id = e.empresa_id
	LEFT JOIN cargas g ON g.empresa_id = e.empresa_id,
	LATERAL (SELECT count(*) AS total, min(detectada_en) AS desde FROM coincidencias
		WHERE empresa_id = e.empresa_id AND estado = 'pendiente' AND apartada_hasta IS NULL) p,
	LATERAL (SELECT count(*) AS total FROM coincidencias m JOIN casos c ON c.empresa_id = m.empresa_id AND c.id = m.caso_id
		WHERE m.empresa_id = e.empresa_id AND m.estado = 'rechazada' AND c.estado <> 'cerrado') r,
	LATERAL (SELECT count(*) AS total FROM casos
		WHERE empresa_id = e.empresa_id AND finalizacion = 'rechazada' AND fin_apartado_hasta IS NULL AND estado <> 'cerrado') f
	WHERE $1 = '' OR e.empresa_id = $1
	ORDER BY e.empresa_id`

// ListActividades tells what operators look for in each institution; an empty id means all.
func (s *Store) ListActividades(ctx context.Context, empresa tenant.EmpresaID) ([]registros.Actividad, error) {
	var all []registros.Actividad
	err := s.db.AcrossEmpresas(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, listActividades, string(empresa))
		if err != nil {
			return err
		}
		all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (registros.Actividad, error) {
			var a registros.Actividad
			var ultimo, desde, terminada *time.Time
			err := row.Scan(&a.EmpresaID, &ultimo, &a.Pendientes, &desde, &a.Rechazadas, &a.FinalesRechazados, &terminada)
			a.UltimoRegistroEn, a.PendienteDesde, a.CargaTerminadaEn = pg.Value(ultimo), pg.Value(desde), pg.Value(terminada)
			return a, err
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list activity: %w", err)
	}
	return all, nil
}
