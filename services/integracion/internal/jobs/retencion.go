package jobs

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/enlace-iis/enlace/services/integracion/internal/postgres"
	"github.com/enlace-iis/enlace/services/internal/jobs"
)

// eventoRetencion is how long the id of an accepted event is remembered: sent again within it,
// the event is a duplicate. A signature counts for ten minutes only.
const eventoRetencion = 30 * 24 * time.Hour

// purger removes what is kept no longer.
type purger struct {
	store *postgres.Store
	// retencion is how long after its end a Reporte's personal data is kept. 0: for ever.
	retencion time.Duration
	purged    *prometheus.CounterVec
}

// addPurges registers the jobs of a retention; what is kept for ever has none.
func addPurges(workers *jobs.Workers, p purger) {
	jobs.AddSweep(workers, "purge_eventos", jobs.PurgeEvery, p.purgeEventos)
	if p.retencion > 0 {
		jobs.AddSweep(workers, "purge_reportes", jobs.PurgeEvery, p.purgeReportes)
		jobs.AddSweep(workers, "purge_avisos", jobs.PurgeEvery, p.purgeAvisos)
	}
}

// purgeReportes empties what was deactivated long ago.
func (p purger) purgeReportes(ctx context.Context, from struct{}) (next struct{}, last bool, err error) {
	purged, last, err := p.store.PurgeReportes(ctx, p.retencion)
	p.purged.WithLabelValues(nounReporte).Add(float64(purged))
	return from, last, err
}

// purgeAvisos empties the notices of it.
func (p purger) purgeAvisos(ctx context.Context, from postgres.AvisoKey) (next postgres.AvisoKey, last bool, err error) {
	purged, next, last, err := p.store.PurgeAvisos(ctx, from, p.retencion)
	p.purged.WithLabelValues(nounAviso).Add(float64(purged))
	return next, last, err
}

// purgeEventos forgets the ids of old events.
func (p purger) purgeEventos(ctx context.Context, from struct{}) (next struct{}, last bool, err error) {
	purged, last, err := p.store.PurgeEventos(ctx, eventoRetencion)
	p.purged.WithLabelValues(nounEvento).Add(float64(purged))
	return from, last, err
}

const (
	nounReporte = "reporte"
	nounAviso   = "aviso"
	nounEvento  = "evento"
)
