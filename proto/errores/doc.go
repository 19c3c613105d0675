// Package errores reads what errores.proto says of each Motivo (its HTTP status, gRPC code, title,
// cause and cure), and carries a refusal with a gRPC status. It stands beside the protos because
// both sides of a call need it, and whoever documents it.
package errores
