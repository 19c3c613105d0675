package jsonwire

import (
	"reflect"
	"strings"

	"github.com/enlace-iis/enlace/proto/errores"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

// maxIlegibles is how many unreadable fields are noted one by one. Past it a record has only
// its first, which is enough to have it rejected, and the others are counted. So nobody can
// turn a few bytes into a message each.
const maxIlegibles = errores.MaxObservaciones

// An ilegible is what can be said of a field that cannot be read.
type ilegible struct {
	codigo, campo string
}

// readRecord consumes one record, whatever it is.
func (r *reader) readRecord(p *plan, pointer reflect.Value) *Error {
	r.record, r.within, r.lax = pointer.Interface().(*registrosv1.Registro), "", true
	defer func() { r.record, r.lax = nil, false }()
	if r.token() != '{' {
		return r.pass(errores.TipoIncorrecto, "")
	}
	return r.object(p, pointer.Elem())
}

// note keeps what could not be read of the record at hand.
func (r *reader) note(codigo, name string) {
	what := ilegible{codigo: codigo, campo: r.within + name}
	if len(r.record.Ilegibles) == 0 || r.noted < maxIlegibles {
		r.keep(what)
		return
	}
	known := r.first[what]
	if known == nil {
		what.campo = errores.OtrosCampos
		known = r.first[what]
	}
	if known == nil {
		r.keep(what)
		return
	}
	known.Omitidos++
}

func (r *reader) keep(what ilegible) {
	one := &registrosv1.Ilegible{Codigo: what.codigo, Campo: what.campo}
	r.record.Ilegibles = append(r.record.Ilegibles, one)
	r.noted++
	if r.first == nil {
		r.first = map[ilegible]*registrosv1.Ilegible{}
	}
	if r.first[what] == nil {
		r.first[what] = one
	}
}

// unknown passes over a member of a record that has no such field. Only a lone record with
// a list of records in it is refused as a whole: somebody put another member first, and
// taking his batch for one bad record would lose it.
func (r *reader) unknown(name string) *Error {
	if r.alone && r.within == "" && name == campoRegistros {
		r.pos = r.nameAt
		return r.fail(CodigoCampoDesconocido, mensajeCampoDesconocido).under(name)
	}
	r.note(CodigoCampoDesconocido, pointerEscaper.Replace(shown(name)))
	err := r.colon()
	if err == nil {
		err = r.passOver()
	}
	if err != nil {
		return err.under(shown(name))
	}
	return nil
}

// pass notes a value of a record and goes on behind it.
func (r *reader) pass(codigo, name string) *Error {
	r.note(codigo, name)
	return r.passOver()
}

// passOver goes behind a value that has been noted, however deep it is and whatever its texts.
func (r *reader) passOver() *Error {
	err := r.skip()
	r.garbled = false
	if err != nil {
		err.path = nil // as deep as the value
	}
	return err
}

// isBlank consumes a blank text, which means not given wherever it stands (contract.md 2).
func (r *reader) isBlank() bool {
	ahead := r.scanner
	if ahead.token() != '"' {
		return false
	}
	text, err := ahead.str()
	if err != nil || strings.TrimSpace(text) != "" {
		return false
	}
	r.scanner = ahead
	return true
}

// fits tells whether the value that comes next has the type of a record's field.
func (r *reader) fits(f *field) bool {
	switch c := r.token(); {
	case f.list:
		return c == '['
	case f.kind == kindMessage:
		return c == '{'
	case f.kind == kindText:
		return c == '"' || r.isIntegerAsText(f)
	default:
		return true
	}
}

func (r *reader) isIntegerAsText(f *field) bool {
	return errores.TakesInteger(f.name) && r.digitsAhead() != ""
}

// digitsAhead gives the integer that comes next if it has neither fraction nor exponent, and
// consumes nothing.
func (r *reader) digitsAhead() string {
	ahead := r.scanner
	if ahead.peek() == '-' {
		ahead.pos++
	}
	if !ahead.digits() {
		return ""
	}
	c := ahead.peek()
	if c == '.' || c == 'e' || c == 'E' {
		return ""
	}
	return r.text[r.pos:ahead.pos]
}
