package pui

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

const (
	// maxBody bounds what is read of an answer that is no list.
	maxBody = 1 << 20
	// connectTimeout leaves most of the time of a call to the platform itself.
	connectTimeout = 5 * time.Second
	// settleTime is how long a request that was sent already is still waited for once it
	// is cancelled. The platform has it; cutting the connection would only lose what it
	// says, and might cut while it is still reading.
	settleTime = 500 * time.Millisecond
	// idleConns are kept to one platform: more than are used at once, or some would be made anew
	// for each call. They end by themselves.
	idleConns = 1000
)

// newHTTPClient makes connections that last, with TLS 1.2 or newer. It never follows a
// redirect.
func newHTTPClient() *http.Client {
	transport := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: connectTimeout, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    connectTimeout,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    idleConns,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	}
	return &http.Client{
		Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
}

// request is one call to the platform.
type request struct {
	method string
	base   string // the platform's address
	path   string // below it; one of the manual's
	token  string // empty for the login
	body   []byte
	// read takes the body of a 200 instead of the answer, as it comes. Nil: the answer does.
	read func(body io.Reader)
}

// do sends a request and reads its answer. A body that breaks off leaves the answer as far
// as it came: the status has been given.
func (c *Client) do(ctx context.Context, r request) respuesta {
	ctx, span := startSpan(ctx, r)
	answer := c.exchange(ctx, r)
	endSpan(span, answer)
	return answer
}

// exchange sends nothing of the trace: the platform has no business with our ids.
func (c *Client) exchange(ctx context.Context, r request) respuesta {
	ctx, stop := settling(ctx)
	defer stop()
	httpRequest, err := http.NewRequestWithContext(ctx, r.method, r.base+r.path, bytes.NewReader(r.body))
	if err != nil {
		return respuesta{err: errors.New("make request: the address is not valid")}
	}
	if r.body != nil {
		httpRequest.Header.Set("Content-Type", "application/json")
	}
	httpRequest.Header.Set("Accept", "application/json")
	httpRequest.Header.Set("User-Agent", "enlace")
	if r.token != "" {
		httpRequest.Header.Set("Authorization", "Bearer "+r.token)
	}
	answer, err := c.http.Do(httpRequest)
	if err != nil {
		return respuesta{err: fmt.Errorf("call platform: %w", err)}
	}
	// Nothing is lost by a body that cannot be closed; what was read counts.
	defer func() { _ = answer.Body.Close() }()
	if r.read != nil && answer.StatusCode == http.StatusOK {
		r.read(answer.Body)
		return respuesta{status: answer.StatusCode}
	}
	// Nor by one that breaks off: what came of it is there.
	body, _ := io.ReadAll(io.LimitReader(answer.Body, maxBody))
	return respuesta{status: answer.StatusCode, retryAfter: answer.Header.Get("Retry-After"), body: body}
}

// settling gives a context for one request. It ends with ctx's deadline; when ctx is
// cancelled it ends at once if nothing was sent yet, and else after settleTime.
func settling(ctx context.Context) (context.Context, func()) {
	inner, cancel := context.WithCancel(context.WithoutCancel(ctx))
	endDeadline := func() {}
	deadline, bounded := ctx.Deadline()
	if bounded {
		inner, endDeadline = context.WithDeadline(inner, deadline)
	}
	var written atomic.Bool
	inner = httptrace.WithClientTrace(inner, &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) { written.Store(true) },
	})
	release := context.AfterFunc(ctx, func() {
		if written.Load() {
			time.AfterFunc(settleTime, cancel)
			return
		}
		cancel()
	})
	return inner, func() {
		release()
		endDeadline()
		cancel()
	}
}
