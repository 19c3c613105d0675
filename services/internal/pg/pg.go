// Package pg is how a service speaks with its PostgreSQL: a checked pool, transactions
// that belong to one Empresa, and migrations.
//
// Tenancy is held by the database: every tenant table has ROW LEVEL SECURITY, FORCE on one server, with a
// policy on the setting `enlace.empresa_id`, which [DB.InEmpresa] sets for its transaction
// alone. Outside such a transaction the setting is empty and the tables look empty. The
// few operations that must see all institutions say so with [DB.AcrossEmpresas]. In a cluster
// FORCE is missing, and who is refused instead is the owner, see [Distribute].
package pg

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// maxTries bounds how often a transaction is run that PostgreSQL broke off because it
// collided with another one.
const maxTries = 5

// Config is how a service reaches its database.
type Config struct {
	// URL connects with the application role; a role that bypasses row-level security is
	// refused.
	URL string `env:"DATABASE_URL,required,notEmpty"`
	// MaxConns bounds the connections of this process, but for one more that readiness asks
	// on. Half of them are for batches, a quarter for events. 0: four per core, at least 8.
	MaxConns int32 `env:"DATABASE_MAX_CONNS" envDefault:"0"`
	// Pooler "transaction" says that a pooler like pgbouncer stands before the database and
	// gives out server connections for one transaction each: nothing that belongs to a
	// session is used then, and new jobs are polled for. Empty: no pooler, or one that gives
	// them out for a session.
	Pooler string `env:"DATABASE_POOLER"`
	// LecturaURL is a streaming replica from which the institutions' lists are read, with
	// the same role. While it is away, or behind what a list has promised, they are read
	// from the database itself. Empty: always.
	LecturaURL string `env:"DATABASE_URL_READ"`

	Transport Transport
}

// poolerTransaction is the one kind of pooler that must be told about.
const poolerTransaction = "transaction"

// Validate implements process.Validator.
func (c *Config) Validate() error {
	problems := []error{c.Transport.Check("DATABASE_URL", c.URL)}
	if c.LecturaURL != "" {
		problems = append(problems, c.Transport.Check("DATABASE_URL_READ", c.LecturaURL))
	}
	if c.Pooler != "" && c.Pooler != poolerTransaction {
		problems = append(problems, errors.New(`DATABASE_POOLER must be empty or "transaction"`))
	}
	return errors.Join(problems...)
}

// DB is a pool of connections that row-level security holds. Safe for concurrent use.
type DB struct {
	pool *pgxpool.Pool
	// pings holds one connection, for Ping alone.
	pings   *pgxpool.Pool
	lectura *Lectura
	pooled  bool
	// clustered tells that the server has Citus.
	clustered *atomic.Bool
}

// Open connects to the database, which must be there, and prepares to read from its
// replica, which need not.
func Open(ctx context.Context, cfg Config) (*DB, error) {
	var clustered atomic.Bool
	pool, err := newPool(ctx, cfg, cfg.URL, &clustered)
	if err != nil {
		return nil, fmt.Errorf("open DATABASE_URL: %w", err)
	}
	single := cfg
	single.MaxConns = 1
	pings, err := newPool(ctx, single, cfg.URL, &clustered)
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("open DATABASE_URL: %w", err)
	}
	db := &DB{pool: pool, pings: pings, pooled: cfg.Pooler == poolerTransaction, clustered: &clustered}
	db.lectura = &Lectura{primary: db}
	// The pools connect when they are first used; a wrong role is refused now.
	err = db.pings.Ping(ctx)
	if err == nil && cfg.LecturaURL != "" {
		db.lectura.replica, err = openReplica(ctx, cfg)
	}
	if err != nil {
		db.Close()
		return nil, fmt.Errorf("open database: %w", err)
	}
	return db, nil
}

