package registros

import (
	"cmp"
	"slices"

	"github.com/enlace-iis/enlace/proto/errores"
)

// maxDesconocidos bounds how many fields that do not exist the summary tells apart: their
// names are whatever a client makes up.
const maxDesconocidos = 100

// Conteo is how often a field was observed for the same reason.
type Conteo struct {
	Gravedad Gravedad
	Codigo   Codigo
	// Campo is the path inside the record: "domicilio/codigo_postal".
	Campo string
	Total int
}

// lugar is the path of a field inside its record: the address, "" outside of one, and the name.
type lugar struct {
	ambito, nombre string
}

func (l lugar) String() string {
	if l.ambito == "" {
		return l.nombre
	}
	return l.ambito + "/" + l.nombre
}

// informe collects what there is to tell of a batch. However wrong the batch, it never
// holds more than an answer carries: what finds no place is only counted.
type informe struct {
	errores      []anotada
	advertencias []anotada
	vistas       int
	totales      map[clave]int
	desconocidos int // different fields that do not exist, in totales
}

// anotada is an observation with its place among all, the left out ones included.
type anotada struct {
	Observacion
	orden int
}

type clave struct {
	gravedad Gravedad
	codigo   Codigo
	lugar    lugar
}

// count notes an observation and tells whether it finds a place. Errors drive warnings
// out, the last ones first, because they cost a record.
func (i *informe) count(k clave) bool {
	i.vistas++
	i.totales[i.named(k)]++
	if len(i.errores)+len(i.advertencias) < errores.MaxObservaciones {
		return true
	}
	if k.gravedad == GravedadAdvertencia || len(i.advertencias) == 0 {
		return false
	}
	i.advertencias = i.advertencias[:len(i.advertencias)-1]
	return true
}

// omit counts observations that nobody has to word.
func (i *informe) omit(k clave, times int) {
	if times > 0 {
		i.vistas += times
		i.totales[i.named(k)] += times
	}
}

// named is where an observation is counted, which is its own place unless clients have
// made up too many.
func (i *informe) named(k clave) clave {
	if k.codigo != CodigoCampoDesconocido {
		return k
	}
	_, known := i.totales[k]
	switch {
	case known:
	case i.desconocidos == maxDesconocidos:
		k.lugar = lugar{nombre: errores.OtrosCampos}
	default:
		i.desconocidos++
	}
	return k
}

// keep takes an observation that was counted last and found its place.
func (i *informe) keep(o Observacion) {
	a := anotada{Observacion: o, orden: i.vistas}
	if o.Gravedad == GravedadError {
		i.errores = append(i.errores, a)
		return
	}
	i.advertencias = append(i.advertencias, a)
}

// observaciones gives what was kept in the order of the input.
func (i *informe) observaciones() []Observacion {
	kept := slices.Concat(i.errores, i.advertencias)
	slices.SortFunc(kept, func(a, b anotada) int { return cmp.Compare(a.orden, b.orden) })
	var all []Observacion
	for _, a := range kept {
		all = append(all, a.Observacion)
	}
	return all
}

// omitidas is how many observations found no place.
func (i *informe) omitidas() int {
	return i.vistas - len(i.errores) - len(i.advertencias)
}

// resumen gives the counts, the most frequent first; among equals errors come first, then
// by name, so that the same batch is always answered alike.
func (i *informe) resumen() []Conteo {
	all := make([]Conteo, 0, len(i.totales))
	for k, total := range i.totales {
		all = append(all, Conteo{Gravedad: k.gravedad, Codigo: k.codigo, Campo: k.lugar.String(), Total: total})
	}
	slices.SortFunc(all, func(a, b Conteo) int {
		return cmp.Or(
			cmp.Compare(b.Total, a.Total),
			-cmp.Compare(a.Gravedad, b.Gravedad), // "error" sorts after "advertencia"
			cmp.Compare(a.Campo, b.Campo),
			cmp.Compare(a.Codigo, b.Codigo),
		)
	})
	return all
}
