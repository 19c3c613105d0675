// Package clients drives the built system with clients that are generated from the public
// contract (proto/openapi/openapi.json) by the generators that institutions use: oapi-codegen
// for Go (testdata/goclient), openapi-typescript with openapi-fetch for TypeScript (folder
// typescript).
//
// What it holds is that the document makes clients which compile, whose types fit what the
// service really answers, and with which an institution's whole task can be done. What each
// route answers is package golden's.
package clients
