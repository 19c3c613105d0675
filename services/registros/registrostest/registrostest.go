// Package registrostest gives Go tests of other packages the real registros service, in
// this process, on a loopback port and with a database of the test's own.
package registrostest

import (
	"context"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/services/integracion/integraciontest"
	"github.com/enlace-iis/enlace/services/internal/assembly"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/pgtest"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/process"
	"github.com/enlace-iis/enlace/services/registros/internal/app"
	"github.com/enlace-iis/enlace/services/registros/internal/postgres"
)

// Migrations is the schema, for replicas that share a database and tests that look at it.
var Migrations = postgres.Migrations

// stopLimit bounds the stop at the end of a test.
const stopLimit = 10 * time.Second

// Options is what a test may want to be different.
type Options struct {
	// IntegracionTarget is the gRPC target of integracion, which knows the keys.
	IntegracionTarget string
	// Database is used instead of one of the test's own, so that several replicas share it.
	Database *pgtest.Database
	// Log takes the service's log. Nil: none.
	Log *slog.Logger
}

// Servicio is a running registros.
type Servicio struct {
	// Target is its gRPC target.
	Target string
	// Database is what it works on.
	Database pgtest.Database
}

// Start runs the service until the test ends.
func Start(tb testing.TB, options Options) *Servicio {
	tb.Helper()
	database := options.Database
	if database == nil {
		made := pgtest.New(tb, Migrations)
		database = &made
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatalf("listen: %v", err)
	}
	log := options.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() {
		defer func() { _ = listener.Close() }() // closed already unless the start failed
		stopped <- app.Serve(ctx, config(options, *database), log, listener)
	}()
	tb.Cleanup(func() {
		cancel()
		err := <-stopped
		if err != nil {
			tb.Errorf("registros: %v", err)
		}
	})
	return &Servicio{Target: listener.Addr().String(), Database: *database}
}

func config(options Options, database pgtest.Database) app.Config {
	return app.Config{
		OpsAddr:           "127.0.0.1:0",
		Database:          pg.Config{URL: database.AppURL},
		IntegracionTarget: options.IntegracionTarget,
		Config: assembly.Config{
			ServiceSecret: auth.Secrets{integraciontest.ServiceSecret},
			StopLimit:     stopLimit,
			Server:        rpc.ServerConfig{Installation: process.Installation{AppEnv: "development"}, StopLimit: stopLimit},
			// A busy machine may be slow to answer for a key; that is no outage, in which grace
			// would let a revoked one in.
			Keys: auth.CacheConfig{Grace: time.Minute, Timeout: time.Minute},
		},
	}
}
