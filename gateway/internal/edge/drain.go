package edge

import "net/http"

// Drain makes every further answer end its connection, so that clients leave one by one and
// in order: over HTTP/1 the client reads Connection: close, over HTTP/2 net/http turns it
// into GOAWAY. Requests are answered as before.
func (e *Edge) Drain() {
	e.draining.Store(true)
}

// sendAway takes no connection from under a request: an idle one stays until the server
// shuts down, for its client may be about to use it.
func (e *Edge) sendAway(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if e.draining.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}
