// Package pg is how a service speaks with its PostgreSQL: a checked pool, transactions
// that belong to one Empresa, and migrations.
//
// Tenancy is held by the database: every tenant table has FORCE ROW LEVEL SECURITY with a
// policy on the setting `enlace.empresa_id`, which [DB.InEmpresa] sets for its transaction
// alone. Outside such a transaction the setting is empty and the tables look empty. The
// few operations that must see all institutions say so with [DB.AcrossEmpresas].
package pg

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// maxTries bounds how often a transaction is run that PostgreSQL broke off because it
// collided with another one.
const maxTries = 5

// DB is a pool of connections that row-level security holds. Safe for concurrent use.
type DB struct {
	pool *pgxpool.Pool
}

// Open connects with the application role and refuses a role that row-level security
// does not hold. maxConns 0 means four per core, at least eight.
func Open(ctx context.Context, url string, maxConns int32) (*DB, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("parse database url: not a valid PostgreSQL URL")
	}
	if maxConns == 0 {
		maxConns = max(8, 4*int32(runtime.NumCPU()))
	}
	config.MaxConns = maxConns
	// Times are compared and printed by the database in UTC only.
	config.ConnConfig.RuntimeParams["timezone"] = "UTC"
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	db := &DB{pool: pool}
	err = db.checkRole(ctx)
	if err != nil {
		pool.Close()
		return nil, err
	}
	return db, nil
}

// Close ends all connections.
func (db *DB) Close() {
	db.pool.Close()
}

// Pool gives the bare pool, for River alone.
func (db *DB) Pool() *pgxpool.Pool {
	return db.pool
}

// Ping tells whether the database answers.
func (db *DB) Ping(ctx context.Context) error {
	return classify(db.pool.Ping(ctx))
}

// checkRole fails when the role could read past row-level security.
func (db *DB) checkRole(ctx context.Context) error {
	var bypasses bool
	err := db.pool.QueryRow(ctx,
		`SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user`).Scan(&bypasses)
	if err != nil {
		return fmt.Errorf("check database role: %w", err)
	}
	if bypasses {
		return errors.New("check database role: the role bypasses row-level security; use the application role")
	}
	return nil
}

// InEmpresa runs fn in a transaction that sees the rows of one Empresa only. When
// PostgreSQL breaks the transaction off because of a deadlock or a serialization failure,
// fn runs again in a new one, so fn must have no effect outside tx that it cannot repeat.
func (db *DB) InEmpresa(ctx context.Context, id tenant.EmpresaID, fn func(tx pgx.Tx) error) error {
	if id == "" {
		return errors.New("begin transaction: no Empresa given")
	}
	return db.inTx(ctx, `SELECT set_config('enlace.empresa_id', $1, true)`, string(id), fn)
}

// ReadRow reads one row of an Empresa in a single round trip, for what is asked far more
// often than it changes. PostgreSQL runs the two statements of the batch as one transaction.
func (db *DB) ReadRow(ctx context.Context, id tenant.EmpresaID, query string, args []any, dest ...any) error {
	if id == "" {
		return errors.New("read row: no Empresa given")
	}
	var batch pgx.Batch
	batch.Queue(`SELECT set_config('enlace.empresa_id', $1, true)`, string(id))
	batch.Queue(query, args...).QueryRow(func(row pgx.Row) error { return row.Scan(dest...) })
	return classify(db.pool.SendBatch(ctx, &batch).Close())
}

// AcrossEmpresas runs fn in a transaction that sees every Empresa's rows: for look-ups
// that find out which Empresa it is (a login, a key), for operators and for sweeps.
func (db *DB) AcrossEmpresas(ctx context.Context, fn func(tx pgx.Tx) error) error {
	return db.inTx(ctx, `SELECT set_config('enlace.alcance', $1, true)`, "todas", fn)
}

func (db *DB) inTx(ctx context.Context, scopeSQL, scope string, fn func(tx pgx.Tx) error) error {
	var err error
	for try := range maxTries {
		err = pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, scopeSQL, scope)
			if err != nil {
				return fmt.Errorf("set tenant scope: %w", err)
			}
			return fn(tx)
		})
		if !collided(err) {
			break
		}
		wait(ctx, time.Duration(try+1)*10*time.Millisecond)
	}
	return classify(err)
}

// wait pauses for d or until ctx ends.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// collided tells a transaction that PostgreSQL gave up in favour of another one.
func collided(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (pgErr.Code == "40001" || pgErr.Code == "40P01")
}

// classify turns "the database cannot be reached" into NoDisponible; other errors stay.
func classify(err error) error {
	if err == nil || !unreachable(err) {
		return err
	}
	return errs.Wrap(err, errs.NoDisponible, "El servicio no está disponible por el momento.").After(time.Second)
}

func unreachable(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	if connecting || pgconn.SafeToRetry(err) || errors.Is(err, errClosed) {
		return true
	}
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return isNetwork(err)
	}
	switch pgErr.Code {
	case "57P01", "57P02", "57P03", // shutting down, crashed, starting
		"53300", // too many connections
		"25006": // read-only: a fail-over is under way
		return true
	}
	return false
}

// ConstraintOf gives the name of the constraint that err violates, or "".
func ConstraintOf(err error) string {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return ""
	}
	return pgErr.ConstraintName
}
