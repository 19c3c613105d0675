package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/test/bufconn"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

const (
	pingRPC  = registrosv1.RegistroService_Ping_FullMethodName
	casosRPC = registrosv1.CasoService_ListCasos_FullMethodName
)

// stub is a service whose behaviour each test decides.
type stub struct {
	registrosv1.UnimplementedRegistroServiceServer
	registrosv1.UnimplementedCasoServiceServer

	ping  func(context.Context) error
	casos func(grpc.ServerStreamingServer[registrosv1.ListCasosResponse]) error
	lote  func(*registrosv1.SaveLoteRequest) error
}

func (s *stub) Ping(ctx context.Context, _ *registrosv1.PingRequest) (*registrosv1.PingResponse, error) {
	if s.ping == nil {
		return &registrosv1.PingResponse{Mensaje: "pong"}, nil
	}
	return &registrosv1.PingResponse{Mensaje: "pong"}, s.ping(ctx)
}

func (s *stub) SaveLote(_ context.Context, req *registrosv1.SaveLoteRequest) (*registrosv1.SaveLoteResponse, error) {
	return &registrosv1.SaveLoteResponse{Total: int32(len(req.GetRegistros()))}, s.lote(req)
}

func (s *stub) ListCasos(_ *registrosv1.ListCasosRequest, stream grpc.ServerStreamingServer[registrosv1.ListCasosResponse]) error {
	return s.casos(stream)
}

// fixture is a server with the stub on it, over a connection in memory.
type fixture struct {
	server   *Server
	listener *bufconn.Listener
	log      *logLines
	served   chan error
}

func serve(t *testing.T, cfg ServerConfig, parts ServerParts, impl *stub) *fixture {
	t.Helper()
	f := &fixture{listener: bufconn.Listen(1 << 20), log: &logLines{}, served: make(chan error, 1)}
	parts.Log = slog.New(slog.NewJSONHandler(f.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	server, err := NewServer(cfg, parts)
	if err != nil {
		t.Fatal(err)
	}
	f.server = server
	registrosv1.RegisterRegistroServiceServer(server, impl)
	registrosv1.RegisterCasoServiceServer(server, impl)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { f.served <- server.Serve(ctx, f.listener) }()
	t.Cleanup(func() {
		cancel()
		err := <-f.served
		if err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return f
}

func (f *fixture) dial(t *testing.T, cfg ClientConfig) *grpc.ClientConn {
	t.Helper()
	cfg.Options = append(cfg.Options, grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
		return f.listener.DialContext(ctx)
	}))
	conn, err := Dial("passthrough:///enlace", cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func (f *fixture) registros(t *testing.T) registrosv1.RegistroServiceClient {
	t.Helper()
	return registrosv1.NewRegistroServiceClient(f.dial(t, ClientConfig{}))
}

// logLines keeps JSON log lines.
type logLines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// of gives the lines with that message.
func (l *logLines) of(t *testing.T, message string) []map[string]any {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []map[string]any
	for line := range bytes.Lines(l.text.Bytes()) {
		var entry map[string]any
		err := json.Unmarshal(line, &entry)
		if err != nil {
			t.Fatal(err)
		}
		if entry["msg"] == message {
			found = append(found, entry)
		}
	}
	return found
}

// counts gives the counters of that name, keyed by their labels' values, joined.
func counts(t *testing.T, registry *prometheus.Registry, name string) map[string]int {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, metric := range family.GetMetric() {
			var labels []string
			for _, label := range metric.GetLabel() {
				labels = append(labels, label.GetValue())
			}
			found[strings.Join(labels, " ")] = int(metric.GetCounter().GetValue())
		}
	}
	return found
}
