package routes

import (
	"net/http"
	"strconv"
)

// Content is what a [Local] answers if that never changes.
type Content struct {
	Body []byte
	Type string
	// Policy replaces the answer's content security policy if it is not empty.
	Policy string
}

func (c Content) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	header := w.Header()
	header.Set("Content-Type", c.Type)
	header.Set("Content-Length", strconv.Itoa(len(c.Body)))
	if c.Policy != "" {
		header.Set("Content-Security-Policy", c.Policy)
	}
	// A client that has gone cannot be told anything.
	_, _ = w.Write(c.Body)
}
