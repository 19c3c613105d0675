package docs

import (
	"embed"
	"fmt"

	"github.com/enlace-iis/enlace/gateway/internal/routes"
)

//go:embed assets/*.js assets/*.css pages
var files embed.FS

// Config is whether and for which address the documentation is served.
type Config struct {
	Enabled bool
	// PublicURL is where clients find the service, without RootPath and final slash.
	PublicURL string
	// RootPath is the public prefix of a proxy in front ("/enlace"), or empty.
	RootPath string
}

// A page may run the scripts of this host alone and ask this host alone. Both libraries set
// styles from their scripts, and ReDoc builds its search index in a worker.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"connect-src 'self'; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const (
	typeHTML       = "text/html; charset=utf-8"
	typeCSS        = "text/css; charset=utf-8"
	typeJavaScript = "text/javascript; charset=utf-8"
	typeJSON       = "application/json"
)

var static = []struct{ pattern, file, contentType, policy string }{
	{"/docs", "pages/docs.html", typeHTML, pagePolicy},
	{"/docs/docs.js", "pages/docs.js", typeJavaScript, ""},
	{"/docs/swagger-ui-bundle.js", "assets/swagger-ui-bundle.js", typeJavaScript, ""},
	{"/docs/swagger-ui.css", "assets/swagger-ui.css", typeCSS, ""},
	{"/redoc", "pages/redoc.html", typeHTML, pagePolicy},
	{"/redoc/redoc.js", "pages/redoc.js", typeJavaScript, ""},
	{"/redoc/redoc.css", "pages/redoc.css", typeCSS, ""},
	{"/redoc/redoc.standalone.js", "assets/redoc.standalone.js", typeJavaScript, ""},
}

// Routes gives the routes of the documentation; if it is off, the explanations of errors
// alone.
func Routes(cfg Config) ([]routes.Local, error) {
	served, err := explanations()
	if err != nil || !cfg.Enabled {
		return served, err
	}
	document, err := cfg.document()
	if err != nil {
		return nil, err
	}
	served = append(served, routes.Local{Pattern: "/openapi.json", Handler: routes.Content{Body: document, Type: typeJSON}})
	for _, each := range static {
		body, err := files.ReadFile(each.file)
		if err != nil {
			return nil, fmt.Errorf("read page: %w", err)
		}
		served = append(served, routes.Local{Pattern: each.pattern, Handler: routes.Content{Body: body, Type: each.contentType, Policy: each.policy}})
	}
	return served, nil
}
