package pg

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// shardKey is the column by which tables are spread: what belongs to one institution lies on
// one worker, and a statement for it goes there alone.
const shardKey = "empresa_id"

// Errors that tell an operator what the database lacks; docs/operations.md says what to do.
var (
	errWithoutCitus   = errors.New("la base de datos no tiene la extensión citus: instálela en todos los servidores y haga CREATE EXTENSION citus")
	errWithoutNodes   = errors.New("la base de datos no tiene servidores entre los cuales repartir: dígaselos con citus_add_node")
	errWithoutApp     = errors.New("falta el rol enlace_app: en un cluster el dueño de las tablas ve todas, así que los programas no deben conectarse con él")
	errWorkerRole     = errors.New("un rol de los programas ve en un trabajador los datos de todas las instituciones (superusuario, BYPASSRLS o miembro del dueño)")
	errRestrictive    = errors.New("una tabla tiene una política AS RESTRICTIVE, que en un cluster de Citus permitiría en vez de restringir")
	errWithoutSetting = errors.New("falta citus.propagate_set_commands = 'local' en postgresql.conf: sin él los trabajadores no saben de qué institución es cada consulta")
)

// Distribute spreads the tables with a column empresa_id over the workers of a cluster of
// Citus, all of one institution together, and puts those of [Migrations.Everywhere] whole on
// each. It is one transaction, during which their readers and writers wait. What is
// distributed already stays as it is, so it may be repeated, and has to be after a migration
// that makes a table. It names the tables that it distributed.
func Distribute(ctx context.Context, url string, migrations Migrations) (done []string, err error) {
	err = inMaintenance(ctx, url, func(tx pgx.Tx) error {
		done = nil
		err := refuseWithoutCluster(ctx, tx)
		if err != nil {
			return err
		}
		err = lockAll(ctx, tx, localTables)
		if err != nil {
			return err
		}
		_, err = tx.Conn().PgConn().Exec(ctx, oneByOne+takeTriggers).ReadAll()
		if err != nil {
			return fmt.Errorf("prepare: %w", err)
		}
		for _, table := range migrations.Everywhere {
			did, err := distributeOne(ctx, tx, table, `SELECT create_reference_table($1::text::regclass)`, table)
			if err != nil {
				return err
			}
			done = append(done, did...)
		}
		spread, err := distributeByEmpresa(ctx, tx)
		done = append(done, spread...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("distribute: %w", err)
	}
	return done, nil
}

// Gather brings all tables back into the one database, the coordinator's, as Distribute found
// them, in one transaction too. It names the tables that it brought back. In the database into
// which a cluster's dump was restored nothing is to be brought, but the owner to be held again.
func Gather(ctx context.Context, url string) (done []string, err error) {
	err = inMaintenance(ctx, url, func(tx pgx.Tx) error {
		done = nil
		installed, err := ask[bool](ctx, tx, hasCitus)
		if err == nil && installed {
			done, err = gatherAll(ctx, tx)
		}
		if err != nil {
			return err
		}
		return holdOwner(ctx, tx, "FORCE", "")
	})
	if err != nil {
		return nil, fmt.Errorf("gather: %w", err)
	}
	return done, nil
}

func gatherAll(ctx context.Context, tx pgx.Tx) ([]string, error) {
	err := lockAll(ctx, tx, distributedTables)
	if err != nil {
		return nil, err
	}
	tables, err := ask[[]string](ctx, tx, distributedTables)
	if err != nil {
		return nil, err
	}
	// One table brings those that it is tied to: should a policy leave rows out of any, it fails.
	_, err = tx.Exec(ctx, `SET LOCAL row_security = off`)
	if err != nil {
		return nil, fmt.Errorf("see all rows: %w", err)
	}
	for _, table := range tables {
		err = gatherOne(ctx, tx, table)
		if err != nil {
			return nil, err
		}
	}
	return tables, nil
}

// inMaintenance runs fn in a transaction of the owner, beside no migration, and again if a
// writer was in its way. It sees the rows of all institutions.
func inMaintenance(ctx context.Context, url string, fn func(tx pgx.Tx) error) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // all that it did is committed by then
	return repeated(ctx, func() error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			// Whoever migrates holds it too.
			_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(migrationLock))
			if err != nil {
				return fmt.Errorf("lock: %w", err)
			}
			return fn(tx)
		})
	})
}

