// Package consola serves the console: /consola and what it loads below it, from the binary.
//
// The pages are plain HTML, CSS and ES modules in static/, served as they lie there. They
// refer to everything relative to themselves, so they work under any ROOT_PATH, and get their
// data from the public routes alone, with the visitor's own credential: this package knows no
// credential and no noun of the domain. Start reading at static/main.js.
package consola
