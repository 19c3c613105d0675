package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/gateway/e2e/document"
)

// Limit bounds every wait of the suites.
const Limit = 60 * time.Second

// pollEvery is between two looks at a condition.
const pollEvery = 50 * time.Millisecond

// Recorder holds whatever a gateway answers against the document that it serves. What breaks
// it fails the request, and the run of [Main]. Clients of a suite's own get a transport of it.
var Recorder document.Recorder

// HTTP is the client of all requests of the suites.
var HTTP = &http.Client{Timeout: Limit, Transport: Recorder.Transport(http.DefaultTransport)}

// Answer is what a route answered.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Into reads the answer's body, which must be JSON.
func (a Answer) Into(tb testing.TB, target any) {
	tb.Helper()
	err := json.Unmarshal(a.Body, target)
	if err != nil {
		tb.Fatalf("answer %d is not the expected JSON: %v\n%s", a.Status, err, a.Body)
	}
}

// Want fails the test unless the status is the expected one.
func (a Answer) Want(tb testing.TB, status int) Answer {
	tb.Helper()
	if a.Status != status {
		tb.Fatalf("status %d, want %d\n%s", a.Status, status, a.Body)
	}
	return a
}

// Call makes one request; body is encoded as JSON unless it is nil or already bytes.
func Call(tb testing.TB, method, url string, header http.Header, body any) Answer {
	tb.Helper()
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(Encode(tb, body))
	}
	req, err := http.NewRequestWithContext(tb.Context(), method, url, reader)
	if err != nil {
		tb.Fatal(err)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	if body != nil && req.Header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := HTTP.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	content, err := io.ReadAll(res.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return Answer{Status: res.StatusCode, Header: res.Header, Body: content}
}

// Status posts a body and gives the answer's status. Unlike Call it may be used on any
// goroutine.
func Status(ctx context.Context, url string, header http.Header, body any) (int, error) {
	content, err := json.Marshal(body)
	if err != nil {
		return 0, fmt.Errorf("encode body: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(content))
	if err != nil {
		return 0, fmt.Errorf("make request: %w", err)
	}
	req.Header = header.Clone()
	req.Header.Set("Content-Type", "application/json")
	res, err := HTTP.Do(req)
	if err != nil {
		return 0, fmt.Errorf("call route: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	_, err = io.Copy(io.Discard, res.Body)
	if err != nil {
		return 0, fmt.Errorf("read answer: %w", err)
	}
	return res.StatusCode, nil
}

// Encode encodes a body as JSON unless it is bytes already.
func Encode(tb testing.TB, body any) []byte {
	tb.Helper()
	if raw, ok := body.([]byte); ok {
		return raw
	}
	content, err := json.Marshal(body)
	if err != nil {
		tb.Fatal(err)
	}
	return content
}

// Eventually asks until the condition holds.
func Eventually(tb testing.TB, what string, holds func() bool) {
	tb.Helper()
	Within(tb, Limit, what, holds)
}

// Within asks until the condition holds, for as long as limit.
func Within(tb testing.TB, limit time.Duration, what string, holds func() bool) {
	tb.Helper()
	deadline := time.After(limit)
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for !holds() {
		select {
		case <-deadline:
			tb.Fatalf("%s did not happen within %s", what, limit)
		case <-ticker.C:
		}
	}
}
