// Package salud tells whether a text names a study, its result or a diagnosis. Enlace
// accepts and tells none of them (contract.md 4.1): registros asks at the entrance, and
// integracion once more of what it is about to tell.
//
// The list is terminos.txt, with its sources; what it must and must not find stands beside
// the tests. It is a gate against what institutions write by habit, not against somebody who
// hides a word from it.
package salud
