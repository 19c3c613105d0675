package bench

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/proto/jsonwire"
)

const (
	// batchSize is the greatest batch; the other figures are architecture.md section 6.
	batchSize  = 5_000
	registered = 1_000_000
	listed     = 100_000
	// times is how often each thing is measured; the median counts.
	times = 7
	// pinging is how long pings are counted, callers how many ping at once.
	pinging, callers = 3 * time.Second, 8
)

// BenchmarkRatios prints what Enlace costs over the floor that the same machine gives in the
// same run, beside the goal of architecture.md section 6. It fails on no figure: a machine
// that others use at the same time says little.
func BenchmarkRatios(b *testing.B) {
	s := startDurable(b, nil)
	i := institucion{s.NewInstitucion(b)}
	seed(b, s, i.ID)
	client := newCaller(b, s, i)
	for b.Loop() {
		lote(b, s, i, client)
		validar(b, client)
		ping := pings(b, client)
		unchanged(b, client, ping)
		list(b, s, client)
	}
}

// startDurable builds the programs and starts a system of their own that keeps what it
// acknowledged, with env over the usual settings.
func startDurable(b *testing.B, env map[string]string) *harness.System {
	b.Helper()
	binDir := filepath.Join(b.TempDir(), "bin")
	err := harness.Build(binDir)
	if err != nil {
		b.Fatal(err)
	}
	// One institution sends what is measured, and is not to be held to its share.
	settings := map[string]string{"LOG_LEVEL": "warn", "EMPRESA_MAX_BATCHES": "1000", "EMPRESA_MAX_BATCH_BYTES": "1073741824", "MAX_BODY_BYTES": "1073741824"}
	maps.Copy(settings, env)
	s, err := harness.StartDurable(binDir, b.TempDir(), settings)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		err := s.Stop(context.Background())
		if err != nil {
			b.Error(err)
		}
	})
	return s
}

// tell prints a ratio beside its goal.
func tell(b *testing.B, name string, got, floor time.Duration, goal float64) {
	b.Helper()
	ratio := got.Seconds() / floor.Seconds()
	b.ReportMetric(ratio, name+"-ratio")
	b.Logf("%-8s %v over %v: %.2f times (goal: at most %.1f)", name, got.Round(10*time.Microsecond), floor.Round(10*time.Microsecond), ratio, goal)
}

// median runs f a few times and gives the middle duration.
func median(b *testing.B, f func(round int)) time.Duration {
	b.Helper()
	took := make([]time.Duration, times)
	for n := range took {
		started := time.Now()
		f(n)
		took[n] = time.Since(started)
	}
	slices.Sort(took)
	return took[times/2]
}

// lote compares a batch through HTTP, gateway, gRPC and PostgreSQL with the bare upsert of
// as many like rows into the same table.
func lote(b *testing.B, s *harness.System, i institucion, c *caller) {
	floor := newFloor(b, s, i.ID)
	bare := median(b, func(round int) { floor.upsert(b, fmt.Sprintf("bare-%d", round)) })
	bodies := make([][]byte, times)
	for n := range bodies {
		bodies[n] = batch(fmt.Sprintf("lote-%d", n))
	}
	got := median(b, func(round int) { c.post(b, "/cliente/registros/lote", bodies[round]) })
	tell(b, "lote", got, bare, 2)
}

// validar compares the answer with reading the same JSON by the fastest reader that we
// have, which is the gateway's own.
func validar(b *testing.B, c *caller) {
	body := batch("validar")
	floor := median(b, func(int) {
		var message registrosv1.ValidateRegistrosRequest
		err := jsonwire.ReadRegistros(body, &message, batchSize)
		if err != nil {
			b.Fatal(err)
		}
	})
	tell(b, "validar", median(b, func(int) { c.post(b, "/cliente/registros/validar", body) }), floor, 3)
}

