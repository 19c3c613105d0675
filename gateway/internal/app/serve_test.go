package app

import (
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestServe(t *testing.T) {
	_, target := startService(t)
	g := startGateway(t, target, nil)
	if status, body := get(t, "http://"+g.address+"/"); status != 200 || !strings.Contains(body, `"aplicacion":"Enlace"`) {
		t.Errorf("GET /: %d %s", status, body)
	}
	if status, body := get(t, "http://"+g.address+"/health"); status != 200 || !strings.Contains(body, `"estado":"ok"`) {
		t.Errorf("GET /health: %d %s", status, body)
	}
	if status, _ := get(t, "http://"+g.ops+"/readyz"); status != 200 {
		t.Errorf("GET /readyz: %d", status)
	}
	if status, body := get(t, "http://"+g.ops+"/metrics"); status != 200 || !strings.Contains(body, `enlace_http_request_duration_seconds_count{method="GET",route="/health",status="200"} 1`) {
		t.Errorf("GET /metrics: %d %s", status, body)
	}
	g.stop()
	if err := <-g.ended; err != nil {
		t.Errorf("stop: %v", err)
	}
}

func TestServe_startsWithoutTheServices(t *testing.T) {
	g := startGateway(t, "dns:///"+freeAddress(t), nil)
	status, body := get(t, "http://"+g.address+"/health")
	if want := `{"estado":"degradado","componentes":{"registros":"caido","integracion":"caido"}}`; status != 503 || body != want {
		t.Errorf("GET /health: %d %s", status, body)
	}
	if status, body := get(t, "http://"+g.address+"/"); status != 503 || !strings.Contains(body, "no_disponible") {
		t.Errorf("GET /: %d %s", status, body)
	}
}

// ping sends a request that waits at the service.
func ping(g *gateway) chan int {
	answered := make(chan int, 1)
	go func() {
		request, err := http.NewRequest("POST", "http://"+g.address+"/cliente/sandbox/ping", nil) //nolint:noctx // a test
		if err != nil {
			answered <- 0
			return
		}
		request.Header.Set("X-API-Key", "x")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			answered <- 0
			return
		}
		_ = response.Body.Close()
		answered <- response.StatusCode
	}()
	return answered
}

func TestServe_stopWaitsForWhatIsRunning(t *testing.T) {
	s, target := startService(t)
	g := startGateway(t, target, nil)
	answered := ping(g)
	<-s.arrived
	g.stop()
	waitUntil(t, "the port is closed", func() bool {
		conn, err := net.Dial("tcp", g.address)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
	if status, _ := get(t, "http://"+g.ops+"/readyz"); status != 503 {
		t.Errorf("GET /readyz while draining: %d", status)
	}
	close(s.goOn)
	if status := <-answered; status != 200 {
		t.Errorf("the running request got %d", status)
	}
	if err := <-g.ended; err != nil {
		t.Errorf("stop: %v", err)
	}
}

func TestServe_answersWhileBalancersLearn(t *testing.T) {
	server := httptest.NewUnstartedServer(nil)
	server.StartTLS()
	t.Cleanup(server.Close)
	certFile, keyFile := writePair(t, server.TLS.Certificates[0])
	_, target := startService(t)
	for _, http2 := range []bool{false, true} {
		g := startGateway(t, target, func(cfg *Config) {
			cfg.StopDelay, cfg.TLSCertFile, cfg.TLSKeyFile = time.Minute, certFile, keyFile
		})
		transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: http2}
		client := &http.Client{Transport: transport}
		kept := func() bool { return reusesConnection(t, client, "https://"+g.address+"/health") }
		waitUntil(t, "connections are kept", kept)
		g.stop()
		waitUntil(t, "each answer ends its connection", func() bool { return !kept() })
		if status, _ := get(t, "http://"+g.ops+"/readyz"); status != 503 {
			t.Errorf("GET /readyz: %d", status)
		}
		transport.CloseIdleConnections()
	}
}

// A balancer that looks at the probe before it opens a connection loses no request.
func TestServe_losesNoRequestOfABalancer(t *testing.T) {
	_, target := startService(t)
	for range 3 {
		g := startGateway(t, target, func(cfg *Config) { cfg.StopDelay = time.Second })
		var clients sync.WaitGroup
		answered := make(chan struct{}, 1)
		for range 8 {
			clients.Go(func() {
				for {
					if status, _ := get(t, "http://"+g.ops+"/readyz"); status != http.StatusOK {
						return
					}
					err := reach(g)
					if err != nil {
						t.Errorf("a request was not answered: %v", err)
						return
					}
					select {
					case answered <- struct{}{}:
					default:
					}
				}
			})
		}
		for range 50 {
			<-answered
		}
		g.stop()
		clients.Wait()
		if err := <-g.ended; err != nil {
			t.Errorf("stop: %v", err)
		}
	}
}

// reach sends a request over a connection of its own.
func reach(g *gateway) error {
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := (&http.Client{Transport: transport}).Get("http://" + g.address + "/errores/interno") //nolint:noctx // a test
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, response.Body)
	return errors.Join(err, response.Body.Close())
}

// reusesConnection makes a request, which must be answered, and tells whether it went over
// the connection of an earlier one.
func reusesConnection(t *testing.T, client *http.Client, url string) bool {
	t.Helper()
	var reused bool
	trace := &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) { reused = got.Reused }}
	request, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	_, err = io.Copy(io.Discard, response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reused
}

func TestServe_stopCutsWhatTakesTooLong(t *testing.T) {
	s, target := startService(t)
	g := startGateway(t, target, func(cfg *Config) { cfg.StopLimit = 20 * time.Millisecond })
	answered := ping(g)
	<-s.arrived
	g.stop()
	if status := <-answered; status != 0 {
		t.Errorf("the running request got %d", status)
	}
	if err := <-g.ended; err != nil {
		t.Errorf("stop: %v", err)
	}
}

func TestServe_refusesWhatItCannotUse(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	none := filepath.Join(t.TempDir(), "none.pem")
	for name, change := range map[string]func(*Config){
		"port":        func(cfg *Config) { cfg.HTTPAddr = taken.Addr().String() },
		"ops port":    func(cfg *Config) { cfg.OpsAddr = taken.Addr().String() },
		"certificate": func(cfg *Config) { cfg.TLSCertFile, cfg.TLSKeyFile = none, none },
		"authorities": func(cfg *Config) { cfg.Services.ServerCAFile = none },
	} {
		cfg, err := load(t)
		if err != nil {
			t.Fatal(err)
		}
		cfg.HTTPAddr, cfg.OpsAddr = "127.0.0.1:0", "127.0.0.1:0"
		change(&cfg)
		err = Serve(t.Context(), cfg, slog.New(slog.DiscardHandler))
		if err == nil {
			t.Errorf("%s: it started", name)
		}
	}
}

func TestServe_speaksTLS(t *testing.T) {
	// httptest has a certificate and key at hand, but only as parsed ones.
	server := httptest.NewUnstartedServer(nil)
	server.StartTLS()
	t.Cleanup(server.Close)
	certFile, keyFile := writePair(t, server.TLS.Certificates[0])

	_, target := startService(t)
	g := startGateway(t, target, func(cfg *Config) { cfg.TLSCertFile, cfg.TLSKeyFile = certFile, keyFile })
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true,
	}}
	response, err := client.Get("https://" + g.address + "/") //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	client.CloseIdleConnections()
	if response.StatusCode != 200 || response.ProtoMajor != 2 || response.Header.Get("Strict-Transport-Security") == "" {
		t.Errorf("got %s %s %v", response.Proto, response.Status, response.Header)
	}
}
