// Package errores is what the protos cannot say of errors: how a refusal travels with a gRPC
// status, and which HTTP status it is answered with. It stands beside them because both sides
// of a call need it; the latter integracion too, whose Bitácora keeps what was answered.
package errores
