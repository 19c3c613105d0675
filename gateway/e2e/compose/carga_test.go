//go:build compose

package compose

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// carga is an institution that asks without pause through the public port.
type carga struct {
	url, key string
	client   *http.Client
	stop     chan struct{}
	working  sync.WaitGroup

	mu           sync.Mutex
	requests     int
	failures     []string
	acknowledged []string
}

// startCarga sends about thirty requests a second; one in ten is a record of a missing person.
func startCarga(t *testing.T, i *harness.Institucion) *carga {
	l := &carga{url: set.secureURL, key: i.ApiKey, client: set.client(t), stop: make(chan struct{})}
	for worker := range 3 {
		l.working.Go(func() {
			ticker := time.NewTicker(pause)
			defer ticker.Stop()
			for n := 0; ; n++ {
				if n%10 == 0 {
					l.record(fmt.Sprintf("U-%d-%d", worker, n))
				} else {
					l.call("/cliente/sandbox/ping", []byte("{}"), http.StatusOK)
				}
				select {
				case <-l.stop:
					return
				case <-ticker.C:
				}
			}
		})
	}
	return l
}

func (l *carga) record(folio string) {
	body, err := json.Marshal(harness.Registro(folio, harness.CurpUno, harness.Day(0)))
	if err == nil && l.call("/cliente/registros", body, http.StatusCreated) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.acknowledged = append(l.acknowledged, folio)
	}
}

func (l *carga) call(path string, body []byte, want int) bool {
	answer, err := l.post(path, body)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests++
	if err == nil && answer == want {
		return true
	}
	l.failures = append(l.failures, fmt.Sprintf("%s: %d, %v", path, answer, err))
	return false
}

func (l *carga) post(path string, body []byte) (int, error) {
	req, err := http.NewRequest(http.MethodPost, l.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Api-Key", l.key)
	res, err := l.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, err
}

// account says what happened since the last one, and fails the test for every failure.
func (l *carga) account(t *testing.T, what string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.failures) > 0 {
		t.Errorf("%s: %d of %d requests failed, first %s", what, len(l.failures), l.requests, l.failures[:min(5, len(l.failures))])
	}
	pass("%s: %d requests, %d failed", what, l.requests, len(l.failures))
	l.requests, l.failures = 0, nil
}

// end gives the folios that were acknowledged.
func (l *carga) end() []string {
	close(l.stop)
	l.working.Wait()
	return l.acknowledged
}