// lockAll takes the tables that a query names before anything is done to one: who writes while
// they are taken one after the other, as they are worked on, waits for us while we wait for it.
// Those that others refer to come first, as they do for most who write.
func lockAll(ctx context.Context, tx pgx.Tx, tables string) error {
	all, err := ask[[]string](ctx, tx, tables)
	if err != nil || len(all) == 0 {
		return err
	}
	all, err = ask[[]string](ctx, tx, referredFirst, all)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `LOCK TABLE `+strings.Join(all, ", "))
	if err != nil {
		return fmt.Errorf("lock tables: %w", err)
	}
	return nil
}

const (
	// oneByOne has the parts of a table made one after the other: at the same time, grants on
	// columns get in each other's way ("tuple concurrently updated").
	oneByOne = `SET LOCAL citus.multi_shard_modify_mode = sequential;`
	// takeTriggers has Citus spread a table that has a trigger. What it warns of is one that
	// changes rows elsewhere; a service's does so only for versions before its migrations, and
	// not for rows that are copied.
	takeTriggers = `SET LOCAL citus.enable_unsafe_triggers = on`
	hasCitus     = `SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')`
	// tellsWorkers holds when every session, whenever it began, passes on what SET LOCAL says.
	tellsWorkers = `SELECT EXISTS (SELECT FROM pg_settings
		WHERE name = 'citus.propagate_set_commands' AND setting = 'local' AND source IN ('configuration file', 'command line'))`
	hasNodes = `SELECT EXISTS (SELECT FROM pg_dist_node WHERE shouldhaveshards AND isactive AND noderole = 'primary')`
	hasApp   = `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = '` + AppRole + `')`
	// onlyPermissive holds when Citus, which forgets AS RESTRICTIVE, has nothing to forget.
	onlyPermissive = `SELECT NOT EXISTS (SELECT FROM pg_policy WHERE NOT polpermissive)`
	// workerRoles names each worker, with its answer, where a role that row-level security holds
	// at the coordinator can read past it: roles made by hand there need not be alike.
	workerRoles = `SELECT coalesce(array_agg(nodename || ':' || nodeport || ' ' || result), '{}')
		FROM run_command_on_workers(format(
			$$SELECT coalesce(string_agg(rolname, ', '), '') FROM pg_roles
				WHERE rolname = ANY (%1$L::name[]) AND (rolsuper OR rolbypassrls OR pg_has_role(oid, %2$L, 'USAGE'))$$,
			(SELECT array_agg(rolname) FROM pg_roles WHERE NOT rolbypassrls
				AND pg_has_role(oid, '` + AppRole + `', 'MEMBER') AND NOT pg_has_role(oid, current_user, 'USAGE')), current_user))
		WHERE NOT success OR result <> ''`
	// distributedTables gives those that each worker has whole last.
	distributedTables = `SELECT coalesce(array_agg(logicalrelid::text ORDER BY partmethod <> 'h', logicalrelid::text), '{}')
		FROM pg_dist_partition`
	// localTables are all that belong to institutions, as long as none is distributed.
	localTables = `SELECT coalesce(array_agg(a.attrelid::regclass::text), '{}')
		FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
		WHERE a.attname = '` + shardKey + `' AND NOT a.attisdropped AND c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
			AND NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = c.oid)
			AND NOT EXISTS (SELECT FROM pg_dist_partition WHERE partmethod = 'h')`
	referredFirst = `SELECT array_agg(t ORDER BY (SELECT count(*) FROM pg_constraint f WHERE f.contype = 'f' AND f.confrelid = t::regclass) DESC, t)
		FROM unnest($1::text[]) t`
	// nextTables are those still to be spread that refer to none which is.
	nextTables = `SELECT coalesce(array_agg(c.oid::regclass::text ORDER BY c.relname), '{}')
		FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = '` + shardKey + `' AND NOT a.attisdropped
		WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
			AND NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = c.oid)
			AND NOT EXISTS (SELECT FROM pg_constraint f WHERE f.contype = 'f' AND f.conrelid = c.oid AND f.confrelid <> c.oid
				AND NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = f.confrelid))`
)

