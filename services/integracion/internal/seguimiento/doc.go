// Package seguimiento answers an operator's questions from both services: how far a Reporte has
// come, what needs somebody, what the platform refused and is to be told again.
package seguimiento
