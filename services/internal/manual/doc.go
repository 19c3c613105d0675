// Package manual holds the formats of the platform's technical manual: what a
// date, a CURP, a birthplace, a text, a contact datum and a search id look
// like, and how a text becomes one that the platform takes.
//
// Everything here is a pure function over values. A function answers yes or
// no and never why: which rule is an error, which a doubt, and with what words
// a client is told, belongs to the caller. Nothing here reads a clock, a file
// or the network.
//
// Invariant: what a Transliterate function returns is accepted by the
// expression of the same name, and transliterating it again changes nothing.
package manual
