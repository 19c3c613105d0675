// Package rpc assembles the gRPC servers and clients of Enlace, so that every call is
// bounded, observed and answered alike. It knows neither the services nor who may call
// them: authentication is a [Layer] that the caller adds.
//
// A call passes, from the outside in: request id, recovery of panics, access log and
// metrics, errors to statuses, the caller's layers, the handler. Its request is received and
// decoded by the handler only, so that whoever a layer refuses has cost nothing. Start reading
// at [NewServer] and [Dial].
//
// What others rely on: a handler returns plain Go errors and a client receives them with
// their reason, one hop away (package errs); each call makes one log line; a client never
// reads the text of an error that has no reason.
package rpc
