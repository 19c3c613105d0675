//go:build linux && crash

package crash

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/deploy/local/pgcluster"
	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

var faketime = flag.String("faketime", "", "libfaketime, to move the databases' clocks; empty: they stay")

// settings let what a fault stopped go on soon. Their defaults suit a network.
var settings = map[string]string{
	"TIMEOUT": "5s", "TIMEOUT_BATCH": "6s", "GRPC_CLIENT_DEADLINE": "5s", "PUI_TIMEOUT": "8s",
	"GRPC_HEALTH_EVERY": "500ms",
}

// rig is the system with everything that can be done to it.
type rig struct {
	system   *harness.System
	ledger   *Ledger
	client   *Client
	door     *Door
	clusters map[string]*pgcluster.Cluster
	clocks   map[string]string // the file of each database's clock
	links    map[string]*Link
	// url is where the services find the platform's door.
	url      string
	operator *session
	// registered is how the platform knows the institutions, by path.
	registered map[string]map[string]string
}

// start starts two replicas of everything on two PostgreSQL servers of their own, with a
// Link before each part that another one calls; or all on one cluster, if the harness has one.
func start(t *testing.T) *rig {
	t.Helper()
	r := &rig{
		ledger: NewLedger(), clusters: map[string]*pgcluster.Cluster{}, clocks: map[string]string{}, links: map[string]*Link{},
		registered: map[string]map[string]string{},
	}
	dir := openFolder(t)
	must(t, harness.Build(filepath.Join(dir, "bin")))
	cfg := stack.Config{BinDir: filepath.Join(dir, "bin"), Dir: filepath.Join(dir, "run")}
	if !harness.OnCluster() {
		cfg.DatabaseURLRegistros = r.startDatabase(t, dir, stack.Registros)
		cfg.DatabaseURLIntegracion = r.startDatabase(t, dir, stack.Integracion)
	}
	r.startSystem(t, cfg)
	r.openDoor(t)
	var made struct{ Usuario, Clave string }
	r.system.Operate(t, "", &made, "usuarios", "crear", "--usuario", "carga")
	r.operator = &session{client: r.client, path: "/login", usuario: made.Usuario, clave: made.Clave}
	return r
}

// startSystem starts the programs, and learns which workers can be killed. These are not cut
// off alive: operations.md says what that may cost.
func (r *rig) startSystem(t *testing.T, cfg stack.Config) {
	t.Helper()
	nombres, err := harness.ServeNombres(stack.Registros, stack.Integracion)
	must(t, err)
	t.Cleanup(func() { must(t, nombres.Close()) })
	cfg.Resolver = nombres.Addr()
	r.system, err = harness.StartWith(cfg, settings)
	must(t, err)
	t.Cleanup(func() { r.stop(t) })
	if harness.OnCluster() {
		for n, node := range r.system.Citus().Workers() {
			r.clusters[worker+strconv.Itoa(n+1)] = node
		}
	}
	r.startReplicas(t, nombres)
}

// openFolder is one that the account of PostgreSQL can enter, unlike t.TempDir.
func openFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "enlace-crash-")
	must(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the logs are in %s", filepath.Join(dir, "run", "logs"))
			return
		}
		must(t, os.RemoveAll(dir))
	})
	must(t, os.Chmod(dir, 0o711))
	return dir
}

// startDatabase starts a PostgreSQL that keeps what it acknowledged and has a clock of its
// own, and gives the owner's address of a database in it, through a Link.
func (r *rig) startDatabase(t *testing.T, dir, service string) string {
	t.Helper()
	home := filepath.Join(dir, "postgres-"+service)
	must(t, os.Mkdir(home, 0o755))
	cluster, err := pgcluster.Start(t.Context(), pgcluster.Config{Dir: home, Env: r.clockOf(t, home, service)})
	must(t, err)
	t.Cleanup(func() { must(t, cluster.Close(context.Background())) })
	r.clusters[stack.Postgres+"-"+service] = cluster
	conn, err := pgx.Connect(t.Context(), cluster.URL("postgres"))
	must(t, err)
	_, err = conn.Exec(t.Context(), "CREATE DATABASE "+service)
	must(t, errors.Join(err, conn.Close(t.Context())))
	link := r.link(t, service+toDatabase, "127.0.0.1:0", cluster.Address())
	address, err := url.Parse(cluster.URL(service))
	must(t, err)
	address.Host = link.Addr()
	return address.String()
}

// clockOf makes the file that says how wrong a database's clock is.
func (r *rig) clockOf(t *testing.T, home, service string) []string {
	t.Helper()
	if *faketime == "" {
		return nil
	}
	library := filepath.Join(home, filepath.Base(*faketime))
	content, err := os.ReadFile(*faketime)
	must(t, err)
	must(t, os.WriteFile(library, content, 0o755))
	clock := filepath.Join(home, "clock")
	must(t, setClock(clock, 0))
	r.clocks[stack.Postgres+"-"+service] = clock
	return []string{
		"LD_PRELOAD=" + library, "FAKETIME_TIMESTAMP_FILE=" + clock, "FAKETIME_CACHE_DURATION=1", "FAKETIME_DONT_FAKE_MONOTONIC=1",
	}
}

