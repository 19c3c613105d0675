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
// reader found it. A client of gRPC may say anything of its record: an unknown reason is an
// error. A text in another encoding costs the record only where the field is required, or where it
// is not said which one it is.
func (v *validador) tellIlegibles() {
	for _, one := range v.ilegibles {
		f := campo{nombre: shownName(one.Campo), tipo: tipoOf(one.Campo)}
		if ambito, nombre, isWithin := strings.Cut(f.nombre, "/"); isWithin {
			v.ambito, f.nombre = ambito, nombre
		}
		rule := CodigoTipoIncorrecto
		switch one.Codigo {
		case CodigoCampoDesconocido, CodigoCampoRepetido, CodigoUTF8:
			rule = one.Codigo
		}
		k := clave{gravedad: GravedadError, codigo: rule, lugar: lugar{ambito: v.ambito, nombre: f.nombre}}
		if rule == CodigoUTF8 && one.Campo != "" && !slices.Contains(obligatorios, one.Campo) {
			k.gravedad, k.codigo = GravedadAdvertencia, CodigoCampoDescartado
			v.discard(&f, k.codigo, rule)
		} else {
			v.tell(&f, rule, GravedadError, func() string { return rule.mensaje(&f) })
		}
		v.informe.omit(k, one.Omitidos)
		v.ambito = ""
	}
}

// isIlegible tells whether a field, or the record as a whole, came but could not be read.
func (v *validador) isIlegible(nombre string) bool {
	return slices.ContainsFunc(v.ilegibles, func(one Ilegible) bool {
		return (one.Codigo == CodigoTipoIncorrecto || one.Codigo == CodigoUTF8) && (one.Campo == nombre || one.Campo == "")
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