// newPool notes with each connection whether the server has Citus.
func newPool(ctx context.Context, cfg Config, url string, clustered *atomic.Bool) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("not a valid PostgreSQL URL")
	}
	config.MaxConns = cfg.MaxConns
	if config.MaxConns == 0 {
		config.MaxConns = max(8, 4*int32(runtime.GOMAXPROCS(0)))
	}
	// Times are compared and printed by the database in UTC only.
	config.ConnConfig.RuntimeParams["timezone"] = "UTC"
	config.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		conn.PgConn().CustomData()[plannedSince] = time.Now()
		hasCitus, err := prepare(ctx, conn)
		if err == nil { // a connection that broke tells nothing of the server
			clustered.Store(hasCitus)
		}
		return err
	}
	config.PrepareConn = renewPlans
	if cfg.Pooler == poolerTransaction {
		// A statement that one transaction prepared may be unknown to the connection of the
		// next. What is remembered here is only the types of its arguments and columns.
		config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	return pgxpool.NewWithConfig(ctx, config)
}

// Close ends all connections.
func (db *DB) Close() {
	db.pool.Close()
	db.pings.Close()
	if db.lectura.replica != nil {
		db.lectura.replica.pool.Close()
	}
}

// Pooled tells whether a connection is ours for one transaction only, so that a session's
// means, as LISTEN, must not be used.
func (db *DB) Pooled() bool {
	return db.pooled
}

// Clustered tells that the server has Citus, where a statement that does much is slower than
// several which each go to one worker.
func (db *DB) Clustered() bool {
	return db.clustered.Load()
}

// Lectura gives the reader of the lists.
func (db *DB) Lectura() *Lectura {
	return db.lectura
}

// Pool gives the bare pool, for River alone.
func (db *DB) Pool() *pgxpool.Pool {
	return db.pool
}

// MaxConns is how many connections this process has for its work.
func (db *DB) MaxConns() int {
	return int(db.pool.Stat().MaxConns())
}

// Ping tells whether the database answers. It has a connection of its own: a process whose
// connections are all at work is busy, not ill, and sending its clients away helps nobody.
func (db *DB) Ping(ctx context.Context) error {
	return classify(db.pings.Ping(ctx))
}

// ReadyFor gives a check that the database answers and has the schema of migrations, or a later
// one: a program that is started beside its migration takes no work before that is through. A
// schema does not go back beneath a program, so it is looked at until it is there.
func (db *DB) ReadyFor(migrations Migrations) (func(ctx context.Context) error, error) {
	needed, err := migrations.newest()
	if err != nil {
		return nil, err
	}
	var there atomic.Bool
	return func(ctx context.Context) error {
		if there.Load() {
			return db.Ping(ctx)
		}
		var version int64
		err := db.pings.QueryRow(ctx, `SELECT max(version_id) FROM goose_db_version WHERE is_applied`).Scan(&version)
		if err != nil {
			return classify(err)
		}
		if version < needed {
			return fmt.Errorf("the schema is at %d and has to be at %d: migrate it", version, needed)
		}
		there.Store(true)
		return nil
	}, nil
}

// InEmpresa runs fn in a transaction that sees the rows of one Empresa only. When
// PostgreSQL breaks the transaction off because of a deadlock or a serialization failure,
// fn runs again in a new one, so fn must have no effect outside tx that it cannot repeat.
func (db *DB) InEmpresa(ctx context.Context, id tenant.EmpresaID, fn func(tx pgx.Tx) error) error {
	return db.inEmpresa(ctx, id, "", fn)
}

// InEmpresaByKeys is [DB.InEmpresa] for statements that look rows up by their keys, in a number that
// comes with the call. How many rows an institution has is not known of one that joined after its
// table was counted, nor of a new or a restored table. So the statements read along indexes only and
// sort nothing, and those that look up in the order of an index leave no choice of another. They are
// planned once for all arguments: what was counted of one institution says nothing of the next, and
// planning them each time costs more than running them. In a cluster the arguments say to which
// worker a statement goes.
func (db *DB) InEmpresaByKeys(ctx context.Context, id tenant.EmpresaID, fn func(tx pgx.Tx) error) error {
	further := "; " + alongIndexes
	if !db.Clustered() {
		further += "; SET LOCAL plan_cache_mode = force_generic_plan"
	}
	return db.inEmpresa(ctx, id, further, fn)
}

func (db *DB) inEmpresa(ctx context.Context, id tenant.EmpresaID, further string, fn func(tx pgx.Tx) error) error {
	if id == "" {
		return errors.New("begin transaction: no Empresa given")
	}
	return db.inTx(ctx, "SET LOCAL enlace.empresa_id = "+quoted(string(id))+further, fn)
}

