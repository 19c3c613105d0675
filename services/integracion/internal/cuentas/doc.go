// Package cuentas is who may come in and how we go out: the institutions with what they and
// the platform know of each other, the operators, the keys of the laboratories' systems, and
// their logins. Its secrets print as nothing; see [Secreto].
//
// Start with empresa.go for institutions, sesion.go for tokens and api_key.go for keys.
package cuentas
