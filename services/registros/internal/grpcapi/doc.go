// Package grpcapi is the gRPC face of registros: it turns messages into domain values and
// back, and decides nothing. Who may call what is in access.go.
package grpcapi
