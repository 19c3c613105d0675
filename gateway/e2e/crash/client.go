package crash

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Client asks as real ones do: of any gateway, and again until it is answered.
type Client struct {
	HTTP     *http.Client
	Gateways []string
	Ledger   *Ledger

	next atomic.Int64
	// Requests counts what was sent, Acknowledged what was answered with success.
	Requests, Acknowledged atomic.Int64

	mu       sync.Mutex
	statuses map[int]int
}

const (
	// attemptLimit is the patience of one request.
	attemptLimit = 8 * time.Second
	// attemptPause is between two of them.
	attemptPause = 200 * time.Millisecond
	// ackLimit is how long a request is repeated: longer than any fault, and what follows it.
	ackLimit = 90 * time.Second
)

// call is a request as it is made each time anew: signatures and tokens have their hour.
type call struct {
	method, path string
	header       func(body []byte) (http.Header, error)
	body         any
}

// errRefused is an answer that no repetition will better.
var errRefused = errors.New("refused")

// Insist makes a request until it is acknowledged, and reads the answer into target unless it
// is nil. An answer that says "not now", or none at all, is repeated; any other is an error.
func (c *Client) Insist(ctx context.Context, span *Span, want call, target any) error {
	ctx, cancel := context.WithTimeout(ctx, ackLimit)
	defer cancel()
	span.Sent = min(span.Sent, c.Ledger.Now())
	for {
		status, body, err := c.Once(ctx, want)
		if err == nil && status < 300 {
			span.Acked = c.Ledger.Now()
			c.Acknowledged.Add(1)
			return decode(body, target)
		}
		if err == nil && status < 500 && status != http.StatusTooManyRequests {
			return fmt.Errorf("%s %s: %w with %d: %s", want.method, want.path, errRefused, status, body)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s %s: not acknowledged in time, at last %d %s %w", want.method, want.path, status, body, err)
		case <-time.After(attemptPause):
		}
	}
}

func decode(body []byte, target any) error {
	if target == nil {
		return nil
	}
	err := json.Unmarshal(body, target)
	if err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	return nil
}

// Once makes a request of the next gateway.
func (c *Client) Once(ctx context.Context, want call) (int, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, attemptLimit)
	defer cancel()
	var body []byte
	if want.body != nil {
		encoded, err := json.Marshal(want.body)
		if err != nil {
			return 0, nil, fmt.Errorf("encode body: %w", err)
		}
		body = encoded
	}
	header, err := want.header(body)
	if err != nil {
		return 0, nil, err
	}
	gateway := c.Gateways[int(c.next.Add(1))%len(c.Gateways)]
	req, err := http.NewRequestWithContext(ctx, want.method, gateway+want.path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, fmt.Errorf("make request: %w", err)
	}
	req.Header = header
	req.Header.Set("Content-Type", "application/json")
	c.Requests.Add(1)
	res, err := c.HTTP.Do(req)
	if err != nil {
		c.note(0)
		return 0, nil, err
	}
	defer func() { _ = res.Body.Close() }() // it was read
	answer, err := io.ReadAll(res.Body)
	c.note(res.StatusCode)
	return res.StatusCode, answer, err
}

func (c *Client) note(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.statuses == nil {
		c.statuses = map[int]int{}
	}
	c.statuses[status]++
}

// Statuses counts the answers by status, 0 for those that did not come.
func (c *Client) Statuses() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprint(c.statuses)
}
