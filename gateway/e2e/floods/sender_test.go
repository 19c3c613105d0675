//go:build linux && floods

package floods

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// A sender is somebody at an address of his own.
type sender struct {
	key     string
	address string
	base    string // of the gateway
	client  *http.Client
}

// newSender makes one; recvBuffer is how much his machine takes before he reads, 0 the usual.
func newSender(t *testing.T, key, address string, recvBuffer int) *sender {
	t.Helper()
	dialer := &net.Dialer{}
	transport := &http.Transport{
		DisableCompression: true,
		DialContext: func(ctx context.Context, network, to string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, to)
			if err != nil || recvBuffer == 0 {
				return conn, err
			}
			return conn, conn.(*net.TCPConn).SetReadBuffer(recvBuffer)
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &sender{key: key, address: address, base: system.Addresses().BaseURL, client: &http.Client{Transport: transport, Timeout: harness.Limit}}
}

// send makes a request and gives the answer, whose body the caller closes.
func (s *sender) send(ctx context.Context, method, path string, body io.Reader, headers ...string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.base+path, body)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("X-API-Key", s.key)
	req.Header.Set("X-Forwarded-For", s.address)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if slow, ok := body.(*dripping); ok {
		req.ContentLength = int64(slow.size)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := s.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("send %s: %w", path, err)
	}
	return res, nil
}

// status is send for whoever reads the answer and cares for its status alone.
func (s *sender) status(ctx context.Context, method, path string, body io.Reader, headers ...string) (int, error) {
	res, err := s.send(ctx, method, path, body, headers...)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	_, err = io.Copy(io.Discard, res.Body)
	if err != nil {
		return 0, fmt.Errorf("read answer of %s: %w", path, err)
	}
	return res.StatusCode, nil
}

// A tally counts what a flood was answered.
type tally struct {
	mu    sync.Mutex
	count map[int]int
}

// cut stands for a request that got no answer, as a connection may be closed under a body
// that nobody wants.
const cut = 0

func (t *tally) add(status int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count[status]++
}

func (t *tally) of(status int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.count[status]
}

// flood has so many send the same without a pause until ctx ends.
func (s *sender) flood(ctx context.Context, seen *tally, workers int, path string, body []byte, headers ...string) (wait func()) {
	var sending sync.WaitGroup
	for range workers {
		sending.Go(func() {
			for ctx.Err() == nil {
				status, err := s.status(ctx, http.MethodPost, path, reader(body, headers), headers...)
				if ctx.Err() != nil {
					return
				}
				if err != nil {
					status = cut
				}
				seen.add(status)
				pause(ctx, status)
			}
		})
	}
	return sending.Wait
}

// pause keeps the machine that floods, which is the one that is flooded, from computing
// nothing but refusals.
func pause(ctx context.Context, status int) {
	if status == http.StatusOK {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(100 * time.Millisecond):
	}
}

// A dripping body gives the first quick bytes of its size at once, and the rest at 20 KiB a
// second, a little more than the least that is allowed.
type dripping struct {
	ctx         context.Context
	size, quick int
	read        int
}

func (d *dripping) Read(p []byte) (int, error) {
	if d.read >= d.size {
		return 0, io.EOF
	}
	n := min(len(p), d.quick-d.read)
	if n <= 0 {
		select {
		case <-d.ctx.Done():
			return 0, d.ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
		n = min(len(p), d.size-d.read, 2<<10)
	}
	for i := range p[:n] {
		p[i] = ' '
	}
	d.read += n
	return n, nil
}

// chunked as a header's name hides how long a body is.
const chunked = "X-Chunked"

func reader(body []byte, headers []string) io.Reader {
	if len(headers) > 0 && headers[0] == chunked {
		return struct{ io.Reader }{bytes.NewReader(body)}
	}
	return bytes.NewReader(body)
}
