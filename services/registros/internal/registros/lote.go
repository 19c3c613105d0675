package registros

import (
	"iter"

	"github.com/enlace-iis/enlace/services/internal/manual"
)

// Lote is the verdict on a batch. Every record is either among Validos or
// counted in Rechazados.
type Lote struct {
	// Validos are the admitted records, in the order in which they came.
	Validos []RegistroValido
	// Observaciones are in the order of the records, and within a record in
	// the order of its fields: at most [errores.MaxObservaciones].
	Observaciones []Observacion
	// Omitidas counts the observations beyond those.
	Omitidas int
	// Resumen counts all observations by what they say.
	Resumen []Conteo
	// Rechazados counts the records with at least one error.
	Rechazados int
}

// Errores counts the errors of all records, those left out included.
func (l Lote) Errores() int {
	n := 0
	for _, c := range l.Resumen {
		if c.Gravedad == GravedadError {
			n += c.Total
		}
	}
	return n
}

// RegistroValido is an admitted record with its place in what was sent.
type RegistroValido struct {
	Indice   int
	Registro Registro
}

// ValidateLote validates each of so many records on its own merits, but for a folio that
// comes twice: only its first occurrence can be admitted, and every later one
// is an error that names the first. That holds even if the first is refused.
// hoy is the latest day that it is anywhere in Mexico, after which an event is in the future.
// tieneSitio says that an event without a place is told with the institution's own site.
// The bounds on the number of records are the caller's.
//
// It runs on one core: a batch takes a few milliseconds, which a second core
// could at best halve while it takes that core from another request.
func ValidateLote(entradas iter.Seq[Entrada], total int, hoy manual.Fecha, tieneSitio bool) Lote {
	v := newValidador(hoy, total)
	v.tieneSitio = tieneSitio
	validos := make([]RegistroValido, 0, total)
	i := 0
	for entrada := range entradas {
		// Filled in place: a Registro is half a kilobyte.
		validos = append(validos, RegistroValido{Indice: i})
		if !v.validate(i, &entrada, &validos[len(validos)-1].Registro) {
			validos = validos[:len(validos)-1]
		}
		i++
	}
	return Lote{
		Validos:       validos,
		Observaciones: v.informe.observaciones(),
		Omitidas:      v.informe.omitidas(),
		Resumen:       v.informe.resumen(),
		Rechazados:    total - len(validos),
	}
}
