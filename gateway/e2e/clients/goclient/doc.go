// Package goclient is a client of the public contract as an institution would generate it
// with oapi-codegen. Nothing in it is written by hand but its settings, generar.yaml; it is
// here to prove that the document makes a client which works, and is used by tests only.
package goclient
