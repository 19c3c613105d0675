//go:build citus

package pgcluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/deploy/local/child"
)

const (
	backupFolder = "respaldo"
	// moment is the point to which all nodes go back.
	moment = "enlace-prueba"
)

// What operations.md tells operators of a restore: of each node a base backup, taken while
// transactions write at both workers, and the WAL since; all to the moment that the
// coordinator marked.
func TestCitus_restoredToOneMoment(t *testing.T) {
	t.Parallel()
	archive := newArchive(t)
	c, conn := startCitus(t, map[string]string{"archive_mode": "on", "archive_command": "cp %p " + archive})
	_, err := conn.Exec(t.Context(), `CREATE TABLE cosas (n int PRIMARY KEY); SELECT create_distributed_table('cosas', 'n')`)
	if err != nil {
		t.Fatal(err)
	}
	nodes := append(c.Workers(), c.Coordinator())
	load := startLoad(t, c)
	load.goesOn(t)
	for _, node := range nodes {
		backUp(t, node)
	}
	load.goesOn(t)
	before := load.acknowledged.Load()
	execute(t, c.Coordinator(), `SELECT citus_create_restore_point('`+moment+`')`)
	after := load.begun.Load()
	load.goesOn(t)
	load.stop()
	for _, node := range nodes {
		awaitArchive(t, node)
	}

	for _, node := range nodes {
		lose(t, node)
	}
	for _, node := range nodes {
		restore(t, node, "cp "+archive+" %p")
	}
	execute(t, c.Coordinator(), `SELECT recover_prepared_transactions()`)
	restored := connected(t, c)
	last := asked(t, restored, `SELECT max(n) FROM cosas`)
	if last < int(before)*pair || last > int(after)*pair {
		t.Errorf("the last row is %d: transaction %d was acknowledged before the moment, %d begun after it", last, before, after+1)
	}
	if got := asked(t, restored, `SELECT count(*) FROM cosas`); got != last {
		t.Errorf("%d rows up to %d: a transaction is there in part", got, last)
	}
	_, err = restored.Exec(t.Context(), insertPair, last+1, last+pair)
	if err != nil {
		t.Errorf("the restored cluster takes no rows: %v", err)
	}
}

// newArchive is where the WAL of all nodes is kept, by node: the name of a node's folder, in
// whose data the server works, and that of the file.
func newArchive(t *testing.T) string {
	t.Helper()
	dir := keptFolder(t)
	account, err := serverAccount()
	if err == nil {
		err = give(dir, account)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir + "/$(basename $(dirname $PWD))-%f"
}

const (
	// pair is how many rows a transaction inserts; most pairs lie on both workers.
	pair       = 2
	insertPair = `INSERT INTO cosas SELECT generate_series($1::int, $2::int)`
)

// load inserts pair after pair, whose numbers count up.
type load struct {
	begun, acknowledged atomic.Int64
	stop                func()
}

func startLoad(t *testing.T, c *Citus) *load {
	t.Helper()
	l, conn := &load{}, connected(t, c)
	ctx, cancel := context.WithCancel(t.Context())
	var working sync.WaitGroup
	working.Go(func() {
		for ctx.Err() == nil {
			last := l.begun.Add(1) * pair
			_, err := conn.Exec(t.Context(), insertPair, last-pair+1, last)
			if err != nil {
				t.Error(err)
				return
			}
			l.acknowledged.Add(1)
		}
	})
	l.stop = func() {
		cancel()
		working.Wait()
	}
	t.Cleanup(l.stop)
	return l
}

func (l *load) goesOn(t *testing.T) {
	t.Helper()
	wanted := l.acknowledged.Load() + 50
	await(t, "more transactions", func() bool { return l.acknowledged.Load() > wanted })
}

// await looks until something has come to pass.
func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), readyLimit)
	defer cancel()
	for !done() {
		select {
		case <-ctx.Done():
			t.Fatalf("%s: not within %v", what, readyLimit)
		case <-time.After(pollInterval):
		}
	}
}

// backUp makes a base backup of a node beside its data.
func backUp(t *testing.T, node *Cluster) {
	t.Helper()
	dir := filepath.Join(node.home, backupFolder)
	err := errors.Join(os.Mkdir(dir, 0o700), give(dir, node.account))
	if err == nil {
		_, err = child.Output(t.Context(), child.Spec{
			Name: "pg_basebackup", Path: filepath.Join(node.bin.dir, "pg_basebackup"), Dir: "/", Env: serverEnv(), Account: node.account,
			Args: []string{"--dbname", node.URL("postgres"), "--pgdata", dir, "--wal-method", "none", "--checkpoint", "fast"},
		}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// awaitArchive waits until all WAL so far is kept: the end of a backup does.
func awaitArchive(t *testing.T, node *Cluster) {
	t.Helper()
	execute(t, node, `DO $$ BEGIN PERFORM pg_backup_start('fin', true); PERFORM pg_backup_stop(); END $$`)
}

// lose ends a node and deletes its data.
func lose(t *testing.T, node *Cluster) {
	t.Helper()
	err := errors.Join(node.Crash(), os.RemoveAll(node.data()))
	if err != nil {
		t.Fatal(err)
	}
}

// restore brings the backup of a node to the moment.
func restore(t *testing.T, node *Cluster, restoreCommand string) {
	t.Helper()
	signal := filepath.Join(node.data(), "recovery.signal")
	err := errors.Join(os.Rename(filepath.Join(node.home, backupFolder), node.data()), os.WriteFile(signal, nil, 0o600), give(signal, node.account))
	if err != nil {
		t.Fatal(err)
	}
	node.cfg.Settings["restore_command"], node.cfg.Settings["recovery_target_name"] = restoreCommand, moment
	node.cfg.Settings["recovery_target_action"] = "promote"
	err = node.Restart(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	await(t, "the moment", func() bool { return query(t, node, `SELECT pg_is_in_recovery()::text`) == "false" })
}
