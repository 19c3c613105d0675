package docs

import (
	"bytes"
	"fmt"
	"html/template"
	"regexp"
	"strconv"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
	"github.com/enlace-iis/enlace/gateway/internal/routes"
	"github.com/enlace-iis/enlace/proto/errores"
)

// An explanation is what a page says of a codigo.
type explanation struct {
	Codigo, Titulo, Causa, Cura string
	Estado                      string
}

var errorPage = template.Must(template.New("error.html").Funcs(template.FuncMap{"code": code}).ParseFS(files, "pages/error.html"))

// inlineCode is Markdown's.
var inlineCode = regexp.MustCompile("`([^`]*)`")

func code(text string) template.HTML {
	escaped := template.HTMLEscapeString(text)
	return template.HTML(inlineCode.ReplaceAllString(escaped, "<code>$1</code>")) //nolint:gosec // escaped above
}

// explanations are the pages that the types of problems lead to, one for each codigo.
func explanations() ([]routes.Local, error) {
	all := []explanation{{
		Codigo: httperr.SolicitudInvalida, Estado: httperr.EstadosSolicitudInvalida,
		Titulo: httperr.TituloSolicitudInvalida, Causa: httperr.CausaSolicitudInvalida, Cura: httperr.CuraSolicitudInvalida,
	}}
	for _, motivo := range errores.Motivos() {
		all = append(all, explanation{
			Codigo: errores.Codigo(motivo), Estado: strconv.Itoa(errores.Status(motivo)),
			Titulo: errores.Titulo(motivo), Causa: errores.Causa(motivo), Cura: errores.Cura(motivo),
		})
	}
	var pages []routes.Local
	for _, e := range all {
		var page bytes.Buffer
		err := errorPage.Execute(&page, e)
		if err != nil {
			return nil, fmt.Errorf("explain %s: %w", e.Codigo, err)
		}
		pages = append(pages, routes.Local{Pattern: "/errores/" + e.Codigo, Handler: routes.Content{Body: page.Bytes(), Type: typeHTML}})
	}
	return pages, nil
}
