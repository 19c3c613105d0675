//go:build linux

package fleet

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// checkEvery is between two looks at a gateway's readiness.
const checkEvery = 100 * time.Millisecond

// Balancer sends each request to the next gateway that is ready, over connections that it
// keeps. It never sends one twice: whatever a gateway does to it, the client sees.
type Balancer struct {
	URL      string
	gateways []*upstream
	next     atomic.Uint64

	mu       sync.Mutex
	failures []string
}

// upstream is a gateway as its balancer sees it.
type upstream struct {
	name  string
	url   *url.URL
	ops   string
	proxy *httputil.ReverseProxy
	ready atomic.Bool
}

// balance serves in front of the gateways until the test ends.
func balance(t *testing.T, gateways ...*upstream) *Balancer {
	t.Helper()
	b := &Balancer{gateways: gateways}
	ctx, cancel := context.WithCancel(context.Background())
	var checks sync.WaitGroup
	for _, u := range gateways {
		transport := &http.Transport{MaxIdleConnsPerHost: 100}
		u.proxy = &httputil.ReverseProxy{
			Transport: transport,
			Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(u.url) },
			ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
				b.fail(fmt.Sprintf("%s: %v", u.name, err))
				w.WriteHeader(http.StatusBadGateway)
			},
		}
		u.ready.Store(u.isReady(ctx))
		checks.Go(func() { u.watch(ctx) })
		t.Cleanup(transport.CloseIdleConnections)
	}
	server := httptest.NewServer(b)
	t.Cleanup(func() {
		server.Close()
		cancel()
		checks.Wait()
	})
	b.URL = server.URL
	return b
}

func (b *Balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u := b.choose()
	if u == nil {
		b.fail("no gateway is ready")
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	var sent atomic.Int32
	// Go's transport sends a request again whose kept connection turned out to be closed.
	trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
		if sent.Add(1) > 1 {
			b.fail(u.name + ": a connection was closed under a request")
		}
	}}
	u.proxy.ServeHTTP(w, r.WithContext(httptrace.WithClientTrace(r.Context(), trace)))
}

func (b *Balancer) choose() *upstream {
	first := b.next.Add(1)
	for i := range uint64(len(b.gateways)) {
		u := b.gateways[(first+i)%uint64(len(b.gateways))]
		if u.ready.Load() {
			return u
		}
	}
	return nil
}

func (b *Balancer) fail(what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures = append(b.failures, what)
}

// Failed lists what went wrong between the balancer and the gateways.
func (b *Balancer) Failed() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failures
}

func (u *upstream) watch(ctx context.Context) {
	ticker := time.NewTicker(checkEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			u.ready.Store(u.isReady(ctx))
		}
	}
}

// checker makes a new connection each time, as balancers do.
var checker = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 5 * time.Second}

func (u *upstream) isReady(ctx context.Context) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+u.ops+"/readyz", nil)
	if err != nil {
		return false
	}
	res, err := checker.Do(req)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode == http.StatusOK
}
