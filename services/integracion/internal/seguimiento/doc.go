// Package seguimiento answers an operator's questions from both services: how far a Reporte has
// come, what happened in a period, what the platform refused and is to be told again.
package seguimiento
