// Package bitacora is the record of who did what, when, and how it ended (S-23 of pui.md 4.3).
// What is done in a transaction leaves its entry there, see package postgres; requests that are
// refused come through [Rechazos], which a flood cannot fill, and what operators were shown
// through [Lecturas].
package bitacora
