//go:build compose

// Package compose holds the docker-compose set to what docs/operations.md says of it, on any machine with
// a Docker engine: `make compose-check`. It brings up a set of its own, with its own project
// name, ports, secrets and image tags, as `--profile demo` with three registros and two
// integracion, and takes it away again with all that it made.
//
// It needs an engine, so it is apart from the other suites: only -tags compose builds it. It
// tests; nothing imports it. Grafana stays down: it adds nothing that a program could check.
package compose
