package jobs

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/enlace-iis/enlace/services/internal/jobs"
	"github.com/enlace-iis/enlace/services/registros/internal/postgres"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// purger removes what is kept no longer.
type purger struct {
	store     *postgres.Store
	retencion registros.Retencion
	purged    *prometheus.CounterVec
}

// addPurges registers the jobs of a retention; what is kept for ever has none.
func addPurges(workers *jobs.Workers, p purger) {
	if p.retencion.Casos > 0 {
		jobs.AddSweep(workers, "purge_casos", jobs.PurgeEvery, p.purgeCasos)
	}
	if p.retencion.Registros > 0 {
		jobs.AddSweep(workers, "purge_registros", jobs.PurgeEvery, p.purgeRegistros)
		jobs.AddSweep(workers, "purge_lotes", jobs.PurgeEvery, p.purgeLotes)
	}
}

// purgeCasos empties what was closed long ago.
func (p purger) purgeCasos(ctx context.Context, from struct{}) (next struct{}, last bool, err error) {
	purged, last, err := p.store.PurgeCasos(ctx, p.retencion.Casos)
	p.purged.WithLabelValues(nounCaso).Add(float64(purged))
	return from, last, err
}

// purgeRegistros deletes the Registros that no search looks at any more.
func (p purger) purgeRegistros(ctx context.Context, from int64) (next int64, last bool, err error) {
	next, purged, last, err := p.store.PurgeRegistros(ctx, p.retencion.RegistrosDesde(time.Now()), from)
	p.purged.WithLabelValues(nounRegistro).Add(float64(purged))
	return next, last, err
}

// purgeLotes forgets the batches that are older than any Registro that is kept.
func (p purger) purgeLotes(ctx context.Context, from struct{}) (next struct{}, last bool, err error) {
	purged, last, err := p.store.PurgeLotes(ctx, time.Now().Add(-p.retencion.Registros))
	p.purged.WithLabelValues(nounLote).Add(float64(purged))
	return from, last, err
}