// setClock moves a clock. The file is replaced at once: it is read at any moment.
func setClock(file string, jump time.Duration) error {
	err := os.WriteFile(file+".new", fmt.Appendf(nil, "%+.3f\n", jump.Seconds()), 0o644)
	if err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

func (r *rig) link(t *testing.T, name, address, target string) *Link {
	t.Helper()
	link, err := NewLink(address, target)
	must(t, err)
	t.Cleanup(func() { must(t, link.Close()) })
	r.links[name] = link
	return link
}

// startReplicas doubles the services and the gateway. The names of the services stand for
// Links from then on: one before each replica, at the port that all of a service share.
func (r *rig) startReplicas(t *testing.T, nombres *harness.Nombres) {
	t.Helper()
	addresses := r.system.Addresses()
	r.client = &Client{
		HTTP: harnessClient(t), Ledger: r.ledger, Gateways: []string{addresses.BaseURL},
	}
	near := 1
	for service, first := range map[string]string{
		stack.Registros: addresses.GRPCRegistros, stack.Integracion: addresses.GRPCIntegracion, stack.Gateway: "",
	} {
		second, err := r.system.StartReplica(t.Context(), service)
		must(t, err)
		if service == stack.Gateway {
			base := "http://" + second.Address
			r.client.Gateways = append(r.client.Gateways, base)
			harness.Recorder.Know(base, r.system.Document)
			continue
		}
		nombres.Forget(service)
		for name, target := range map[string]string{service: first, second.Name: second.Address} {
			_, port, err := net.SplitHostPort(target)
			must(t, err)
			near++
			link := r.link(t, "calls of "+name, fmt.Sprintf("127.0.1.%d:%s", near, port), target)
			must(t, nombres.Add(service, link.Addr()))
		}
	}
}

func harnessClient(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 100, DialContext: (&net.Dialer{Timeout: time.Second}).DialContext}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: harness.Recorder.Transport(transport)}
}

// openDoor puts the Door before the simulator.
func (r *rig) openDoor(t *testing.T) {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 100}
	t.Cleanup(transport.CloseIdleConnections)
	r.door = &Door{
		Ledger: r.ledger, Platform: r.system.Addresses().SimuladorURL, Client: &http.Client{Transport: transport, Timeout: harness.Limit},
	}
	server := httptest.NewServer(r.door)
	t.Cleanup(server.Close)
	r.url = server.URL
}

// meet makes two institutions that are loading, by id. No fault may be under way.
func (r *rig) meet(t *testing.T) map[string]*Institucion {
	t.Helper()
	both := map[string]*Institucion{}
	for range 2 {
		i := r.system.NewCargando(t)
		r.system.Operate(t, harness.Salida, nil, "claves", "salida", "--id-empresa", i.ID, "--url", r.url, "--clave-stdin")
		key, err := r.issue(t.Context(), i.ID)
		must(t, err)
		r.registered["/control/instituciones/"+i.ID] = map[string]string{
			"clave": harness.Salida, "url_base": i.BaseURL + "/i/" + i.ID, "clave_institucion": i.Clave,
		}
		both[i.ID] = &Institucion{
			ID: i.ID, tb: t, client: r.client, apiKey: key.ApiKey, webhook: key.Secreto,
			platform: &session{client: r.client, path: "/i/" + i.ID + "/login", usuario: "PUI", clave: i.Clave},
			carga:    Span{Sent: Never, Acked: Never},
		}
	}
	return both
}

// apiKey is a key as it is shown once.
type apiKey struct {
	ID      string `json:"key_id"`
	ApiKey  string `json:"api_key"`
	Secreto string `json:"secreto_webhook"`
}

func (r *rig) issue(ctx context.Context, empresa string) (apiKey, error) {
	var key apiKey
	var asked Span
	err := r.client.Insist(ctx, &asked, call{
		method: http.MethodPost, path: "/webhooks/api-keys", header: r.operator.header(ctx),
		body: map[string]any{"id_empresa": empresa, "nombre": "carga", "ambitos": []string{"cliente", "eventos"}, "caduca_en": nil},
	}, &key)
	return key, err
}

// enroll makes the institutions known to a simulator that has forgotten them.
func (r *rig) enroll(ctx context.Context) error {
	for path, institution := range r.registered {
		status, body, err := r.simulator(ctx, http.MethodPut, path, institution)
		if err != nil || status != http.StatusOK {
			return fmt.Errorf("enroll: status %d %s: %w", status, body, err)
		}
	}
	return nil
}

func (r *rig) simulator(ctx context.Context, method, path string, body any) (int, []byte, error) {
	client := &Client{HTTP: r.door.Client, Ledger: r.ledger, Gateways: []string{r.door.Platform}}
	return client.Once(ctx, call{method: method, path: path, header: anonymous, body: body})
}

func (r *rig) stop(t *testing.T) {
	t.Helper()
	select {
	case exit := <-r.system.Exited():
		log, err := os.Open(exit.LogPath)
		must(t, err)
		content, err := io.ReadAll(log)
		must(t, err)
		t.Errorf("%s died by itself; its log ends with:\n%s", exit.Name, content[max(0, len(content)-4000):])
	default:
	}
	must(t, errors.Join(r.system.Stop(context.Background()), harness.Recorder.Breaches()))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// targets names what each kind of fault can be done to.
func (r *rig) targets() Targets {
	targets := Targets{faultKill: {
		stack.Registros, stack.Registros + "-2", stack.Integracion, stack.Integracion + "-2",
		stack.Gateway, stack.Gateway + "-2", stack.Simulador,
	}}
	if harness.OnCluster() {
		targets[faultKill] = append(targets[faultKill], stack.Postgres)
	}
	targets[faultKill] = append(targets[faultKill], slices.Sorted(maps.Keys(r.clusters))...)
	for _, kind := range []string{faultCut, faultHold, faultSlow} {
		targets[kind] = append(slices.Sorted(maps.Keys(r.links)), platform, platform)
	}
	targets[faultJump] = slices.Sorted(maps.Keys(r.clocks))
	return targets
}
