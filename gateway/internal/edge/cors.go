package edge

import (
	"net/http"
	"slices"
)

// cors lets pages of the named origins read answers. None is named by default: institutions
// and the platform call from servers, which need no CORS (pui.md S-14).
type cors struct {
	origins []string
}

func newCORS(origins []string) cors {
	return cors{origins: origins}
}

const (
	corsHeaders = "Authorization, Content-Encoding, Content-Type, If-None-Match, X-API-Key, X-Request-ID"
	corsExposed = "ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-ID"
	corsMaxAge  = "600"
)

// shareOrigin names the origin to the browser and answers its preflight.
func (e *Edge) shareOrigin(next http.Handler) http.Handler {
	if len(e.cors.origins) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Add("Vary", "Origin")
		origin := r.Header.Get("Origin")
		if !slices.Contains(e.cors.origins, origin) {
			next.ServeHTTP(w, r)
			return
		}
		header.Set("Access-Control-Allow-Origin", origin)
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			header.Set("Access-Control-Allow-Methods", of(r).allowed())
			header.Set("Access-Control-Allow-Headers", corsHeaders)
			header.Set("Access-Control-Max-Age", corsMaxAge)
			w.WriteHeader(http.StatusNoContent)
			return
		}
		header.Set("Access-Control-Expose-Headers", corsExposed)
		next.ServeHTTP(w, r)
	})
}
