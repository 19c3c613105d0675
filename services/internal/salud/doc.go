// Package salud tells whether a text names a study, its result or a diagnosis. Enlace
// accepts and tells none of them (contract.md 4.1): registros asks at the entrance, and
// integracion once more of what it is about to tell.
//
// The list is terminos.txt, with its sources, and vecinos.txt has the words that tell a code,
// a name or an act of administration from a term; what must and must not be found stands
// beside the tests. It is a gate against what institutions write by habit, not against
// somebody who hides a word from it.
package salud
