package clients

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// A faulty stands between a program and Enlace, as networks and busy servers do: of the
// batches it loses an answer and turns two away, and it cuts the first long list.
type faulty struct {
	*httptest.Server
	base string

	mu        sync.Mutex
	batches   int
	cut       bool
	unchanged []string // lists that were answered with 304
	leaked    bool     // whether the secret column was sent
}

// The batches that do not go well, counted with those that are sent again.
const (
	lostBatch    = 2
	limitedBatch = 4
	absentBatch  = 6
)

func newFaulty(t *testing.T, base string) *faulty {
	t.Helper()
	f := &faulty{base: base}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	batch := f.came(r.URL.Path, body)
	switch batch {
	case limitedBatch, absentBatch:
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(map[int]int{limitedBatch: http.StatusTooManyRequests, absentBatch: http.StatusServiceUnavailable}[batch])
		return
	}
	res, content := f.forward(r, body)
	if batch == lostBatch {
		panic(http.ErrAbortHandler)
	}
	maps.Copy(w.Header(), res.Header)
	if f.isCut(r.URL.Path, res.StatusCode, content) {
		_, _ = w.Write(content[:len(content)/2]) // a client that is gone learns nothing
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(res.StatusCode)
	_, _ = w.Write(content) // as above
}

// came counts batches, and gives the number of this one; zero if it is none.
func (f *faulty) came(path string, body []byte) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.leaked = f.leaked || bytes.Contains(body, []byte(secret))
	if path != "/cliente/registros/lote" {
		return 0
	}
	f.batches++
	return f.batches
}

func (f *faulty) forward(r *http.Request, body []byte) (*http.Response, []byte) {
	req, err := http.NewRequestWithContext(r.Context(), r.Method, f.base+r.URL.Path, bytes.NewReader(body))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	for _, name := range []string{"X-Api-Key", "Content-Type", "If-None-Match"} {
		req.Header[name] = r.Header[name]
	}
	res, err := harness.HTTP.Do(req)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer func() { _ = res.Body.Close() }()
	content, err := io.ReadAll(res.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	return res, content
}

// isCut tells whether this is the answer to be cut, and notes what was answered with 304.
func (f *faulty) isCut(path string, status int, content []byte) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if status == http.StatusNotModified {
		f.unchanged = append(f.unchanged, strings.TrimPrefix(path, "/cliente/"))
	}
	if f.cut || path != "/cliente/coincidencias" || len(content) < 100 {
		return false
	}
	f.cut = true
	return true
}

// check holds that all faults happened and that no answer but these was wrong.
func (f *faulty) check(t *testing.T) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.batches <= absentBatch || !f.cut {
		t.Errorf("%d batches and a cut list (%t): not every fault happened", f.batches, f.cut)
	}
	if f.leaked {
		t.Error("a column was sent that nobody asked for")
	}
}

// takeUnchanged gives the lists that were answered with 304 since it was asked last.
func (f *faulty) takeUnchanged() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	lists := slices.Clone(f.unchanged)
	f.unchanged = nil
	return lists
}
