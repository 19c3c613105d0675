// Command openapi writes the OpenAPI documents: the public contract (the /cliente routes) and the
// document that the gateway serves (every route).
//
// protoc-gen-openapiv2 makes operations and schemas of the protos. This program converts them to
// OpenAPI 3 and adds what Swagger 2 cannot say: what our own options of a method say (opciones), the
// error responses (refusals.json), examples (ejemplos/) and the guide (guia/). What no proto says,
// such as the routes that the gateway answers itself, is edge.json, in OpenAPI's own words. What fits
// nothing in the protos is an error. The same input gives the same bytes.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	swagger := flag.String("swagger", "", "read the `file` that protoc-gen-openapiv2 wrote")
	public := flag.String("public", "", "write the public contract to `file`")
	live := flag.String("live", "", "write the document of every route to `file`")
	flag.Parse()

	err := run(*swagger, *public, *live)
	if err != nil {
		fmt.Fprintln(os.Stderr, "openapi:", err)
		os.Exit(1)
	}
}

func run(swaggerPath, publicPath, livePath string) error {
	swagger, err := os.ReadFile(swaggerPath)
	if err != nil {
		return fmt.Errorf("read swagger: %w", err)
	}
	public, live, err := build(swagger)
	if err != nil {
		return err
	}
	//nolint:gosec // public documents
	return errors.Join(os.WriteFile(publicPath, public, 0o644), os.WriteFile(livePath, live, 0o644))
}
