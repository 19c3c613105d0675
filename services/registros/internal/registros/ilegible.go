package registros

import (
	"slices"
	"strings"
	"unicode"

	"github.com/enlace-iis/enlace/proto/errores"
)

// maxNombreAjeno bounds each name that a client made up, all of whose characters may be escaped.
const maxNombreAjeno = 2 * errores.MaxNombreAjeno

// tellIlegibles tells what could not be read of the record at hand, each field where the
// reader found it. Whoever calls over gRPC may say anything of its record, so nothing of it
// is trusted but that it is to be refused.
func (v *validador) tellIlegibles() {
	for _, one := range v.ilegibles {
		f := campo{nombre: shownName(one.Campo), tipo: tipoOf(one.Campo)}
		codigo := CodigoTipoIncorrecto
		if one.Codigo == CodigoCampoDesconocido || one.Codigo == CodigoCampoRepetido {
			codigo = one.Codigo
		}
		v.tell(&f, codigo, GravedadError, func() string { return codigo.mensaje(&f) })
		v.informe.omit(clave{gravedad: GravedadError, codigo: codigo, lugar: lugar{nombre: f.nombre}}, one.Omitidos)
	}
}

// isIlegible tells whether a field, or the record as a whole, came as something else.
func (v *validador) isIlegible(nombre string) bool {
	return slices.ContainsFunc(v.ilegibles, func(one Ilegible) bool {
		return one.Codigo == CodigoTipoIncorrecto && (one.Campo == nombre || one.Campo == "")
	})
}

// tipoOf is what a field should have been.
func tipoOf(campo string) string {
	nombre := campo[strings.LastIndexByte(campo, '/')+1:]
	switch {
	case nombre == "" || nombre == "direccion_evento" || nombre == "domicilio":
		return "un objeto"
	case errores.TakesInteger(nombre):
		return "un texto entre comillas o un número entero"
	default:
		return "un texto entre comillas"
	}
}

// shownName bounds each name of a path, and takes out what would not be seen.
func shownName(path string) string {
	names := strings.SplitN(path, "/", 3)
	for i, name := range names {
		names[i] = cutRunes(strings.Map(withoutControl, strings.ToValidUTF8(name, "\ufffd")), maxNombreAjeno)
	}
	return strings.Join(names, "/")
}

func withoutControl(r rune) rune {
	if unicode.IsControl(r) {
		return unicode.ReplacementChar
	}
	return r
}

func cutRunes(s string, most int) string {
	n := 0
	for i := range s {
		if n == most {
			return s[:i]
		}
		n++
	}
	return s
}
