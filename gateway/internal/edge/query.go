package edge

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/enlace-iis/enlace/gateway/internal/routes"
	"github.com/enlace-iis/enlace/proto/errores"
)

// checkQuery refuses parameters in the address that the route does not have: a client that
// sends `page` must learn at once that it is reading the whole list (contract.md 2). Outside
// of the institutions' and the operators' routes they are left behind, see bare.
func (e *Edge) checkQuery(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		route := matchOf(r.Context()).route
		if route.RefusesQuery && r.URL.RawQuery != "" {
			problem := wrongInQuery(route.Filters, r.URL.RawQuery)
			if problem != "" {
				e.refuse(w, r, routes.NewError(errores.ParametroNoAdmitido, problem))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// maxFilter is beyond any instant, day or state.
const maxFilter = 64

// plainParameter is the first parameter if its name is a plain word, which may be repeated.
var plainParameter = regexp.MustCompile(`^([a-z_]{1,40})(?:[=&;]|$)`)

func wrongInQuery(filters []string, query string) string {
	first := plainParameter.FindStringSubmatch(query)
	switch {
	case len(filters) == 0 && first == nil:
		return "Esta ruta no admite parámetros en la dirección."
	case len(filters) == 0:
		return "El parámetro «" + first[1] + "» no se admite: esta ruta no recibe parámetros en la dirección."
	}
	given, err := url.ParseQuery(query)
	if err != nil {
		return "Los parámetros de la dirección no se pudieron leer."
	}
	for name, values := range given {
		switch {
		case !slices.Contains(filters, name):
			return "Esta ruta solo admite estos parámetros en la dirección: " + strings.Join(filters, ", ") + "."
		case len(values) > 1 || len(values[0]) > maxFilter || !utf8.ValidString(values[0]) ||
			strings.ContainsFunc(values[0], func(r rune) bool { return !unicode.IsPrint(r) }):
			return "El parámetro «" + name + "» se da una vez, con un valor de texto corto."
		}
	}
	return ""
}
