//go:build compose

// Package compose holds the docker-compose set to what docs/operations.md says of it, on any machine with
// a Docker engine: `make compose-check`. It works in a copy of the checkout as an operator does, with make and
// .env, on a set of its own name, ports, secrets and image tags, with three registros and two integracion and the
// simulator as the platform, and takes it away again with all that it made.
//
// It needs an engine, so it is apart from the other suites: only -tags compose builds it. It
// tests; nothing imports it. Grafana stays down: it adds nothing that a program could check.
package compose
