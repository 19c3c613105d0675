package routes

import (
	"context"
	"io"
)

// A Call is the body of a request that edge has read whole. Generated handlers hand it to the
// decoder as the reader, and flatten the decoder's error to a text: the Call keeps the error
// with its place. It also carries what the streams of this package learn to the log line.
type Call struct {
	// Body is the decompressed body. The message shares its memory after decoding.
	Body []byte
	// Head is set when nothing but the headers is wanted.
	Head bool
	// Begin is called before a list or a file begins to be sent, and may refuse it. Nil: none is.
	Begin func(context.Context) error

	// Err is the decoder's error, nil if the body was read.
	Err error
	// Ignored names the unknown fields that a Lenient route skipped.
	Ignored []string
	// ReporteID is what the body of a Lenient route that could not be read names as its id.
	ReporteID string
	// Aborted is why a list was cut after its first byte.
	Aborted error
}

// Read gives nothing: the decoder takes the body whole.
func (c *Call) Read([]byte) (int, error) { return 0, io.EOF }

// Close does nothing.
func (c *Call) Close() error { return nil }

// take hands the body over, so that its memory is free once the message has been sent.
func (c *Call) take() []byte {
	body := c.Body
	c.Body = nil
	return body
}
