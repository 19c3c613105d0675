package edge

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
	"github.com/enlace-iis/enlace/proto/errores"
)

// checkQuery refuses parameters in the address that the route does not have: a client that
// sends `page` must learn at once that it is reading the whole list (contract.md 2). Outside
// of the institutions' and the operators' routes they are left behind, see dispatch.
func (e *Edge) checkQuery(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := of(r)
		if x.route.RefusesQuery && r.URL.RawQuery != "" {
			err := x.readQuery(r.URL.RawQuery)
			if err != nil {
				e.refuse(w, r, err)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// readQuery takes the parameters that the route has.
func (x *exchange) readQuery(raw string) *httperr.Error {
	if len(x.route.Filters) == 0 {
		return httperr.New(errores.ParametroNoAdmitido, unknownParameter(raw))
	}
	given, err := url.ParseQuery(raw)
	if err != nil {
		return httperr.New(errores.ParametroNoAdmitido, "Los parámetros de la dirección no se pudieron leer.")
	}
	for name, values := range given {
		switch {
		case !slices.Contains(x.route.Filters, name):
			return httperr.New(errores.ParametroNoAdmitido, "Esta ruta solo admite estos parámetros en la dirección: "+strings.Join(x.route.Filters, ", ")+".")
		case len(values) > 1 || !isFilterValue(values[0]):
			return httperr.New(errores.ParametroNoAdmitido, "El parámetro «"+name+"» se da una vez, con un valor de texto corto.")
		}
	}
	return nil
}

// maxFilter is beyond any instant, day or state.
const maxFilter = 64

func isFilterValue(value string) bool {
	return len(value) <= maxFilter && utf8.ValidString(value) &&
		!strings.ContainsFunc(value, func(r rune) bool { return !unicode.IsPrint(r) })
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
