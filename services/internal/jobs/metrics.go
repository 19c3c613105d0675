package jobs

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river/rivertype"

	"github.com/enlace-iis/enlace/services/internal/metrics"
	"github.com/enlace-iis/enlace/services/internal/pg"
)

var (
	jobsDesc = prometheus.NewDesc("enlace_jobs",
		"Jobs that are not done, by kind and state. Every replica reports the same: use max().", []string{"kind", "state"}, nil)
	oldestDesc = prometheus.NewDesc("enlace_job_oldest_available_seconds",
		"How long the oldest job has waited that could run, by kind; 0 if there is none. Every replica reports the same: use max().",
		[]string{"kind"}, nil)
)

// NewPurged counts what a retention removed.
func NewPurged(registerer prometheus.Registerer, nouns ...string) *prometheus.CounterVec {
	return metrics.NewCounter(registerer, "enlace_purged_total",
		"Rows that were removed, or their personal data was, because their time was over, by noun.",
		metrics.Label{Name: "noun", Values: nouns})
}

// kindState is what depth counts.
type kindState struct {
	kind, state string
}

// depth is how many jobs there are, and how long the oldest has waited that could run.
type depth struct {
	jobs   int64
	waited float64 // seconds
}

// sampleOf reads how much work there is, of the kinds given and of any other that is found.
func sampleOf(db *pg.DB, kinds []string) metrics.Sample {
	return metrics.Sample{
		Name:   "jobs",
		Gauges: []*prometheus.Desc{jobsDesc, oldestDesc},
		Read: func(ctx context.Context) ([]prometheus.Metric, error) {
			found, err := readDepths(ctx, db)
			if err != nil {
				return nil, err
			}
			for _, kind := range kinds {
				for _, state := range unfinished {
					key := kindState{kind, string(state)}
					if _, known := found[key]; !known {
						found[key] = depth{}
					}
				}
			}
			return gaugesOf(found), nil
		},
	}
}

// readDepths reads what is unfinished through river_job_prioritized_fetching_index; what is
// done, which is most, is not looked at. The states are literals, because the planner cannot
// tell how few there are of those that come as a parameter.
func readDepths(ctx context.Context, db *pg.DB) (map[kindState]depth, error) {
	rows, err := db.Pool().Query(ctx, `
		SELECT kind, state::text, count(*), extract(epoch FROM greatest(now() - min(scheduled_at), interval '0'))::float8
		FROM river_job WHERE state IN ('available', 'pending', 'retryable', 'running', 'scheduled')
		GROUP BY kind, state`)
	if err != nil {
		return nil, fmt.Errorf("count jobs: %w", err)
	}
	found := map[kindState]depth{}
	var key kindState
	var d depth
	_, err = pgx.ForEachRow(rows, []any{&key.kind, &key.state, &d.jobs, &d.waited}, func() error {
		found[key] = d
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("count jobs: %w", err)
	}
	return found, nil
}

func gaugesOf(found map[kindState]depth) []prometheus.Metric {
	gauges := make([]prometheus.Metric, 0, len(found))
	for key, d := range found {
		gauges = append(gauges, prometheus.MustNewConstMetric(jobsDesc, prometheus.GaugeValue, float64(d.jobs), key.kind, key.state))
		if key.state == string(rivertype.JobStateAvailable) {
			gauges = append(gauges, prometheus.MustNewConstMetric(oldestDesc, prometheus.GaugeValue, d.waited, key.kind))
		}
	}
	return gauges
}
