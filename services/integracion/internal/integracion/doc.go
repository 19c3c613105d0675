// Package integracion is the domain of the integracion service: institutions and their
// credentials, what the platform asks (Reportes, Avisos) and what it is told (Envíos). It
// knows no transport and no database; each file declares the small interfaces that its
// noun needs.
//
// Start with reporte.go for what comes in and envio.go for what goes out.
//
// Invariant: nothing about a Reporte leaves for the platform after its deactivation was
// answered. [Entregas] begins an attempt only under the Reporte's row lock and while it is
// active, and [Reportes.Deactivate] answers only once no attempt is under way.
package integracion
