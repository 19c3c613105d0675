package bench

import (
	"bytes"
	"io"
	"net/http"
	"testing"
)

// caller calls an HTTP API with a credential.
type caller struct {
	tb     testing.TB
	base   string
	header http.Header
	client *http.Client
}

const apiKey = "X-Api-Key"

// mostCallers is how many may call at once without a new connection each time.
const mostCallers = 128

func newCaller(tb testing.TB, base, header, credential string) *caller {
	transport := &http.Transport{MaxIdleConnsPerHost: mostCallers, DisableCompression: true}
	tb.Cleanup(transport.CloseIdleConnections)
	return &caller{tb: tb, base: base, header: http.Header{header: {credential}}, client: &http.Client{Transport: transport}}
}

// post may be called from any goroutine, as all methods.
func (c *caller) post(path string, body []byte) {
	c.do(http.MethodPost, path, "", body, http.StatusOK, nil)
}

// get reads an answer to its end; first, unless nil, is called when it begins.
func (c *caller) get(path string, first func()) http.Header {
	return c.do(http.MethodGet, path, "", nil, http.StatusOK, first)
}

// getUnchanged asks for what is known already.
func (c *caller) getUnchanged(path, etag string) {
	c.do(http.MethodGet, path, etag, nil, http.StatusNotModified, nil)
}

func (c *caller) do(method, path, etag string, body []byte, want int, first func()) http.Header {
	res, err := c.client.Do(c.request(method, path, etag, body))
	if err != nil {
		c.tb.Error(err)
		return nil
	}
	defer func() { _ = res.Body.Close() }()
	if first != nil {
		first()
	}
	if res.StatusCode != want {
		problem, _ := io.ReadAll(res.Body)
		c.tb.Errorf("%s %s: status %d, want %d: %.500s", method, path, res.StatusCode, want, problem)
		return res.Header
	}
	_, err = io.Copy(io.Discard, res.Body)
	if err != nil {
		c.tb.Error(err)
	}
	return res.Header
}

func (c *caller) request(method, path, etag string, body []byte) *http.Request {
	req, err := http.NewRequest(method, c.base+path, bytes.NewReader(body))
	if err != nil {
		panic(err) // of fixed parts, on any goroutine
	}
	req.Header = c.header.Clone()
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	return req
}
