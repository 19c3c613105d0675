// Package registros is the domain of the registros service: what a Registro
// is, when it is admitted, and what it matches. It knows no transport and no
// database.
//
// Start with registro.go for the shape of a record, validacion.go for the
// order in which its rules are applied and validacion_campos.go for the rules
// themselves.
//
// Invariant: a Registro that ValidateLote or Validate admits is normalised and
// within the bounds of contract.md 4.1. Validating it again gives the same
// Registro, so its Huella tells whether a record that is sent again changed.
package registros
