package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// workers are the addresses of the servers among which the one at TEST_DATABASE_URL spreads a
// test's database, as `con-citus` of deploy/local starts them; mostly there are none.
func workers() []string {
	return strings.Fields(os.Getenv("TEST_CITUS_WORKERS"))
}

// distribute spreads a database with a schema over the workers, and leaves nobody in it, so
// that it can be cloned: what Citus keeps of a database's parts holds in its clones on the
// same servers too.
func distribute(ctx context.Context, admin, database string, migrations pg.Migrations) error {
	coordinator, err := connectionURL(admin, database, nil)
	if err != nil {
		return err
	}
	join, err := joinCluster(ctx, admin, database)
	if err != nil {
		return err
	}
	err = run(ctx, coordinator, join...)
	if err != nil {
		return err
	}
	owner, err := connectionURL(admin, database, url.UserPassword(ownerRole, password))
	if err != nil {
		return err
	}
	_, err = pg.Distribute(ctx, owner, migrations)
	if err != nil {
		return err
	}
	// The coordinator's own process asks the workers' databases, so it goes first.
	for _, node := range append([]string{admin}, workers()...) {
		err = run(ctx, node, empty(database)...)
		if err != nil {
			return err
		}
	}
	return nil
}

// empty leaves nobody in a database, and lets nobody in, as Citus's own process would come back.
func empty(database string) []string {
	return []string{
		`ALTER DATABASE ` + database + ` ALLOW_CONNECTIONS false`,
		fmt.Sprintf(`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '%s'`, database),
	}
}

// joinCluster makes the database on each worker, and gives what makes a cluster of them at the
// coordinator.
func joinCluster(ctx context.Context, admin, database string) ([]string, error) {
	set, err := asNode(admin, "citus_set_coordinator_host")
	if err != nil {
		return nil, err
	}
	join := []string{
		`CREATE EXTENSION citus`, set,
		// With which the coordinator goes to the workers.
		fmt.Sprintf(`INSERT INTO pg_dist_authinfo SELECT 0, role, 'password=%s' FROM unnest(ARRAY['%s', '%s']) role`, password, ownerRole, appRole),
	}
	for _, worker := range workers() {
		err = run(ctx, worker, `DROP DATABASE IF EXISTS `+database, `CREATE DATABASE `+database+` OWNER `+ownerRole)
		if err != nil {
			return nil, err
		}
		inside, err := connectionURL(worker, database, nil)
		if err != nil {
			return nil, err
		}
		err = run(ctx, inside, `CREATE EXTENSION citus`)
		if err != nil {
			return nil, err
		}
		add, err := asNode(worker, "citus_add_node")
		if err != nil {
			return nil, err
		}
		join = append(join, add)
	}
	return join, nil
}

// ThereAndBack brings a test's database from a cluster back to one server and spreads it again, each
// twice, and calls check after every step. It wants so many tables to go each time.
func ThereAndBack(tb testing.TB, database Database, migrations pg.Migrations, tables int, check func(step string)) {
	tb.Helper()
	spread := func() ([]string, error) { return pg.Distribute(tb.Context(), database.OwnerURL, migrations) }
	gather := func() ([]string, error) { return pg.Gather(tb.Context(), database.OwnerURL) }
	for _, step := range []struct {
		name string
		run  func() ([]string, error)
		want int
	}{{"again", spread, 0}, {"back", gather, tables}, {"back again", gather, 0}, {"and forth", spread, tables}} {
		done, err := step.run()
		if err != nil || len(done) != step.want {
			tb.Fatalf("%s: %v, %v, want %d tables", step.name, done, err, step.want)
		}
		check(step.name)
	}
}

// LoseOthers takes away, as if they had been killed, the workers of a test's database on which an
// institution has no row.
func (d Database) LoseOthers(tb testing.TB, empresa tenant.EmpresaID) {
	tb.Helper()
	conn, err := pgx.Connect(tb.Context(), d.AdminURL)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	var port string
	err = conn.QueryRow(tb.Context(), `
		SELECT nodeport::text FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
		WHERE shardid = get_shard_id_for_distribution_column('revisiones', $1::text)`, string(empresa)).Scan(&port)
	lost := 0
	for _, worker := range workers() {
		var address *url.URL
		if err == nil {
			address, err = url.Parse(worker)
		}
		if err == nil && address.Port() != port {
			lost++
			err = run(tb.Context(), worker, empty(conn.Config().Database)...)
		}
	}
	if err != nil || lost != len(workers())-1 {
		tb.Fatalf("%d of %d workers are away, %v", lost, len(workers()), err)
	}
}

// asNode is the statement with which a coordinator takes the server at an address for a node.
func asNode(address, function string) (string, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("address of a node: %w", err)
	}
	return fmt.Sprintf(`SELECT %s('%s', %s)`, function, parsed.Hostname(), parsed.Port()), nil
}

// run runs statements, each in a transaction of its own.
func run(ctx context.Context, address string, statements ...string) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, statement := range statements {
		_, err = conn.Exec(ctx, statement)
		if err != nil {
			return fmt.Errorf("prepare: %w", err)
		}
	}
	return nil
}

// WaitForLock waits until a transaction waits for another in the test's database, on whichever server.
func (d Database) WaitForLock(tb testing.TB) {
	tb.Helper()
	var conns []*pgx.Conn
	parsed, err := pgx.ParseConfig(d.AdminURL)
	for _, node := range append(workers(), d.AdminURL) {
		if err == nil {
			var conn *pgx.Conn
			conn, err = pgx.Connect(tb.Context(), withUser(tb, node, parsed.Database, nil))
			conns = append(conns, conn)
		}
	}
	if err != nil {
		tb.Fatalf("look for locks: %v", err)
	}
	waiting := 0
	for waiting == 0 {
		for _, conn := range conns {
			var here int
			err = errors.Join(err, conn.QueryRow(tb.Context(),
				`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&here))
			waiting += here
		}
		if err != nil {
			tb.Fatalf("look for locks: %v", err)
		}
	}
	for _, conn := range conns {
		_ = conn.Close(context.Background())
	}
}
