package document_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/document"
)

// A gateway's answers are judged as they pass, other hosts' are not.
func TestRecorder(t *testing.T) {
	handler := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", "1")
		w.Header().Set("Content-Type", isJSON)
		switch r.URL.Path {
		case "/cliente/sandbox/ping":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(packed(t, pong))
		case "/cliente/casos":
			w.Header().Set("ETag", "x")
			_, _ = w.Write([]byte(`[{"id":`))
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		default:
			_, _ = w.Write([]byte(`{}`))
		}
	}
	known, other := httptest.NewServer(http.HandlerFunc(handler)), httptest.NewServer(http.HandlerFunc(handler))
	defer known.Close()
	defer other.Close()
	var recorder document.Recorder
	recorder.Know(known.URL, parse(t))
	client := &http.Client{Transport: recorder.Transport(&http.Transport{DisableCompression: true})}

	body, err := fetch(client, http.MethodPost, known.URL+"/cliente/sandbox/ping")
	if err != nil || !bytes.Equal(body, packed(t, pong)) {
		t.Errorf("a documented answer comes as %q, %v", body, err)
	}
	body, err = fetch(client, http.MethodGet, known.URL+"/cliente/casos")
	if err == nil || string(body) != `[{"id":` {
		t.Errorf("an answer that was cut comes as %q, %v", body, err)
	}
	if err := recorder.Breaches(); err != nil {
		t.Errorf("breaches before there were any: %v", err)
	}
	_, err = fetch(client, http.MethodGet, known.URL+"/otra")
	if err == nil || !strings.Contains(err.Error(), "GET /otra answers 200") {
		t.Errorf("an undocumented answer: %v", err)
	}
	if recorder.Breaches() == nil {
		t.Error("the breach is not kept")
	}
	_, err = fetch(client, http.MethodGet, other.URL+"/otra")
	if err != nil {
		t.Errorf("a host that is not known: %v", err)
	}
	if missing := recorder.Seen.Missing(parse(t)); slices.Contains(missing, "POST /cliente/sandbox/ping answers 200") {
		t.Error("what was answered is not noted")
	}
}

func fetch(client *http.Client, method, url string) ([]byte, error) {
	req, err := http.NewRequest(method, url, nil) //nolint:noctx // the server is the test's own
	if err != nil {
		return nil, err
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	return io.ReadAll(res.Body)
}

func packed(t *testing.T, content string) []byte {
	t.Helper()
	var into bytes.Buffer
	w := gzip.NewWriter(&into)
	_, err := w.Write([]byte(content))
	if err != nil {
		t.Error(err)
	}
	err = w.Close()
	if err != nil {
		t.Error(err)
	}
	return into.Bytes()
}