// SendInEmpresa runs what queue puts into a batch as one transaction of an Empresa, in a single
// round trip: PostgreSQL commits it with its last statement, unless one fails. queue runs again
// where InEmpresa would run fn again. In a cluster the workers hear of the tenant only within a
// transaction that was begun before, which takes more round trips.
func (db *DB) SendInEmpresa(ctx context.Context, id tenant.EmpresaID, queue func(batch *pgx.Batch)) error {
	return db.sendInEmpresa(ctx, id, setEmpresa, db.InEmpresa, queue)
}

// SendInEmpresaByKeys is to [DB.InEmpresaByKeys] what SendInEmpresa is to InEmpresa.
func (db *DB) SendInEmpresaByKeys(ctx context.Context, id tenant.EmpresaID, queue func(batch *pgx.Batch)) error {
	return db.sendInEmpresa(ctx, id, setEmpresaByKeys, db.InEmpresaByKeys, queue)
}

// What InEmpresa and InEmpresaByKeys set with their BEGIN.
const (
	setEmpresa       = `SELECT set_config('enlace.empresa_id', $1, true)`
	setEmpresaByKeys = setEmpresa + `, set_config('plan_cache_mode', 'force_generic_plan', true), set_config('jit', 'off', true),
	set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true)`
)

func (db *DB) sendInEmpresa(ctx context.Context, id tenant.EmpresaID, set string,
	begun func(context.Context, tenant.EmpresaID, func(tx pgx.Tx) error) error, queue func(batch *pgx.Batch),
) error {
	if id == "" {
		return errors.New("send batch: no Empresa given")
	}
	if db.clustered.Load() {
		return begun(ctx, id, func(tx pgx.Tx) error {
			var batch pgx.Batch
			queue(&batch)
			return tx.SendBatch(ctx, &batch).Close()
		})
	}
	return repeated(ctx, func() error {
		var batch pgx.Batch
		batch.Queue(set, string(id))
		queue(&batch)
		return db.pool.SendBatch(ctx, &batch).Close()
	})
}

// ReadRow reads one row of an Empresa in one round trip, for what is asked far more often than it changes.
func (db *DB) ReadRow(ctx context.Context, id tenant.EmpresaID, query string, args []any, dest ...any) error {
	return db.SendInEmpresa(ctx, id, func(batch *pgx.Batch) {
		batch.Queue(query, args...).QueryRow(func(row pgx.Row) error { return row.Scan(dest...) })
	})
}

// AcrossEmpresas runs fn in a transaction that sees every Empresa's rows: for look-ups
// that find out which Empresa it is (a login, a key), for operators and for sweeps.
func (db *DB) AcrossEmpresas(ctx context.Context, fn func(tx pgx.Tx) error) error {
	return db.inTx(ctx, "SET LOCAL enlace.alcance = 'todas'", fn)
}

// inTx begins and sets the tenant scope in one round trip, for both are in every transaction;
// a cluster passes on to the workers all that came with a SET, so there it comes alone. SET
// takes no parameters.
func (db *DB) inTx(ctx context.Context, set string, fn func(tx pgx.Tx) error) error {
	if !db.clustered.Load() {
		begin := pgx.TxOptions{BeginQuery: "BEGIN; " + set}
		return repeated(ctx, func() error { return pgx.BeginTxFunc(ctx, db.pool, begin, fn) })
	}
	return repeated(ctx, func() error {
		return pgx.BeginFunc(ctx, db.pool, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, set)
			if err != nil {
				return err
			}
			return fn(tx)
		})
	})
}

// repeated runs a transaction again while it collides with another one.
func repeated(ctx context.Context, run func() error) error {
	var err error
	for try := range maxTries {
		err = run()
		if !collided(err) {
			break
		}
		wait(ctx, time.Duration(try+1)*10*time.Millisecond)
	}
	return classify(err)
}

// quoted writes a text as a literal with escapes, which is read alike whatever
// standard_conforming_strings says.
func quoted(text string) string {
	return "E'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\x00", "").Replace(text) + "'"
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
