package jsonwire

import (
	"reflect"
	"slices"
	"strings"
	"unicode"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

// The codes of what may be wrong inside a record (contract.md 4.2).
const (
	codigoCampoRepetido  = "campo_repetido"
	codigoTipoIncorrecto = "tipo_incorrecto"
)

const (
	// maxIlegibles is how many unreadable fields are noted in one record, and
	// maxIlegiblesInBatch in all of them: past it a record has only its first, which is
	// enough to have it rejected. So nobody can turn a few bytes into a message each.
	maxIlegibles        = 100
	maxIlegiblesInBatch = 10_000
	// maxNombreAjeno is how many characters of a name that a client made up are repeated.
	maxNombreAjeno = 64
)

// integersAsText are the fields of a record in which an integer is taken as it is written:
// exports and spreadsheets make numbers of them.
var integersAsText = []string{"folio", "telefono", "codigo_postal", "numero"}

// readRecord consumes one record of a batch, whatever it is.
func (r *reader) readRecord(p *plan, record *registrosv1.Registro, pointer reflect.Value) *Error {
	r.record = record
	defer func() { r.record = nil }()
	if r.token() != '{' {
		return r.pass(codigoTipoIncorrecto, "")
	}
	return r.object(p, pointer.Elem())
}

// note keeps what could not be read of the record at hand.
func (r *reader) note(codigo, name string) {
	all := &r.record.Ilegibles
	if len(*all) > 0 && (len(*all) >= maxIlegibles || r.noted >= maxIlegiblesInBatch) {
		return
	}
	r.noted++
	*all = append(*all, &registrosv1.Ilegible{Codigo: codigo, Campo: r.within + name})
}

// unknown passes over a member of a record that has no such field. Only a lone record with
// a list of records in it is refused as a whole: somebody put another member first, and
// taking his batch for one bad record would lose it.
func (r *reader) unknown(name string) *Error {
	if r.alone && r.within == "" && name == campoRegistros {
		r.pos = r.nameAt
		return r.fail(CodigoCampoDesconocido, mensajeCampoDesconocido).under(name)
	}
	r.note(CodigoCampoDesconocido, shownName(name))
	err := r.colon()
	if err == nil {
		err = r.skip()
	}
	if err != nil {
		return underName(err, name)
	}
	return nil
}

// pass notes a value of a record and goes on behind it.
func (r *reader) pass(codigo, name string) *Error {
	r.note(codigo, name)
	return r.skip()
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
	return slices.Contains(integersAsText, f.name) && r.digitsAhead() != ""
}

// digitsAhead gives the integer that comes next if it is written with digits alone, and
// consumes nothing.
func (r *reader) digitsAhead() string {
	ahead := r.scanner
	if !ahead.digits() {
		return ""
	}
	c := ahead.peek()
	if c == '.' || c == 'e' || c == 'E' {
		return ""
	}
	return r.text[r.pos:ahead.pos]
}

// shownName is what is repeated of a name that a client made up, fit for a JSON Pointer.
func shownName(name string) string {
	n := 0
	for i := range name {
		if n == maxNombreAjeno {
			name = name[:i]
			break
		}
		n++
	}
	return pointerEscaper.Replace(strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return unicode.ReplacementChar
		}
		return c
	}, name))
}
