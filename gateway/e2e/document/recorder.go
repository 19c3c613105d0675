package document

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// A Recorder judges the answers that pass through its transports. It is safe for concurrent
// use.
type Recorder struct {
	Seen Seen

	mu        sync.Mutex
	documents map[string]*Document // by address: scheme and host
	breaches  []error
}

// Know makes the recorder judge what an address, "https://host:port", answers from now on.
// Requests to others pass unread.
func (r *Recorder) Know(address string, d *Document) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.documents == nil {
		r.documents = map[string]*Document{}
	}
	r.documents[address] = d
}

func (r *Recorder) document(address string) *Document {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.documents[address]
}

// Breaches are all that were found. Each was also the error of the request that met it, so
// that the test which made it failed; one that expects errors may not have.
func (r *Recorder) Breaches() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return errors.Join(r.breaches...)
}

// Transport judges what next brings. An answer that breaks the document is an error in its
// place. Bodies are read to their end before they are handed on.
func (r *Recorder) Transport(next http.RoundTripper) http.RoundTripper {
	return transport{recorder: r, next: next}
}

type transport struct {
	recorder *Recorder
	next     http.RoundTripper
}

func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	document := t.recorder.document(req.URL.Scheme + "://" + req.URL.Host)
	if document == nil {
		return res, nil
	}
	answer, err := read(req, res)
	if err != nil {
		return nil, err
	}
	err = t.recorder.judge(document, answer)
	if err != nil {
		return nil, err
	}
	return res, nil
}

func (r *Recorder) judge(document *Document, answer *Answer) error {
	err := document.Check(answer)
	if err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.breaches = append(r.breaches, err)
		return err
	}
	r.Seen.Note(document, answer)
	return nil
}

// read takes an answer in, and leaves the response as it came.
func read(req *http.Request, res *http.Response) (*Answer, error) {
	packed, cut := io.ReadAll(res.Body)
	err := res.Body.Close()
	if err != nil && cut == nil {
		return nil, fmt.Errorf("close body: %w", err)
	}
	res.Body = io.NopCloser(bytes.NewReader(packed))
	if cut != nil {
		res.Body = io.NopCloser(io.MultiReader(bytes.NewReader(packed), broken{cut}))
	}
	answer := &Answer{
		Method: req.Method, Path: req.URL.EscapedPath(), Status: res.StatusCode, Header: res.Header, Body: packed, Cut: cut != nil,
	}
	if cut == nil && len(packed) > 0 && res.Header.Get("Content-Encoding") == "gzip" {
		answer.Body, err = unpack(packed)
	}
	return answer, err
}

func unpack(packed []byte) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("unpack body: %w", err)
	}
	content, err := io.ReadAll(reader)
	if err != nil {
		return nil, fmt.Errorf("unpack body: %w", err)
	}
	return content, nil
}

// broken is a body that ends with an error.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }
