package edge

import (
	"net/http"

	"github.com/google/uuid"
)

const maxRequestID = 128

// identify gives the request its id: the client's own if it is 1 to 128 printable ASCII
// characters, else a new one that sorts by time.
func (e *Edge) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("X-Request-ID")
		if !isRequestID(id) {
			id = newRequestID()
		}
		w.Header().Set("X-Request-ID", id)
		next.ServeHTTP(w, r.WithContext(withExchange(r.Context(), &exchange{requestID: id})))
	})
}

func newRequestID() string {
	return uuid.Must(uuid.NewV7()).String()
}

func isRequestID(id string) bool {
	return id != "" && len(id) <= maxRequestID && isPrintableASCII(id)
}

func isPrintableASCII(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}
