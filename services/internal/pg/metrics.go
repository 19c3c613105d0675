package pg

import (
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Measure tells how this process uses its connections to the database and, if it has one,
// to the replica of it.
func (db *DB) Measure(registerer prometheus.Registerer) {
	measurePool(registerer, "primary", db.pool)
	if db.lectura.replica != nil {
		measurePool(registerer, "replica", db.lectura.replica.pool)
	}
}

func measurePool(registerer prometheus.Registerer, database string, pool *pgxpool.Pool) {
	made := promauto.With(prometheus.WrapRegistererWith(prometheus.Labels{"database": database}, registerer))
	gauge := func(name, help string, read func(*pgxpool.Stat) int32) {
		made.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return float64(read(pool.Stat())) })
	}
	gauge("enlace_db_connections_acquired", "Database connections in use.", (*pgxpool.Stat).AcquiredConns)
	gauge("enlace_db_connections_idle", "Database connections that are open and not in use.", (*pgxpool.Stat).IdleConns)
	gauge("enlace_db_connections_max", "The most database connections that this process opens.", (*pgxpool.Stat).MaxConns)
	made.NewCounterFunc(prometheus.CounterOpts{
		Name: "enlace_db_connection_waits_total", Help: "Times that work waited for a database connection.",
	}, func() float64 { return float64(pool.Stat().EmptyAcquireCount()) })
	made.NewCounterFunc(prometheus.CounterOpts{
		Name: "enlace_db_connection_wait_seconds_total", Help: "Time that work waited for a database connection.",
	}, func() float64 { return pool.Stat().EmptyAcquireWaitTime().Seconds() })
}
