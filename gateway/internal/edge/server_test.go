package edge

import (
	"crypto/tls"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestServer_answersCarryHSTSOverBothProtocols(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	server := httptest.NewUnstartedServer(nil)
	server.Config, server.EnableHTTP2 = NewServer(s.edge, slog.New(slog.DiscardHandler)), true
	server.StartTLS()
	t.Cleanup(server.Close)
	for _, protocol := range []int{1, 2} {
		transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: protocol == 2}
		t.Cleanup(transport.CloseIdleConnections)
		request, err := http.NewRequestWithContext(t.Context(), "POST", server.URL+"/cliente/registros", strings.NewReader("[]"))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-API-Key", goodKey)
		request.Header.Set("Content-Type", "application/json")
		response, err := transport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.ProtoMajor != protocol || response.StatusCode != 200 || response.Header.Get("Strict-Transport-Security") == "" {
			t.Errorf("HTTP/%d: %s %v", protocol, response.Status, response.Header)
		}
	}
	if got := s.get("/"); got.Header.Get("Strict-Transport-Security") != "" {
		t.Error("HSTS on a plain answer")
	}
}

func TestServer_limits(t *testing.T) {
	s := newStack(t, nil)
	server := s.server.Config
	if server.ReadHeaderTimeout <= 0 || server.WriteTimeout < ordinaryConfig.TimeoutClient+ordinaryConfig.TimeoutBatch ||
		server.IdleTimeout <= 0 || server.MaxHeaderBytes <= 0 || server.ReadTimeout != 0 {
		t.Errorf("got %+v", server)
	}
	response, err := http.ReadResponse(s.raw("GET / HTTP/1.1\r\nHost: x\r\nX-Long: "+strings.Repeat("x", 64<<10)+"\r\n\r\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("got %s", response.Status)
	}
}
