package edge

import "net/http"

// contentPolicy lets a browser do nothing with an answer. The documentation pages set
// their own.
const contentPolicy = "default-src 'none'; frame-ancestors 'none'"

// secureHeaders sets what every answer has (contract.md sections 2 and 8, pui.md S-24).
// Lists replace the Cache-Control.
func (e *Edge) secureHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setSecureHeaders(w.Header(), of(r).secure)
		next.ServeHTTP(w, r)
	})
}

func setSecureHeaders(header http.Header, secure bool) {
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Content-Security-Policy", contentPolicy)
	header.Set("Cache-Control", "no-store")
	if secure {
		header.Set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
	}
}
