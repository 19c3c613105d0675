package edge

import (
	"net/http"
	"slices"
	"strings"
)

// contentPolicy lets a browser do nothing with an answer. The documentation pages set
// their own.
const contentPolicy = "default-src 'none'; frame-ancestors 'none'"

// setHeaders sets what every answer has (contract.md sections 2 and 8, pui.md S-24). Lists replace
// the Cache-Control. After [Edge.Drain] each answer ends its connection.
func (e *Edge) setHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("X-Frame-Options", "DENY")
		header.Set("Content-Security-Policy", contentPolicy)
		header.Set("Cache-Control", "no-store")
		if originOf(r.Context()).secure {
			header.Set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
		}
		if e.draining.Load() {
			header.Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// Drain makes every further answer end its connection, so that clients leave one by one and in
// order: over HTTP/1 the client reads Connection: close, over HTTP/2 net/http turns it into GOAWAY.
// No connection is taken from under a request, as [http.Server.SetKeepAlivesEnabled] would: an idle
// one stays until the server shuts down, for its client may be about to use it.
func (e *Edge) Drain() { e.draining.Store(true) }

const (
	corsHeaders = "Authorization, Content-Encoding, Content-Type, If-None-Match, X-API-Key, X-Request-ID"
	corsExposed = "ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-ID"
	corsMaxAge  = "600"
)

// shareOrigin lets pages of the named origins read answers, and answers a browser's preflight. No
// origin is named by default: institutions and the platform call from servers (pui.md S-14).
func (e *Edge) shareOrigin(next http.Handler) http.Handler {
	if len(e.cfg.CORSOrigins) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header, origin := w.Header(), r.Header.Get("Origin")
		header.Add("Vary", "Origin")
		if !slices.Contains(e.cfg.CORSOrigins, origin) {
			next.ServeHTTP(w, r)
			return
		}
		header.Set("Access-Control-Allow-Origin", origin)
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			header.Set("Access-Control-Allow-Methods", strings.Join(matchOf(r.Context()).methods, ", "))
			header.Set("Access-Control-Allow-Headers", corsHeaders)
			header.Set("Access-Control-Max-Age", corsMaxAge)
			w.WriteHeader(http.StatusNoContent)
			return
		}
		header.Set("Access-Control-Expose-Headers", corsExposed)
		next.ServeHTTP(w, r)
	})
}
