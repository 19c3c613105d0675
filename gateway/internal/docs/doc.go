// Package docs serves the documentation (contract.md section 6): /docs for trying the routes
// out, /redoc for reading, /openapi.json, and in every mode a page for the type of each
// problem.
//
// Everything comes from the binary and nothing from elsewhere: openapi.json is made by
// proto/tools/openapi, assets/ holds the libraries (see PROVENANCE), pages/ is our own. The
// pages refer to what they need relative to themselves, so they work under any ROOT_PATH.
// Start reading at [Routes]. Whether to serve anything is decided there, once.
package docs
