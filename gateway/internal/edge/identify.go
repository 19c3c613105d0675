package edge

import (
	"net/http"

	"github.com/enlace-iis/enlace/services/process/header"
)

// identify gives the request its id: the client's own if it can be taken, else a new one.
func (e *Edge) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(header.RequestID)
		if !header.IsRequestID(id) {
			id = header.NewRequestID()
		}
		w.Header().Set(header.RequestID, id)
		next.ServeHTTP(w, r.WithContext(withExchange(r.Context(), &exchange{requestID: id})))
	})
}
