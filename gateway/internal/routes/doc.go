// Package routes knows the public routes and carries each to its RPC.
//
// The table of routes is built from the google.api.http rules of the services listed in
// services.go, so a route exists exactly if the contract's protos say so; what a rule
// cannot say is said there too, with the options of opciones.proto. Start reading at
// [NewTable] and [NewMux].
//
// Unary RPCs go through the generated grpc-gateway handlers with our own marshaler, lists
// through one array streamer. The package trusts its caller: edge has matched the route,
// read the body and checked everything that can be checked without a service.
package routes
