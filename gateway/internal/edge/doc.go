// Package edge is everything between a client's bytes and the call of an RPC that concerns
// HTTP alone: one middleware a file, put in order by [New], which is where to start
// reading.
//
// A request is refused here for what can be seen without a service: route, method, rate,
// size, type, encoding. The contract wants 401, 403 and 429 before those about the body
// (contract.md 8), and only the services can judge a credential; so before such a refusal,
// the owning service is asked, see access.go; and before a large body is read at all, whose
// memory package intake divides, see admit.go.
//
// What others rely on: nothing of a request reaches a service but what [exchange] holds. A
// header of the client becomes gRPC metadata only in metadata.go.
package edge
