package edge

import (
	"net/http"
	"strings"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
)

// checkQuery refuses parameters in the address on the institutions' routes: a client that
// sends `page` must learn at once that it is reading the whole list (contract.md 2).
// Elsewhere they are left behind, see dispatch.
func (e *Edge) checkQuery(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if of(r).route.RefusesQuery && r.URL.RawQuery != "" {
			e.refuse(w, r, httperr.New(httperr.ParametroNoAdmitido, unknownParameter(r.URL.RawQuery)))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// unknownParameter names the first parameter if its name is a plain word.
func unknownParameter(query string) string {
	name := query
	if end := strings.IndexAny(query, "=&;"); end >= 0 {
		name = query[:end]
	}
	const maxName = 40
	plain := name != "" && len(name) <= maxName && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z')
	})
	if !plain {
		return "Esta ruta no admite parámetros en la dirección."
	}
	return "El parámetro «" + name + "» no se admite: esta ruta no recibe parámetros en la dirección."
}
