package docs

import (
	"bytes"
	"fmt"
	"html/template"
	"regexp"

	"github.com/enlace-iis/enlace/gateway/internal/routes"
	"github.com/enlace-iis/enlace/proto/errores"
)

// An explanation is what a page says of a codigo.
type explanation struct {
	Codigo, Titulo, Causa, Cura string
	Estado                      int
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
	var pages []routes.Local
	for _, motivo := range errores.Motivos() {
		e := explanation{
			Codigo: errores.Codigo(motivo), Estado: errores.Status(motivo),
			Titulo: errores.Titulo(motivo), Causa: errores.Causa(motivo), Cura: errores.Cura(motivo),
		}
		var page bytes.Buffer
		err := errorPage.Execute(&page, e)
		if err != nil {
			return nil, fmt.Errorf("explain %s: %w", e.Codigo, err)
		}
		pages = append(pages, routes.Local{Pattern: "/errores/" + e.Codigo, Handler: routes.Content{Body: page.Bytes(), Type: typeHTML}})
	}
	return pages, nil
}
