// Package conformance holds the whole of Enlace, as it is built, against the national
// platform's contract (pui.md): the simulator plays the platform and misbehaves in every
// way that it can, in every phase of a search, and each report must still be told
// completely, in order, and no more than the contract allows.
//
// What an institution of any maker must answer to the platform is package inbound's; it
// runs here against the local system.
package conformance
