// Package errores is what the protos cannot say of errors: how a refusal travels with a gRPC
// status. It stands beside them because both sides of a call need it.
package errores
