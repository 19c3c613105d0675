// Package clients drives the built system with clients that are generated from the public
// contract (proto/openapi/openapi.json) by the generators that institutions use: oapi-codegen
// for Go (testdata/goclient), openapi-typescript with openapi-fetch for TypeScript (folder
// typescript); and with the programs that institutions start from (proto/examples), which
// get files as laboratories export them.
//
// What it holds is that the document makes clients which compile, whose types fit what the
// service really answers, and with which an institution's whole task can be done; that the
// programs do it, over a line with faults too; and that no row of such a file is lost but for
// what is required, nor told in a way that the platform refuses. What each route answers is
// package golden's.
package clients
