package stack

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/deploy/local/pgcluster"
	"github.com/enlace-iis/enlace/deploy/local/port"
)

// binDir holds the stand-ins of the four binaries.
var binDir string

func TestMain(m *testing.M) {
	code, err := runWithFakes(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func runWithFakes(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "stack-test-")
	if err != nil {
		return 0, err
	}
	binDir = dir
	for module, packages := range map[string]string{"services": "./...", "gateway": "."} {
		build := exec.Command("go", "build", "-C", filepath.Join("../testdata/repo", module), "-buildvcs=false", "-o", dir+"/", packages)
		output, err := build.CombinedOutput()
		if err != nil {
			return 0, fmt.Errorf("build fakes: %w: %s", err, output)
		}
	}
	return m.Run(), os.RemoveAll(dir)
}

// start runs a stack of fakes on a throw-away PostgreSQL.
func start(t *testing.T, change func(*Config)) *Stack {
	t.Helper()
	cfg := Config{BinDir: binDir, Dir: t.TempDir(), Throwaway: true}
	if change != nil {
		change(&cfg)
	}
	s, err := Start(t.Context(), cfg)
	if err != nil {
		t.Fatalf("start: %v", err)
	}
	t.Cleanup(func() { stop(t, s) })
	return s
}

func stop(t *testing.T, s *Stack) {
	t.Helper()
	err := s.Stop(context.Background())
	if err != nil {
		t.Errorf("stop: %v", err)
	}
}

func journal(t *testing.T, dir string) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, "journal"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(content)), "\n")
}

// environmentOf returns what a fake was started with.
func environmentOf(t *testing.T, s *Stack, name string) map[string]string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(s.cfg.Dir, name+".environment"))
	if err != nil {
		t.Fatal(err)
	}
	return parseEnvironment(strings.Split(string(content), "\n"))
}

func TestStart_order(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	stop(t, s)
	want := []string{
		"migrate registros", "migrate integracion",
		"start simulador", "start integracion", "start registros", "start gateway",
		"stop gateway", "stop registros", "stop integracion", "stop simulador",
	}
	if diff := cmp.Diff(want, journal(t, s.cfg.Dir)); diff != "" {
		t.Error(diff)
	}
	select {
	case exit := <-s.Exited():
		t.Errorf("a planned end is reported: %v", exit)
	default:
	}
	for name, address := range s.Addresses().Ops {
		if isReady(t.Context(), "http://"+address+"/readyz") {
			t.Errorf("%s still serves", name)
		}
	}
}

func TestStart_wiring(t *testing.T) {
	t.Parallel()
	s := start(t, func(cfg *Config) { cfg.Env = map[string]string{"AJUSTE": "uno"} })
	a := s.Addresses()
	registros, integracion := environmentOf(t, s, Registros), environmentOf(t, s, Integracion)
	gateway, simulador := environmentOf(t, s, Gateway), environmentOf(t, s, Simulador)

	for got, want := range map[string]string{
		registros["GRPC_ADDR"]:             a.GRPCRegistros,
		integracion["GRPC_ADDR"]:           a.GRPCIntegracion,
		registros["INTEGRACION_TARGET"]:    "dns:///" + a.GRPCIntegracion,
		integracion["REGISTROS_TARGET"]:    "dns:///" + a.GRPCRegistros,
		gateway["REGISTROS_TARGET"]:        "dns:///" + a.GRPCRegistros,
		"http://" + gateway["HTTP_ADDR"]:   a.BaseURL,
		"http://" + simulador["HTTP_ADDR"]: a.SimuladorURL,
		gateway["LOGIN_MAX_FAILURES"]:      "100",
		registros["AJUSTE"]:                "uno",
		gateway["APP_ENV"]:                 "development",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if len(registros["SERVICE_SECRET"]) < 32 || registros["SERVICE_SECRET"] != integracion["SERVICE_SECRET"] {
		t.Error("the two services do not share a secret")
	}
	if len(gateway["GATEWAY_SECRET"]) < 32 || gateway["GATEWAY_SECRET"] != integracion["GATEWAY_SECRET"] {
		t.Error("the gateway and integracion do not share a secret")
	}
}

func TestStart_secretsGoOnlyWhereNeeded(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for name, absent := range map[string][]string{
		Registros:   {"GATEWAY_SECRET", "HASH_SECRET", "JWT_SECRET", "ENCRYPTION_KEYS", "EVIDENCE_KEYS", "DATABASE_URL_MIGRATION"},
		Integracion: {"DATABASE_URL_MIGRATION"},
		Gateway:     {"SERVICE_SECRET", "HASH_SECRET", "JWT_SECRET", "ENCRYPTION_KEYS", "EVIDENCE_KEYS", "DATABASE_URL"},
		Simulador:   {"GATEWAY_SECRET", "SERVICE_SECRET", "HASH_SECRET", "JWT_SECRET", "ENCRYPTION_KEYS", "EVIDENCE_KEYS", "DATABASE_URL"},
	} {
		given := environmentOf(t, s, name)
		for _, key := range absent {
			if given[key] != "" {
				t.Errorf("%s has %s", name, key)
			}
		}
	}
	migration := environmentOf(t, s, Registros+"-migrate")
	if migration["DATABASE_URL_MIGRATION"] != s.OwnerURL(Registros) {
		t.Error("the migration does not run as the owner")
	}
}

// connect logs in to a database for one test.
func connect(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() {
		err := conn.Close(context.Background())
		if err != nil && !conn.PgConn().IsClosed() {
			t.Error(err)
		}
	})
	return conn
}

