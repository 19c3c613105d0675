//go:build linux && citus

package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/deploy/local/pgcluster"
	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

const (
	mostWorkers = 3
	// institutions share a cluster: each lies on one worker.
	institutions = 16
	// clusterRecords are sent of each size of batch, clusterReports to the end of their search.
	clusterRecords = 40_000
	clusterReports = 240
)

// TestCluster prints what batches and activations cost plain PostgreSQL and clusters of one to
// three workers, and how evenly they lie on these. All nodes share this machine, so time says
// little: the CPU of each is told, by which one can reckon what as many servers carry. Nothing
// is synced to disk.
func TestCluster(t *testing.T) {
	var told []string
	for workers := range mostWorkers + 1 {
		name := fmt.Sprintf("workers: %d", workers)
		if workers == 0 {
			name = "plain PostgreSQL"
		}
		t.Run(name, func(t *testing.T) {
			c := startNodes(t, workers)
			tell := func(line string) {
				t.Log(line)
				told = append(told, name+", "+line)
			}
			for _, size := range []int{1, smallBatch, batchSize} {
				tell(c.batches(size))
			}
			tell(c.activations())
			if workers > 0 {
				tell("rows: " + c.rows())
			}
		})
	}
	fmt.Println(strings.Join(told, "\n"))
}

// nodes is a system on a cluster, or on plain PostgreSQL, with what its programs are called and
// which process each is; a node stands for all that it starts.
type nodes struct {
	t        *testing.T
	system   *harness.System
	names    []string
	servers  map[string]int
	empresas []*harness.Institucion
	callers  []*caller
	numbers  int
}

func startNodes(t *testing.T, workers int) *nodes {
	t.Helper()
	binDir, err := harness.BuildShared()
	if err != nil {
		t.Fatal(err)
	}
	cfg := stack.Config{BinDir: binDir, Dir: filepath.Join(t.TempDir(), "run"), Throwaway: true, CitusWorkers: workers}
	system, err := harness.StartWith(cfg, map[string]string{"EMPRESA_MAX_BATCHES": "1000"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := system.Stop(context.Background())
		if err != nil {
			t.Error(err)
		}
	})
	c := &nodes{t: t, system: system, names: []string{stack.Gateway, stack.Registros, stack.Integracion}, servers: map[string]int{}}
	c.addServer(stack.Postgres, system.AdminURL(stack.Postgres, stack.Registros))
	if workers > 0 {
		for n, worker := range system.Citus().Workers() {
			c.addServer("worker "+strconv.Itoa(n+1), worker.URL(stack.Registros))
		}
	}
	for range institutions {
		i := system.NewInstitucion(t)
		c.empresas, c.callers = append(c.empresas, i), append(c.callers, newCaller(t, i.BaseURL, apiKey, i.ApiKey))
	}
	return c
}

// addServer finds the process of a PostgreSQL.
func (c *nodes) addServer(name, url string) {
	c.t.Helper()
	var backend int
	c.ask(url, "SELECT pg_backend_pid()", &backend)
	c.names, c.servers[name] = append(c.names, name), harness.Parent(c.t, backend)
}

// ask gives one value.
func (c *nodes) ask(url, query string, value any) {
	c.t.Helper()
	conn, err := pgx.Connect(c.t.Context(), url)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	err = conn.QueryRow(c.t.Context(), query).Scan(value)
	if err != nil {
		c.t.Fatal(err)
	}
}

// cpu gives the seconds that each program and node has used so far.
func (c *nodes) cpu() []float64 {
	c.t.Helper()
	used := make([]float64, len(c.names))
	for k, name := range c.names {
		server, isServer := c.servers[name]
		if isServer {
			used[k] = harness.ServerCPU(c.t, server)
			continue
		}
		used[k] = harness.CPU(c.t, c.system.PID(c.t, name))
	}
	return used
}

// account runs f, which does n things, and tells how long and what CPU each took.
func (c *nodes) account(what string, n int, f func()) string {
	c.t.Helper()
	before := c.cpu()
	rate := float64(n) / took(f)
	if c.t.Failed() {
		c.t.FailNow()
	}
	told := make([]string, len(c.names))
	for k, used := range c.cpu() {
		told[k] = c.names[k] + " " + micros((used-before[k])/float64(n))
	}
	return fmt.Sprintf("%s: %.0f a second; CPU of each: %s", what, rate, strings.Join(told, ", "))
}

// batches sends records that are new, of all institutions in turn.
func (c *nodes) batches(size int) string {
	c.t.Helper()
	n := min(clusterRecords/size, 200)
	// First one of each, which plans, and opens connections between the nodes.
	c.post(c.fresh(institutions, min(size, smallBatch)))
	bodies := c.fresh(n, size)
	return c.account(fmt.Sprintf("a record in batches of %d", size), n*size, func() { c.post(bodies) })
}

// fresh makes n batches of records that nobody has sent.
func (c *nodes) fresh(n, size int) [][]byte {
	bodies := make([][]byte, n)
	for k := range bodies {
		bodies[k] = body(c.t, newRegistros(c.numbers, size, true))
		c.numbers += size
	}
	return bodies
}

func (c *nodes) post(bodies [][]byte) {
	atOnce(callers, func(call int) { c.callers[call%institutions].post(lotePath, bodies[call]) }, func(call int) bool { return call < len(bodies) })
}

// activations sends reports of persons of whom there is no record, and waits for the end of
// their searches.
func (c *nodes) activations() string {
	c.t.Helper()
	var platforms []*caller
	for _, i := range c.empresas {
		platforms = append(platforms, platformOf(c.t, i))
	}
	return c.account("an activation that finds nothing, to its end", clusterReports, func() {
		atOnce(callers, func(call int) { platforms[call%institutions].post("/activar-reporte", encode(c.t, reporteOf(call))) },
			func(call int) bool { return call < clusterReports })
		simuladortest.At(c.t, c.system.Addresses().SimuladorURL).
			WaitReceived(simuladortest.Filtro{Ruta: simuladortest.RutaBusquedaFinalizada, Espera: deliveryLimit}, clusterReports)
	})
}

// rows tells which part of the records lies on each worker.
func (c *nodes) rows() string {
	c.t.Helper()
	var told []string
	for _, worker := range c.system.Citus().Workers() {
		var part float64
		c.ask(c.system.AdminURL(stack.Postgres, stack.Registros), fmt.Sprintf(`
			SELECT (sum(result::bigint) FILTER (WHERE nodeport = %s) / sum(result::bigint))::float8
			FROM run_command_on_shards('registros', 'SELECT count(*) FROM %%s') JOIN citus_shards USING (shardid)`, portOf(c.t, worker)), &part)
		told = append(told, fmt.Sprintf("%.0f %%", part*100))
	}
	return strings.Join(told, ", ")
}

func portOf(t *testing.T, node *pgcluster.Cluster) string {
	t.Helper()
	_, port, found := strings.Cut(node.Address(), ":")
	if !found {
		t.Fatalf("no port in %s", node.Address())
	}
	return port
}
