package plataforma

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Errores are the reasons for which something was refused, in the order of the
// manual's table and in its words. They name fields and never repeat values.
type Errores []string

// Error joins the reasons.
func (e Errores) Error() string {
	return strings.Join(e, "; ")
}

// regla judges one value and returns what is wrong with it; nombre is how the
// messages call it.
type regla func(nombre string, valor any) Errores

// campo is one row of the manual's tables.
type campo struct {
	nombre      string
	obligatorio bool
	regla       regla
}

// checkObject applies the rows of a table to an object and refuses what the
// table does not know. prefijo is empty, or the object's name and a dot.
func checkObject(prefijo string, objeto map[string]any, campos []campo) Errores {
	var errores Errores
	conocidos := make(map[string]bool, len(campos))
	for _, c := range campos {
		conocidos[c.nombre] = true
		valor, presente := objeto[c.nombre]
		switch {
		case c.obligatorio && (!presente || valor == nil || valor == ""):
			errores = append(errores, fmt.Sprintf("'%s%s' es obligatorio", prefijo, c.nombre))
		case presente:
			errores = append(errores, c.regla(prefijo+c.nombre, valor)...)
		}
	}
	for _, nombre := range slices.Sorted(maps.Keys(objeto)) {
		if !conocidos[nombre] {
			errores = append(errores, fmt.Sprintf("'%s%s' no es un campo permitido", prefijo, nombre))
		}
	}
	return errores
}

// texto is the rule of a string with a length in characters and, unless nil, an
// expression. A null is not a string: §7 lets a sender omit, not send nothing.
func texto(minimo, maximo int, expresion *regexp.Regexp) regla {
	return func(nombre string, valor any) Errores {
		s, ok := valor.(string)
		if !ok {
			return Errores{fmt.Sprintf("'%s' debe ser una cadena de texto", nombre)}
		}
		if n := utf8.RuneCountInString(s); n < minimo || n > maximo {
			return Errores{fmt.Sprintf("'%s' debe tener entre %d y %d caracteres", nombre, minimo, maximo)}
		}
		if expresion != nil && !expresion.MatchString(s) {
			return Errores{fmt.Sprintf("'%s' no cumple el formato requerido", nombre)}
		}
		return nil
	}
}

// fecha is the rule of a day that exists, written YYYY-MM-DD.
func fecha(nombre string, valor any) Errores {
	s, ok := valor.(string)
	if !ok {
		return Errores{fmt.Sprintf("'%s' debe ser una cadena de texto", nombre)}
	}
	if _, err := time.Parse(time.DateOnly, s); err != nil {
		return Errores{fmt.Sprintf("'%s' debe estar en formato YYYY-MM-DD", nombre)}
	}
	return nil
}

// objeto is the rule of a nested object.
func objeto(campos []campo) regla {
	return func(nombre string, valor any) Errores {
		miembros, ok := valor.(map[string]any)
		if !ok {
			return Errores{fmt.Sprintf("'%s' debe ser un objeto", nombre)}
		}
		return checkObject(nombre+".", miembros, campos)
	}
}