func TestStart_roles(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for _, name := range []string{Registros, Integracion} {
		owner, app := connect(t, s.OwnerURL(name)), connect(t, s.databases[name].app)
		_, err := owner.Exec(t.Context(), "CREATE TABLE t (x int); GRANT SELECT ON t TO enlace_app")
		if err != nil {
			t.Fatal(err)
		}
		for statement, allowed := range map[string]bool{
			"SELECT * FROM t":                  true,
			"CREATE TEMPORARY TABLE s (x int)": true,
			"DELETE FROM t":                    false,
			"CREATE TABLE u (x int)":           false,
			"CREATE ROLE other":                false,
		} {
			_, err = app.Exec(t.Context(), statement)
			if (err == nil) != allowed {
				t.Errorf("%s: %s: %v", name, statement, err)
			}
		}
	}
	stranger := strings.Replace(s.databases[Registros].app, "/registros?", "/integracion?", 1)
	_, err := pgx.Connect(t.Context(), stranger)
	if err == nil {
		t.Error("registros may enter the database of integracion")
	}
}

func TestStart_keepsDataAndSecrets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keep := func(cfg *Config) { cfg.Dir, cfg.Throwaway = dir, false }
	t.Cleanup(func() {
		err := pgcluster.Remove(context.Background(), filepath.Join(dir, PostgresFolder))
		if err != nil {
			t.Error(err)
		}
	})

	first := start(t, keep)
	_, err := connect(t, first.OwnerURL(Registros)).Exec(t.Context(), "CREATE TABLE kept ()")
	if err != nil {
		t.Fatal(err)
	}
	before := environmentOf(t, first, Integracion)
	stop(t, first)

	second := start(t, keep)
	_, err = connect(t, second.OwnerURL(Registros)).Exec(t.Context(), "DROP TABLE kept")
	if err != nil {
		t.Errorf("the data are gone: %v", err)
	}
	after := environmentOf(t, second, Integracion)
	for _, key := range secretsOf[Integracion] {
		if before[key] == "" || before[key] != after[key] {
			t.Errorf("%s is not kept", key)
		}
	}
	info, err := os.Stat(filepath.Join(dir, SecretsFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the secrets: %v, %v", info.Mode(), err)
	}
}

func TestStart_partThatCannotServe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := Start(t.Context(), Config{
		BinDir: binDir, Dir: dir, Throwaway: true, Env: map[string]string{"FAKE_BROKEN": Registros},
	})
	if err == nil || !strings.Contains(err.Error(), "start registros") || !strings.Contains(err.Error(), "registros.log") {
		t.Errorf("error = %v, want one that names the part and its log", err)
	}
	lines := journal(t, dir)
	if !slices.Contains(lines, "stop integracion") || !slices.Contains(lines, "stop simulador") {
		t.Errorf("the others were not stopped: %v", lines)
	}
	log, err := os.ReadFile(filepath.Join(dir, logsFolder, "registros.log"))
	if err != nil || string(log) != "cannot serve\n" {
		t.Errorf("log = %q, %v", log, err)
	}
}

func TestStart_portInUse(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	address, err := url.Parse(s.OwnerURL(Registros))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Start(t.Context(), Config{BinDir: binDir, Dir: t.TempDir(), HTTPPort: number(t, address)})
	if err == nil || !strings.Contains(err.Error(), "HTTP_PORT") {
		t.Errorf("error = %v, want one that names the setting", err)
	}
}

func number(t *testing.T, address *url.URL) int {
	t.Helper()
	var n int
	_, err := fmt.Sscan(address.Port(), &n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestStart_givenPort(t *testing.T) {
	t.Parallel()
	free, err := port.Free()
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, func(cfg *Config) { cfg.HTTPPort = free })
	want := "http://" + port.Address(free)
	if s.Addresses().BaseURL != want {
		t.Errorf("base = %s, want %s", s.Addresses().BaseURL, want)
	}
}
