// Package pui is the HTTP client of the national platform, the Plataforma Única de
// Identidad (manual §7): it logs in, tells matches and ends of searches, and asks for the
// active reports. It keeps nothing but one token per institution; what an outcome means
// for the delivery, and when to try again, is the domain's.
//
// Invariant: nothing that the manual's expressions refuse is ever sent. Whatever text an
// institution has stored leaves transliterated, and a field that becomes empty is left
// out; see mensaje.go.
//
// No redirect is followed, for the platform's 300 is an answer and not a place (pui.md
// 1.2). Errors and logs carry no token, no clave and no personal data.
package pui
