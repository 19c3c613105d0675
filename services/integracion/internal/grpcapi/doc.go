// Package grpcapi is integracion's gRPC surface, a file per service. Handlers translate
// between the wire and the domain and decide nothing; who may call is the access table's
// to say, in access.go.
package grpcapi
