package routes

import (
	"google.golang.org/grpc/metadata"
)

// A Call is a request that edge has found in order, on its way to the RPC of its route.
type Call struct {
	Head        bool     // nothing but the headers is wanted
	IfNoneMatch []string // as received
	// Parameters are those of the path, unescaped, and those of the query that the route has.
	Parameters map[string]string
	// Metadata is all that the service is told beside the message.
	Metadata metadata.MD
	// Body is the decompressed body. The message shares its memory, so it must not be
	// used again.
	Body []byte

	// Ignored names the unknown fields that a Lenient route passed over.
	Ignored []string
	// Aborted is why a list was cut after it had begun.
	Aborted error
}

// take hands the body over: once the message has been sent, its memory is free.
func (c *Call) take() []byte {
	body := c.Body
	c.Body = nil
	return body
}
