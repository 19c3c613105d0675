// Package entregas tells the platform what registros found, each thing once: an Envío with its
// attempts, each of which one circuit for the institution lets through.
//
// Start with entrega.go. The invariant that it keeps with package reportes stands there.
package entregas
