// Package app assembles registros: it makes the parts and connects them. Nothing is decided
// here; what both services have in common starts and stops in package assembly.
package app