func refuseWithoutCluster(ctx context.Context, tx pgx.Tx) error {
	for _, needed := range []struct {
		query string
		err   error
	}{{hasCitus, errWithoutCitus}, {tellsWorkers, errWithoutSetting}, {hasNodes, errWithoutNodes}, {hasApp, errWithoutApp}, {onlyPermissive, errRestrictive}} {
		there, err := ask[bool](ctx, tx, needed.query)
		if err != nil {
			return err
		}
		if !there {
			return needed.err
		}
	}
	seeing, err := ask[[]string](ctx, tx, workerRoles)
	if err == nil && len(seeing) > 0 {
		err = fmt.Errorf("%w: %s", errWorkerRole, strings.Join(seeing, "; "))
	}
	return err
}

// distributeByEmpresa spreads tables until none is left, those that others refer to first.
func distributeByEmpresa(ctx context.Context, tx pgx.Tx) (done []string, err error) {
	for {
		tables, err := ask[[]string](ctx, tx, nextTables)
		if err != nil || len(tables) == 0 {
			return done, err
		}
		for _, table := range tables {
			did, err := distributeOne(ctx, tx, table, `SELECT create_distributed_table($1::text::regclass, '`+shardKey+`')`, table)
			if err != nil {
				return nil, err
			}
			done = append(done, did...)
		}
	}
}

// distributeOne distributes a table unless it is, and names it if it did.
func distributeOne(ctx context.Context, tx pgx.Tx, table, statement string, args ...any) ([]string, error) {
	tables, err := ask[[]string](ctx, tx, distributedTables)
	if err != nil || slices.Contains(tables, table) {
		return nil, err
	}
	err = holdOwner(ctx, tx, "NO FORCE", table)
	if err != nil {
		return nil, err
	}
	_, err = tx.Exec(ctx, statement, args...)
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", table, err)
	}
	return []string{table}, nil
}

// gatherOne brings back a table, with those that it refers to or that refer to it, unless one of them brought it.
func gatherOne(ctx context.Context, tx pgx.Tx, table string) error {
	tables, err := ask[[]string](ctx, tx, distributedTables)
	if err != nil || !slices.Contains(tables, table) {
		return err
	}
	_, err = tx.Exec(ctx, `SELECT undistribute_table($1::text::regclass, cascade_via_foreign_keys => true)`, table)
	if err != nil {
		return fmt.Errorf("table %s: %w", table, err)
	}
	return nil
}

// heldOtherwise gives those of all tables, or of the one that is named, that row-level security holds, and their owner not as wanted.
const heldOtherwise = `SELECT coalesce(array_agg(relname::text), '{}') FROM pg_class
	WHERE relnamespace = 'public'::regnamespace AND $1::text IN ('', relname) AND relrowsecurity AND relforcerowsecurity <> ($2 = 'FORCE')`

// holdOwner has row-level security hold the owner of tables too, FORCE, or not. It does not where they
// are spread: the rows of a part that moves while it is written are entered at their new place by a role
// that Citus makes for it, a member of the owner, and PostgreSQL lets nobody do so whom it holds. So no
// program may connect as the owner there, see [refuseBypass].
func holdOwner(ctx context.Context, tx pgx.Tx, how, table string) error {
	others, err := ask[[]string](ctx, tx, heldOtherwise, table, how)
	if err != nil {
		return err
	}
	for _, table := range others {
		_, err := tx.Exec(ctx, `ALTER TABLE `+pgx.Identifier{table}.Sanitize()+` `+how+` ROW LEVEL SECURITY`)
		if err != nil {
			return fmt.Errorf("table %s: %w", table, err)
		}
	}
	return nil
}

func ask[T any](ctx context.Context, tx pgx.Tx, query string, args ...any) (T, error) {
	var answer T
	err := tx.QueryRow(ctx, query, args...).Scan(&answer)
	if err != nil {
		return answer, fmt.Errorf("look at the cluster: %w", err)
	}
	return answer, nil
}
