// Package routes knows the public routes and carries each to its RPC.
//
// The table of routes is built from the google.api.http rules of the services listed in
// services.go, so a route exists exactly if the contract's protos say so; what a rule
// cannot say is said there too, with the options of opciones.proto. grpc-gateway's mux finds
// the path of a request, and the handler of its route calls the RPC: of a list list.go, of
// any other unary.go. Start reading at [NewTable] and [Table.NewMux].
//
// The package trusts its caller: between the two edge has checked the method, read the body,
// and checked everything that can be checked without a service.
package routes
