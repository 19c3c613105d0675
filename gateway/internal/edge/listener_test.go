package edge

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// serveTLS serves the edge over TLS too, and gives the address.
func (s *stack) serveTLS() string {
	s.t.Helper()
	// httptest has a certificate at hand.
	lender := httptest.NewUnstartedServer(nil)
	lender.StartTLS()
	s.t.Cleanup(lender.Close)
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	server := NewServer(s.edge, slog.New(slog.DiscardHandler), true)
	security := &tls.Config{Certificates: lender.TLS.Certificates, NextProtos: []string{"h2", "http/1.1"}}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(s.edge.Listen(inner, security))
	}()
	s.t.Cleanup(func() {
		_ = server.Close()
		<-ended
	})
	return inner.Addr().String()
}

// notRequests are bytes that net/http answers by itself.
var notRequests = []struct {
	name, bytes string
	status      int
}{
	{"nonsense", "nonsense without end\r\n\r\n", 400},
	{"binary", "\x16\x03\x01\xff\xfe\x00\x00\x00\x00\x00\x00\r\n\r\n", 400},
	{"no host", "GET / HTTP/1.1\r\n\r\n", 400},
	{"two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
	{"a host that is none", "GET / HTTP/1.1\r\nHost: a b<script>\r\n\r\n", 400},
	{"a header without a name", "GET / HTTP/1.1\r\nHost: x\r\n: a\r\n\r\n", 400},
	{"a header with a NUL", "GET / HTTP/1.1\r\nHost: x\r\nX-A: a\x00b\r\n\r\n", 400},
	{"two lengths", "POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
	{"a length that is none", "POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400},
	{"an address that is none", "GET /% HTTP/1.1\r\nHost: x\r\n\r\n", 400},
	{"headers without end", "GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + strings.Repeat("x", 64<<10) + "\r\n\r\n", 431},
	{"unknown transfer encoding", "POST /login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 501},
	{"unknown expectation", "POST /login HTTP/1.1\r\nHost: x\r\nExpect: magic\r\nContent-Length: 2\r\n\r\n{}", 417},
	{"a later version", "GET / HTTP/3.0\r\nHost: x\r\n\r\n", 505},
}

func TestListen_noRequestIsAnsweredLikeAnyOther(t *testing.T) {
	s := newStack(t, nil)
	secure := s.serveTLS()
	for _, tt := range notRequests {
		t.Run(tt.name, func(t *testing.T) {
			wantMalformed(t, s.raw(tt.bytes), tt.status, false)
			conn, err := tls.Dial("tcp", secure, &tls.Config{InsecureSkipVerify: true})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			wantMalformed(t, ask(t, conn, tt.bytes), tt.status, true)
		})
	}
}

func TestListen_plainHTTPOnASecurePort(t *testing.T) {
	s := newStack(t, nil)
	secure := s.serveTLS()
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "OPTIONS"} {
		conn, err := net.Dial("tcp", secure)
		if err != nil {
			t.Fatal(err)
		}
		wantMalformed(t, ask(t, conn, method+" / HTTP/1.1\r\nHost: x\r\n\r\n"), 400, false)
		_ = conn.Close()
	}
}

// What speaks neither TLS nor HTTP is told nothing.
func TestListen_nonsenseOnASecurePort(t *testing.T) {
	s := newStack(t, nil)
	conn, err := net.Dial("tcp", s.serveTLS())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	got, _ := io.ReadAll(ask(t, conn, "\x00\x01\x02\x03\x04\x05"))
	if strings.Contains(string(got), "HTTP") {
		t.Errorf("got %q", got)
	}
}

// An answer of ours goes out as it is, whatever it holds.
func TestOwnAnswer_isNoneOfOurs(t *testing.T) {
	s := newStack(t, nil)
	for _, text := range []string{
		string(s.edge.malformed(400, false)),
		"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nDate: x\r\nConnection: close\r\n\r\n",
		"HTTP/1.1 100 Continue\r\n\r\n",
		"HTTP/1.1 ", "HTTP/1.1 400", "HTTP/1.1 abc\r\n", "",
	} {
		if got := ownAnswer([]byte(text)); got != 0 {
			t.Errorf("%q is taken for net/http's own %d", text, got)
		}
	}
}

// ask writes to a connection and gives its reader.
func ask(t *testing.T, conn net.Conn, request string) *bufio.Reader {
	t.Helper()
	err := conn.SetDeadline(time.Now().Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.WriteString(conn, request)
	if err != nil {
		t.Fatal(err)
	}
	return bufio.NewReader(conn)
}

func wantMalformed(t *testing.T, from *bufio.Reader, status int, secure bool) {
	t.Helper()
	response, err := http.ReadResponse(from, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var problem struct {
		Type, Title, Detail, Codigo string
		Status                      int
		RequestID                   string `json:"request_id"`
		Errores                     []any
	}
	err = json.NewDecoder(response.Body).Decode(&problem)
	if err != nil {
		t.Fatalf("%s: %v", response.Status, err)
	}
	header := response.Header
	if response.StatusCode != status || problem.Status != status || problem.Codigo != "solicitud_invalida" || problem.Errores == nil ||
		problem.Type != "https://enlace.example/errores/solicitud_invalida" || problem.Title == "" || problem.Detail == "" ||
		problem.RequestID == "" || problem.RequestID != header.Get("X-Request-Id") {
		t.Errorf("got %s %+v", response.Status, problem)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/problem+json", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"X-Frame-Options": "DENY", "Content-Security-Policy": contentPolicy, "Cache-Control": "no-store",
	} {
		if got := header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if !response.Close || (header.Get("Strict-Transport-Security") != "") != secure {
		t.Errorf("got %v", header)
	}
}

// What the kernel has accepted when the port closes is answered too.
func TestListener_handsOutWhoWaitsWhenItCloses(t *testing.T) {
	s := newStack(t, nil)
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		client, err := net.Dial("tcp", inner.Addr().String()) //nolint:noctx // a test
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = client.Close() })
	}
	listener := s.edge.Listen(inner, nil)
	_ = listener.Close()
	for n := range 3 {
		conn, err := listener.Accept()
		if err != nil {
			t.Fatalf("connection %d: %v", n, err)
		}
		_ = conn.Close()
	}
	_, err = listener.Accept()
	if !errors.Is(err, net.ErrClosed) {
		t.Errorf("after the last: %v", err)
	}
}
