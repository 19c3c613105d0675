package edge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/enlace-iis/enlace/gateway/internal/routes"
)

// A stack is an edge on a real HTTP port before the fake services.
type stack struct {
	*services
	edge   *Edge
	server *httptest.Server
	log    *logBuffer
}

var ordinaryConfig = Config{
	PublicURL: "https://enlace.example",

	MaxBodyBytes:         64 << 20,
	EmpresaMaxBatches:    4,
	EmpresaMaxBatchBytes: 32 << 20,
	MaxLists:             100,

	Timeout:       time.Minute,
	TimeoutBatch:  time.Minute,
	TimeoutClient: time.Minute,
}

// newStack starts a stack; change may be nil.
func newStack(t testing.TB, change func(*Config), locals ...routes.Local) *stack {
	t.Helper()
	return newTracedStack(t, nil, change, locals...)
}

// newTracedStack starts one that traces; with a nil tracer it does not.
func newTracedStack(t testing.TB, tracer trace.Tracer, change func(*Config), locals ...routes.Local) *stack {
	t.Helper()
	s := &stack{services: newServices(t), log: &logBuffer{}}
	cfg := ordinaryConfig
	if change != nil {
		change(&cfg)
	}
	conn := dial(t, s.services)
	conns := routes.Connections{routes.Registros: conn, routes.Integracion: conn}
	locals = append(locals, routes.Local{Pattern: "/health", Handler: routes.Health(conn, conn)})
	log := slog.New(slog.NewJSONHandler(s.log, nil))
	var err error
	s.edge, err = New(cfg, Parts{Conns: conns, Locals: locals, Log: log, Metrics: prometheus.NewRegistry(), Tracer: tracer})
	if err != nil {
		t.Fatal(err)
	}
	s.server = httptest.NewUnstartedServer(nil)
	s.server.Config = NewServer(s.edge, log)
	s.server.Start()
	t.Cleanup(s.server.Close)
	return s
}

func dial(t testing.TB, s *services) *grpc.ClientConn {
	t.Helper()
	listener := bufconn.Listen(1 << 20)
	server := grpc.NewServer(grpc.UnknownServiceHandler(s.handle), grpc.MaxRecvMsgSize(32<<20))
	go func() {
		err := server.Serve(listener)
		if err != nil {
			t.Errorf("serve: %v", err)
		}
	}()
	conn, err := grpc.NewClient("passthrough:///services",
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		server.Stop()
	})
	return conn
}

// An answer is a response with its body read.
type answer struct {
	*http.Response
	body []byte
}

// field gives a member of a JSON body.
func (a *answer) field(t testing.TB, name string) any {
	t.Helper()
	var object map[string]any
	err := json.Unmarshal(a.body, &object)
	if err != nil {
		t.Fatalf("body %q: %v", a.body, err)
	}
	value, ok := object[name]
	if !ok {
		t.Fatalf("body %s: no member %q", a.body, name)
	}
	return value
}

// client neither follows redirects nor asks for gzip by itself.
var client = &http.Client{
	Transport:     &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 10},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// send sends a request with headers given as pairs.
func (s *stack) send(method, path, body string, headers ...string) *answer {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.server.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if body == "" {
		request.Body, request.ContentLength = nil, 0
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Add(headers[i], headers[i+1])
	}
	return s.do(request)
}

func (s *stack) do(request *http.Request) *answer {
	s.t.Helper()
	response, err := client.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatalf("read answer: %v", err)
	}
	return &answer{Response: response, body: content}
}

// post sends JSON with the good key.
func (s *stack) post(path, body string, headers ...string) *answer {
	s.t.Helper()
	return s.send("POST", path, body, append([]string{"X-API-Key", goodKey, "Content-Type", "application/json"}, headers...)...)
}

// get asks for a path with the good key.
func (s *stack) get(path string, headers ...string) *answer {
	s.t.Helper()
	return s.send("GET", path, "", append([]string{"X-API-Key", goodKey}, headers...)...)
}

// raw sends bytes over a connection of its own and gives the answer's reader.
func (s *stack) raw(request string) *bufio.Reader {
	s.t.Helper()
	conn, err := net.Dial("tcp", s.server.Listener.Addr().String())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	err = conn.SetDeadline(time.Now().Add(time.Minute))
	if err != nil {
		s.t.Fatal(err)
	}
	_, err = io.WriteString(conn, request)
	if err != nil {
		s.t.Fatal(err)
	}
	return bufio.NewReader(conn)
}

// wantRefusal checks status and codigo of a refusal.
func wantRefusal(t testing.TB, got *answer, status int, codigo string) {
	t.Helper()
	if got.StatusCode != status || got.field(t, "codigo") != codigo {
		t.Errorf("got %d %s, want %d %s", got.StatusCode, got.body, status, codigo)
	}
}

// logBuffer gathers log lines.
type logBuffer struct {
	mu      sync.Mutex
	content bytes.Buffer
	changed chan struct{}
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
	return l.content.Write(p)
}

// wait gives the first log line that contains text, once it is there: a line is written
// after the client has its answer.
func (l *logBuffer) wait(t testing.TB, text string) string {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		l.mu.Lock()
		all := l.content.String()
		changed := make(chan struct{})
		if l.changed != nil {
			changed = l.changed
		}
		l.changed = changed
		l.mu.Unlock()
		for line := range strings.Lines(all) {
			if strings.Contains(line, text) {
				return line
			}
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("no log line with %q in\n%s", text, all)
		}
	}
}
