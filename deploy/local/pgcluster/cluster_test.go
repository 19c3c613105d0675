package pgcluster

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/deploy/local/port"
)

// start runs a cluster for one test; one that still runs at its end is closed.
func start(t *testing.T, cfg Config) *Cluster {
	t.Helper()
	cfg.Progress = func(line string) { t.Log(line) }
	c, err := Start(t.Context(), cfg)
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	t.Cleanup(func() { stop(t, c) })
	return c
}

// stop uses a context of its own: a test's ends before its cleanups run.
func stop(t *testing.T, c *Cluster) {
	t.Helper()
	err := c.Close(context.Background())
	if err != nil {
		t.Errorf("stop: %v", err)
	}
}

func query(t *testing.T, c *Cluster, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.URL("postgres"))
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	defer disconnect(t, conn)
	var answer string
	err = conn.QueryRow(t.Context(), sql).Scan(&answer)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return answer
}

func disconnect(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	err := conn.Close(context.Background())
	if err != nil {
		t.Error(err)
	}
}

func execute(t *testing.T, c *Cluster, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.URL("postgres"))
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	defer disconnect(t, conn)
	_, err = conn.Exec(t.Context(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// keptFolder is a folder that the server's account can enter, unlike t.TempDir when root runs the test.
func keptFolder(t *testing.T) string {
	t.Helper()
	account, err := serverAccount()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := temporaryFolder("", account)
	if err != nil {
		t.Fatal(err)
	}
	removeLater(t, dir)
	return dir
}

func removeLater(t *testing.T, dir string) {
	t.Helper()
	t.Cleanup(func() {
		err := os.RemoveAll(dir)
		if err != nil {
			t.Error(err)
		}
	})
}

func TestStart_throwaway(t *testing.T) {
	t.Parallel()
	c := start(t, Config{Throwaway: true})

	for name, want := range map[string]string{
		"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "200",
		"listen_addresses": "127.0.0.1", "server_encoding": "UTF8",
	} {
		got := query(t, c, "SHOW "+name)
		if got != want {
			t.Errorf("%s = %s, want %s", name, got, want)
		}
	}
	if got := query(t, c, "SELECT datcollate FROM pg_database WHERE datname = current_database()"); got != "C" {
		t.Errorf("text is sorted by %s, want C", got)
	}

	stop(t, c)
	_, err := os.Stat(c.home)
	if !os.IsNotExist(err) {
		t.Errorf("the folder stays after Close: %v", err)
	}
	err = port.Check(c.port)
	if err != nil {
		t.Errorf("the port stays taken after Close: %v", err)
	}
}

func TestStart_givesTheServerItsEnvironment(t *testing.T) {
	t.Parallel()
	c := start(t, Config{Throwaway: true, Env: []string{"ENLACE_PRUEBA=dada"}})
	execute(t, c, `CREATE TABLE entorno (valor text); COPY entorno FROM PROGRAM 'echo $ENLACE_PRUEBA'`)
	if got := query(t, c, "SELECT valor FROM entorno"); got != "dada" {
		t.Errorf("the server sees %q, want what it was given", got)
	}
}

func TestStart_refusesOtherPasswords(t *testing.T) {
	t.Parallel()
	c := start(t, Config{Throwaway: true})

	for _, password := range []string{"", "postgres"} {
		_, err := pgx.Connect(t.Context(), URL(superuser, password, port.Address(c.port), "postgres"))
		if err == nil {
			t.Errorf("password %q is accepted", password)
		}
	}
}

func TestStart_keepsData(t *testing.T) {
	t.Parallel()
	dir := keptFolder(t)
	first := start(t, Config{Dir: dir, Settings: map[string]string{"work_mem": "5MB"}})
	for name, want := range map[string]string{"fsync": "on", "synchronous_commit": "on", "work_mem": "5MB"} {
		got := query(t, first, "SHOW "+name)
		if got != want {
			t.Errorf("%s = %s, want %s", name, got, want)
		}
	}
	execute(t, first, "CREATE TABLE t AS SELECT 'kept' AS value")
	stop(t, first)

	second := start(t, Config{Dir: dir})
	got := query(t, second, "SELECT value FROM t")
	if got != "kept" {
		t.Errorf("value = %q", got)
	}
	requireMode(t, second.data(), 0o700)
	requireMode(t, filepath.Join(dir, passwordFile), 0o600)
}

func requireMode(t *testing.T, path string, want os.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != want {
		t.Errorf("%s has mode %o, want %o", filepath.Base(path), info.Mode().Perm(), want)
	}
}

func TestStart_afterKill(t *testing.T) {
	t.Parallel()
	dir := keptFolder(t)
	first := start(t, Config{Dir: dir})
	execute(t, first, "CREATE TABLE t AS SELECT 'kept' AS value")
	err := first.process.Kill()
	if err != nil {
		t.Fatal(err)
	}

	second := start(t, Config{Dir: dir})
	got := query(t, second, "SELECT value FROM t")
	if got != "kept" {
		t.Errorf("value = %q", got)
	}
}

func TestStart_takesOverServerOfKilledLauncher(t *testing.T) {
	t.Parallel()
	dir := keptFolder(t)
	first := start(t, Config{Dir: dir})

	second := start(t, Config{Dir: dir})
	<-first.Done()
	got := query(t, second, "SELECT 'up'")
	if got != "up" {
		t.Errorf("answer = %q", got)
	}
}

func TestCluster_RestartAfterCrash(t *testing.T) {
	t.Parallel()
	c := start(t, Config{Dir: keptFolder(t)})
	execute(t, c, "CREATE TABLE t AS SELECT 'committed' AS value")
	address := c.URL("postgres")

	err := c.Crash()
	if err != nil {
		t.Fatal(err)
	}
	err = c.Restart(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if c.URL("postgres") != address {
		t.Error("the address changed")
	}
	got := query(t, c, "SELECT value FROM t")
	if got != "committed" {
		t.Errorf("value = %q", got)
	}
}

func TestStart_saysWhyServerEnds(t *testing.T) {
	t.Parallel()
	_, err := Start(t.Context(), Config{
		Throwaway: true, LogPath: filepath.Join(t.TempDir(), "server.log"), Settings: map[string]string{"no_such_setting": "1"},
	})
	if err == nil || !strings.Contains(err.Error(), "server.log") {
		t.Errorf("error = %v, want one that names the log", err)
	}
}

func TestClearLeftover_otherProcessHasTheID(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	lock := filepath.Join(data, "postmaster.pid")
	// Process 1 runs everywhere and is no PostgreSQL; 2147483646 is beyond every system's highest id.
	for _, content := range []string{"1\n", "2147483646\n", "", "garbage"} {
		err := os.WriteFile(lock, []byte(content), 0o600)
		if err != nil {
			t.Fatal(err)
		}
		found, err := clearLeftover(t.Context(), data)
		if err != nil || !found {
			t.Errorf("lock %q: %v, %v", content, found, err)
		}
		_, err = os.Stat(lock)
		if !os.IsNotExist(err) {
			t.Errorf("lock %q is still there", content)
		}
	}
}

func TestSocketFolder(t *testing.T) {
	t.Parallel()
	got := socketFolder("/tmp/x/data")
	if got != `"/tmp/x/data"` {
		t.Errorf("short path: %s", got)
	}
	got = socketFolder("/" + strings.Repeat("x", 90))
	if got != "" {
		t.Errorf("long path: %s", got)
	}
}

func TestStart_longFolder(t *testing.T) {
	t.Parallel()
	c := start(t, Config{Dir: filepath.Join(keptFolder(t), strings.Repeat("largo", 25))})
	_, err := net.Dial("tcp", port.Address(c.port))
	if err != nil {
		t.Error(err)
	}
	got := query(t, c, "SHOW unix_socket_directories")
	if got != "" {
		t.Errorf("sockets in %q", got)
	}
}

// stranger owns nothing of the test's and belongs to none of its groups.
var stranger = &syscall.Credential{Uid: 54321, Gid: 54321}
