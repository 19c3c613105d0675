// Package resincronizacion compares the Reportes here with the platform's own list of searches,
// and makes up for what was missed. Its rules stand at [Resincronizacion].
package resincronizacion
