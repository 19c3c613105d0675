// Command openapi writes the OpenAPI documents from what protoc-gen-openapiv2 made of the
// protos: the public contract (the /cliente routes) and the document that the gateway
// serves (every route).
//
// The protos give routes, messages, their descriptions and, by their options, who may call, what
// is read, how it is answered and the limits of fields. What no proto says stands in edge.json in
// OpenAPI's own words, and the texts of error responses in refusals.json. The guide for institutions
// is text in guia/, the examples are JSON in ejemplos/. What fits nothing in the protos is an
// error, so that nothing here outlives what it describes. The same input gives the same bytes.
package main

import (
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
	documents, err := build(swagger)
	if err != nil {
		return err
	}
	for path, document := range map[string][]byte{publicPath: documents.public, livePath: documents.live} {
		err := os.WriteFile(path, document, 0o644) //nolint:gosec // a public document
		if err != nil {
			return fmt.Errorf("write document: %w", err)
		}
	}
	return nil
}
