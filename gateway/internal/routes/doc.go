// Package routes puts the RPCs of the services on one mux of grpc-gateway.
//
// A unary route is served by the handler that protoc-gen-grpc-gateway generates from its
// google.api.http rule; marshaler.go reads and writes the JSON of the contract for it. The
// generator cannot write a JSON array or a file of a stream: list.go and file.go do, in
// [Register]. The options that a rule cannot say, such as the kind of body, are in the protos
// too (opciones.proto); [NewTable] reads them for the middlewares of edge.
package routes
