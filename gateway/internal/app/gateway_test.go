package app

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

// service plays both services.
type service struct {
	integracionv1.UnimplementedInicioServiceServer
	registrosv1.UnimplementedRegistroServiceServer

	arrived chan struct{}
	goOn    chan struct{}
}

func (s *service) GetInicio(context.Context, *integracionv1.GetInicioRequest) (*integracionv1.GetInicioResponse, error) {
	return &integracionv1.GetInicioResponse{Aplicacion: "Enlace"}, nil
}

// Ping waits for the test, or for its client to leave.
func (s *service) Ping(ctx context.Context, _ *registrosv1.PingRequest) (*registrosv1.PingResponse, error) {
	s.arrived <- struct{}{}
	select {
	case <-s.goOn:
		return &registrosv1.PingResponse{Mensaje: "pong"}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func startService(t *testing.T) (s *service, target string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s = &service{arrived: make(chan struct{}), goOn: make(chan struct{})}
	server := grpc.NewServer()
	integracionv1.RegisterInicioServiceServer(server, s)
	registrosv1.RegisterRegistroServiceServer(server, s)
	healthv1.RegisterHealthServer(server, health.NewServer())
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return s, "dns:///" + listener.Addr().String()
}

// A gateway is the program's own serve on free ports.
type gateway struct {
	address, ops string
	stop         context.CancelFunc
	ended        chan error
}

func startGateway(t *testing.T, target string, change func(*Config)) *gateway {
	t.Helper()
	cfg, err := load(t)
	if err != nil {
		t.Fatal(err)
	}
	cfg.HTTPAddr, cfg.OpsAddr = "127.0.0.1:0", freeAddress(t)
	cfg.RegistrosTarget, cfg.IntegracionTarget = target, target
	cfg.StopDelay = 0
	if change != nil {
		change(&cfg)
	}
	ctx, stop := context.WithCancel(t.Context())
	g := &gateway{ops: cfg.OpsAddr, stop: stop, ended: make(chan error, 1)}
	read, write := io.Pipe()
	go func() {
		g.ended <- Serve(ctx, cfg, slog.New(slog.NewJSONHandler(write, nil)))
		_ = write.Close()
	}()
	t.Cleanup(stop)
	lines := bufio.NewScanner(read)
	for g.address == "" && lines.Scan() {
		var line struct{ Msg, Addr string }
		err := json.Unmarshal(lines.Bytes(), &line)
		if err == nil && line.Msg == "serving" {
			g.address = line.Addr
		}
	}
	if g.address == "" {
		t.Fatalf("the gateway did not start: %v", <-g.ended)
	}
	go func() { _, _ = io.Copy(io.Discard, read) }()
	return g
}

// freeAddress is a port that was free a moment ago.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	response, err := http.Get(url) //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(content)
}

func waitUntil(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain until %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func writePair(t *testing.T, pair tls.Certificate) (certFile, keyFile string) {
	t.Helper()
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	write := func(kind string, der []byte) string {
		path := filepath.Join(t.TempDir(), "file.pem")
		err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("CERTIFICATE", pair.Certificate[0]), write("PRIVATE KEY", key)
}
