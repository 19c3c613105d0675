// Package evidencia writes an institution's evidence so that a third party can check it without
// us, and checks it: [Exportacion] writes, [Verify] checks. A file has a heading that says of
// whom, of when and of which part of the chain it is, then the searches and matches that
// registros tells of, chained from the beginning of the file, then the entries of the Bitácora
// with their places in its chain (see package bitacora), then a signature (Ed25519) of the
// heading and of both ends.
//
// What a program of today writes, one of later must check: changes get another [formato].
package evidencia
