package consola

import (
	"embed"
	"fmt"
	"io/fs"
	"path"

	"github.com/enlace-iis/enlace/gateway/internal/routes"
)

//go:embed static
var files embed.FS

// page is what /consola itself answers; every other file has its own name below it.
const page = "index.html"

// pagePolicy lets the page run the scripts of this host alone and ask this host alone. Trusted
// types take away every way to make markup or a script of a text.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// Routes gives the routes of the console, or none if it is off.
func Routes(enabled bool) ([]routes.Local, error) {
	if !enabled {
		return nil, nil
	}
	static, err := fs.Sub(files, "static")
	if err != nil {
		return nil, fmt.Errorf("open console: %w", err)
	}
	var served []routes.Local
	err = fs.WalkDir(static, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		local, err := route(static, name)
		served = append(served, local)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read console: %w", err)
	}
	return served, nil
}

func route(static fs.FS, name string) (routes.Local, error) {
	contentType, known := contentTypes[path.Ext(name)]
	if !known {
		return routes.Local{}, fmt.Errorf("%s has no known content type", name)
	}
	body, err := fs.ReadFile(static, name)
	if err != nil {
		return routes.Local{}, err
	}
	if name == page {
		return routes.Local{Pattern: "/consola", Handler: routes.Content{Body: body, Type: contentType, Policy: pagePolicy}}, nil
	}
	return routes.Local{Pattern: "/consola/" + name, Handler: routes.Content{Body: body, Type: contentType}}, nil
}
