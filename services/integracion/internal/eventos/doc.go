// Package eventos takes the signed events with which a laboratory's system hands over records,
// each once. What is in the record registros decides.
package eventos
