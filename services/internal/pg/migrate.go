package pg

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// migrationLock keeps two migrations of one database apart ("enlace" in ASCII).
const migrationLock = 0x656e6c616365

// AppRole is the group role that the application's login roles are members of. Its rights
// are what a service may do with its own tables.
const AppRole = "enlace_app"

// riverGrants lets the application role work River's queue, and see which schema this is.
const riverGrants = `
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO enlace_app;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO enlace_app;
REVOKE ALL ON goose_db_version, river_migration FROM enlace_app;
GRANT SELECT ON goose_db_version TO enlace_app;`

// forBatches sets what batches are merged with, unless the role may not say so. No query is
// compiled: ours are short, and what PostgreSQL takes for a long one is a batch, which compiling
// delays. And 5000 wide records are sorted in memory, where the usual 4 MB would send them to disk;
// what the server has that is more stays.
const forBatches = `
DO $$ BEGIN
	IF (SELECT pg_has_role(datdba, 'USAGE') FROM pg_database WHERE datname = current_database()) THEN
		EXECUTE format('ALTER DATABASE %I SET jit = off', current_database());
		IF pg_size_bytes(current_setting('work_mem')) < pg_size_bytes('16MB') THEN
			EXECUTE format('ALTER DATABASE %I SET work_mem = %L', current_database(), '16MB');
		END IF;
	END IF;
END $$`

// forInstitutions has PostgreSQL take each table for that of one institution when it counts it. What is
// planned for any institution would otherwise be planned for the average one, which has a row or two
// where there are many small ones: then every index of the institution seems as good as the key, to
// updates and foreign keys too, which are given no order to read in. Nobody may say so of what a
// cluster has spread.
const forInstitutions = `
DO $$ DECLARE tabla regclass;
BEGIN
	FOR tabla IN
		SELECT attrelid FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
		WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attname = 'empresa_id' AND attoptions IS NULL
			AND NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')
	LOOP
		EXECUTE format('ALTER TABLE %s ALTER COLUMN empresa_id SET (n_distinct = 1)', tabla);
	END LOOP;
END $$`

// leanQueue drops River's indexes for looking jobs up by what they carry, which nobody does:
// every change of a job would have to be entered in them.
const leanQueue = `DROP INDEX IF EXISTS river_job_args_index, river_job_kind, river_job_metadata_index`

// Migrations is the schema of one service.
type Migrations struct {
	// Files holds goose migrations, migrations/NNNNN_name.sql.
	Files fs.FS
	// Limits is SQL run at the end of every migration, after the application role got
	// read and write on all tables: it takes away what the service must not do.
	Limits string
	// Everywhere names the tables without empresa_id that are read together with those that
	// have it: in a cluster, each worker has them whole. See [Distribute].
	Everywhere []string
}

// newest is the number of the last migration.
func (m Migrations) newest() (int64, error) {
	names, err := fs.Glob(m.Files, "migrations/*.sql")
	if err != nil {
		return 0, fmt.Errorf("find migrations: %w", err)
	}
	if len(names) == 0 {
		return 0, errors.New("there are no migrations")
	}
	return goose.NumericComponent(slices.Max(names))
}

// Migrate brings the database at url to the newest schema, River's tables included, with
// the owner's role. Only one runs at a time; the others wait and find nothing to do.
func Migrate(ctx context.Context, url string, migrations Migrations) error {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return errors.New("migrate: not a valid PostgreSQL URL")
	}
	defer pool.Close()
	lock, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("migrate: connect: %w", err)
	}
	// Closed and not given back: the lock lives as long as its connection.
	defer func() { _ = lock.Hijack().Close(context.WithoutCancel(ctx)) }()
	_, err = lock.Exec(ctx, `SELECT pg_advisory_lock($1)`, int64(migrationLock))
	if err != nil {
		return fmt.Errorf("migrate: lock: %w", err)
	}
	err = migrateRiver(ctx, pool)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	err = migrateSchema(ctx, pool, migrations.Files)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	_, err = lock.Exec(ctx, forBatches+";"+forInstitutions)
	if err != nil {
		return fmt.Errorf("migrate: set up database: %w", err)
	}
	err = grantApp(ctx, pool, migrations.Limits)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

func migrateRiver(ctx context.Context, pool *pgxpool.Pool) error {
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	if err != nil {
		return fmt.Errorf("prepare job queue: %w", err)
	}
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	if err == nil {
		_, err = pool.Exec(ctx, leanQueue)
	}
	if err != nil {
		return fmt.Errorf("migrate job queue: %w", err)
	}
	return nil
}

func migrateSchema(ctx context.Context, pool *pgxpool.Pool, files fs.FS) error {
	db := stdlib.OpenDBFromPool(pool)
	defer closeQuietly(db)
	folder, err := fs.Sub(files, "migrations")
	if err != nil {
		return fmt.Errorf("find migrations: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, folder)
	if err != nil {
		return fmt.Errorf("prepare schema: %w", err)
	}
	_, err = provider.Up(ctx)
	if err != nil {
		return fmt.Errorf("migrate schema: %w", err)
	}
	return nil
}

// grantApp gives the application role its rights. Where that role does not exist (a
// database whose owner may not create roles) the owner serves as application role too:
// FORCE ROW LEVEL SECURITY holds it as well, but for a cluster.
func grantApp(ctx context.Context, pool *pgxpool.Pool, limits string) error {
	var exists bool
	err := pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)`, AppRole).Scan(&exists)
	if err != nil {
		return fmt.Errorf("look up role %s: %w", AppRole, err)
	}
	if !exists {
		return nil
	}
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, riverGrants+limits)
		if err != nil {
			return fmt.Errorf("grant to role %s: %w", AppRole, err)
		}
		return nil
	})
}

func closeQuietly(db *sql.DB) {
	// The pool beneath is closed by its owner; this handle has nothing left to lose.
	_ = db.Close()
}
