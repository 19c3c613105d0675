package app

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"
)

// startServe runs the program's own serve on free ports and returns its address
// and a stop that waits for the end.
func startServe(t *testing.T) (url string, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	read, write := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- Serve(ctx, Config{HTTPAddr: "127.0.0.1:0", OpsAddr: "127.0.0.1:0"}, slog.New(slog.NewJSONHandler(write, nil)))
		write.Close()
	}()
	lines := json.NewDecoder(read)
	var first struct{ Addr string }
	err := lines.Decode(&first)
	if err != nil || first.Addr == "" {
		cancel()
		t.Fatalf("read address: %v", err)
	}
	go io.Copy(io.Discard, read)
	return "http://" + first.Addr, func() error {
		cancel()
		return <-ended
	}
}

func TestServe_stopsWithARequestThatWaits(t *testing.T) {
	url, stop := startServe(t)
	post(t, url+"/control/fallas", `{"ruta":"login","tipo":"lentitud","espera_ms":3600000}`)
	cut := make(chan error, 1)
	go func() {
		answer, err := http.Post(url+"/login", "application/json", strings.NewReader(`{}`))
		if err == nil {
			answer.Body.Close()
		}
		cut <- err
	}()
	answer, err := http.Get(url + "/control/recibidos?espera_ms=10000")
	if err != nil {
		t.Fatalf("wait for the login: %v", err)
	}
	answer.Body.Close()

	desde := time.Now()
	err = stop()
	if err != nil || time.Since(desde) >= stopLimit {
		t.Errorf("stopped after %v with %v", time.Since(desde), err)
	}
	if <-cut == nil {
		t.Error("the waiting request was answered")
	}
}

func TestServe_saysWhichAddressIsTaken(t *testing.T) {
	url, stop := startServe(t)
	err := Serve(t.Context(), Config{HTTPAddr: strings.TrimPrefix(url, "http://")}, slog.New(slog.DiscardHandler))
	if err == nil || !strings.HasPrefix(err.Error(), "listen for requests: ") {
		t.Errorf("error = %v", err)
	}
	err = stop()
	if err != nil {
		t.Errorf("stop: %v", err)
	}
}

func post(t *testing.T, url, cuerpo string) {
	t.Helper()
	answer, err := http.Post(url, "application/json", strings.NewReader(cuerpo))
	if err != nil {
		t.Fatalf("post: %v", err)
	}
	answer.Body.Close()
	if answer.StatusCode >= 400 {
		t.Fatalf("answered %d", answer.StatusCode)
	}
}
