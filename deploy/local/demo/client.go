package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// requestTimeout bounds a request with its answer; a list is as long as the institution's data.
const requestTimeout = 2 * time.Minute

// client speaks JSON with the routes. It goes straight to loopback, whatever proxy the environment names.
type client struct {
	http *http.Client
}

func newClient() client {
	return client{http: &http.Client{Transport: &http.Transport{}, Timeout: requestTimeout}}
}

func (c client) get(ctx context.Context, url string, header http.Header, answer any) (int, error) {
	return c.do(ctx, http.MethodGet, url, header, nil, answer)
}

func (c client) post(ctx context.Context, url string, header http.Header, body, answer any) (int, error) {
	return c.do(ctx, http.MethodPost, url, header, body, answer)
}

// do sends body, unless it is nil, and decodes the answer of a 200 or 201 into answer, unless that is nil. Every other
// status is for the caller to judge.
func (c client) do(ctx context.Context, method, target string, header http.Header, body, answer any) (int, error) {
	encoded, err := encode(body)
	if err != nil {
		return 0, err
	}
	request, err := http.NewRequestWithContext(ctx, method, target, encoded)
	if err != nil {
		return 0, fmt.Errorf("make request: %w", err)
	}
	for name, values := range header {
		request.Header[name] = values
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := c.http.Do(request)
	if err != nil {
		return 0, fmt.Errorf("call %s: %w", path(target), err)
	}
	defer func() { _ = response.Body.Close() }() // what matters of it is read below
	if answer == nil || response.StatusCode > http.StatusCreated {
		return response.StatusCode, nil
	}
	err = json.NewDecoder(response.Body).Decode(answer)
	if err != nil {
		return 0, fmt.Errorf("read answer of %s: %w", path(target), err)
	}
	return response.StatusCode, nil
}

func encode(body any) (io.Reader, error) {
	if body == nil {
		return http.NoBody, nil
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode body: %w", err)
	}
	return bytes.NewReader(encoded), nil
}

// path keeps errors short.
func path(target string) string {
	parsed, err := url.Parse(target)
	if err != nil {
		return "a route"
	}
	return parsed.Path
}

// unexpected makes the error of an answer that leaves nothing to do.
func unexpected(route string, status int) error {
	return fmt.Errorf("call %s: answered %d", route, status)
}

// accepted reads an answer to a credential: right, wrong, or a system that cannot tell, which is an error.
func accepted(route string, status int) (bool, error) {
	switch status {
	case http.StatusOK:
		return true, nil
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		return false, nil
	default:
		return false, unexpected(route, status)
	}
}
