// Package reportes receives what the platform asks: a Reporte to search for, its end, and a
// test of both. It keeps registros' Casos in the same state.
//
// Invariant: nothing about a Reporte leaves for the platform after its deactivation was
// answered. Package entregas begins an attempt only under the Reporte's row lock and while it
// is active, and [Reportes.Deactivate] answers only once no attempt is under way.
package reportes