// pings compares requests per second by HTTP and by gRPC, and gives the time of one by HTTP.
func pings(b *testing.B, c *caller) time.Duration {
	byGRPC := rate(func() { c.pingGRPC(b) })
	byHTTP := rate(func() { c.post(b, "/cliente/sandbox/ping", nil) })
	b.ReportMetric(byHTTP/byGRPC, "ping-share")
	b.Logf("%-8s %.0f/s by HTTP, %.0f/s by gRPC: a share of %.2f (goal: at least 0.5)", "ping", byHTTP, byGRPC, byHTTP/byGRPC)
	return time.Duration(float64(time.Second) / byHTTP)
}

// unchanged compares a poll that finds nothing new with a ping.
func unchanged(b *testing.B, c *caller, ping time.Duration) {
	etag := c.get(b, "/cliente/casos", "").Header.Get("ETag")
	perSecond := rate(func() {
		if status := c.get(b, "/cliente/casos", etag).StatusCode; status != http.StatusNotModified {
			b.Errorf("status %d, want 304", status)
		}
	})
	tell(b, "304", time.Duration(float64(time.Second)/perSecond), ping, 1.5)
}

// list compares 100 000 Casos by HTTP with the same stream by gRPC, and looks at the first
// byte and at the gateway's memory.
func list(b *testing.B, s *harness.System, c *caller) {
	byGRPC := median(b, func(int) { c.listGRPC(b) })
	before := residentMiB(b, filepath.Join(s.BinDir, stack.Gateway))
	var firstByte time.Duration
	byHTTP := median(b, func(int) { firstByte = c.firstByte(b, "/cliente/casos") })
	grown := residentMiB(b, filepath.Join(s.BinDir, stack.Gateway)) - before
	tell(b, "lista", byHTTP, byGRPC, 2)
	b.ReportMetric(grown, "lista-MiB")
	b.Logf("%-8s first byte after %v (goal: under 100ms), gateway grown by %.0f MiB (goal: under 32)", "lista", firstByte, grown)
}

// rate counts how often f can be called a second by several callers at once.
func rate(f func()) float64 {
	var working sync.WaitGroup
	counts := make([]int, callers)
	started := time.Now()
	for n := range counts {
		working.Go(func() {
			for time.Since(started) < pinging {
				f()
				counts[n]++
			}
		})
	}
	working.Wait()
	total := 0
	for _, count := range counts {
		total += count
	}
	return float64(total) / time.Since(started).Seconds()
}

// caller calls the system as an institution, by HTTP and by gRPC.
type caller struct {
	i    institucion
	http *http.Client
	conn *grpc.ClientConn
}

func newCaller(b *testing.B, s *harness.System, i institucion) *caller {
	b.Helper()
	conn, err := grpc.NewClient(s.Addresses().GRPCRegistros, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20)))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = conn.Close() })
	return &caller{i: i, conn: conn, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: callers, DisableCompression: true}}}
}

func (c *caller) context() context.Context {
	return metadata.AppendToOutgoingContext(context.Background(), "x-api-key", c.i.ApiKey)
}

func (c *caller) pingGRPC(b *testing.B) {
	_, err := registrosv1.NewRegistroServiceClient(c.conn).Ping(c.context(), &registrosv1.PingRequest{})
	if err != nil {
		b.Error(err)
	}
}

func (c *caller) listGRPC(b *testing.B) {
	b.Helper()
	stream, err := registrosv1.NewCasoServiceClient(c.conn).ListCasos(c.context(), &registrosv1.ListCasosRequest{})
	if err != nil {
		b.Fatal(err)
	}
	for {
		_, err := stream.Recv()
		if err == io.EOF {
			return
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// do makes a request and hands its answer over before the body is read; then reads it all.
func (c *caller) do(b *testing.B, method, path, etag string, body io.Reader, answered func()) *http.Response {
	b.Helper()
	req, err := http.NewRequest(method, c.i.BaseURL+path, body)
	if err != nil {
		b.Fatal(err)
	}
	req.Header = http.Header{"X-Api-Key": {c.i.ApiKey}}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	res, err := c.http.Do(req)
	if err != nil {
		b.Error(err)
		return &http.Response{}
	}
	defer func() { _ = res.Body.Close() }()
	answered()
	_, err = io.Copy(io.Discard, res.Body)
	if err != nil || res.StatusCode >= 400 {
		b.Errorf("%s %s: status %d, %v", method, path, res.StatusCode, err)
	}
	return res
}
