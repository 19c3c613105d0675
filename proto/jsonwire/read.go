package jsonwire

import (
	"reflect"
	"regexp"
	"slices"
	"strconv"

	"google.golang.org/protobuf/proto"

	"github.com/enlace-iis/enlace/proto/errores"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

// maxIgnored bounds how many names of ignored fields are kept for the log.
const maxIgnored = 20

// A reader fills messages from one body.
type reader struct {
	scanner

	// lenient passes over unknown fields and keeps their names in ignored.
	lenient bool
	ignored []string
	// wrong is the first of the values whose type is not their field's, in a lenient reading,
	// which goes on: what else the body says may tell whose it is.
	wrong *Error

	// limit is how many elements of a repeated message are kept; what follows is only
	// checked to be JSON, so that an oversized batch costs no memory.
	limit int

	nameAt int // where the current member's name starts

	// record is the one of a batch that is being read; nil outside of one.
	record *registrosv1.Registro
	within string // the path of the message at hand inside the record, with a final slash
	alone  bool   // the body is that one record
	noted  int    // unreadable fields of all records
	first  map[ilegible]*registrosv1.Ilegible

	slabs
}

const unlimited = int(^uint(0) >> 1)

// Read fills m with the JSON object in body. The error is an *[Error]. The texts of m share
// the memory of body, which must not change afterwards.
func Read(body []byte, m proto.Message) error {
	_, err := read(body, m, false)
	return err
}

// ReadLenient is [Read] for the platform's routes: unknown fields are passed over, because
// an activation must not be lost to a new field. It gives the names of some of those, fit
// for a log. A value of a wrong type is an error too, with which m has what could be read.
func ReadLenient(body []byte, m proto.Message) (ignored []string, err error) {
	return read(body, m, true)
}

func read(body []byte, m proto.Message, lenient bool) ([]string, error) {
	p, err := planOf(m)
	if err != nil {
		return nil, err
	}
	r := reader{scanner: newScanner(body), lenient: lenient, limit: unlimited}
	problem := r.root(p, reflect.ValueOf(m).Elem())
	if r.wrong != nil {
		problem = r.wrong
	}
	if problem != nil {
		return nil, problem.located()
	}
	return r.ignored, nil
}

func (r *reader) root(p *plan, into reflect.Value) *Error {
	err := r.notEmpty()
	if err != nil {
		return err
	}
	if r.token() != '{' {
		return r.wrongType(mensajeObjeto)
	}
	err = r.object(p, into)
	if err != nil {
		return err
	}
	return r.end()
}

// object consumes the object that starts at pos and fills a message with it.
func (r *reader) object(p *plan, into reflect.Value) *Error {
	err := r.enter()
	if err != nil {
		return err
	}
	if r.token() == '}' {
		r.leave()
		return nil
	}
	var seen uint64
	expected := 0
	for {
		f, err := r.name(p, expected)
		if err != nil {
			return err
		}
		if f != nil {
			err = r.member(f, &seen, into)
			expected = f.ordinal + 1
		}
		if err != nil {
			return err
		}
		more, err := r.more('}')
		if !more {
			return err
		}
	}
}

// name consumes a member's name and colon and finds its field. Clients send the members of
// one record like those of the one before, mostly in the documented order, so the field
// after the last one is tried first. An unknown member is consumed whole, and f is nil.
func (r *reader) name(p *plan, expected int) (f *field, err *Error) {
	if r.token() != '"' {
		return nil, r.syntax()
	}
	r.nameAt = r.pos
	if expected < len(p.fields) {
		f = &p.fields[expected]
		if r.literal(f.quoted) {
			return f, nil
		}
	}
	name, err := r.str()
	if err != nil {
		return nil, err
	}
	f = p.byName[name]
	if f == nil && r.record != nil {
		return nil, r.unknown(name)
	}
	if f == nil && !r.lenient {
		r.pos = r.nameAt
		return nil, r.fail(CodigoCampoDesconocido, mensajeCampoDesconocido).under(shown(name))
	}
	err = r.colon()
	if f == nil && err == nil {
		r.ignore(name)
		err = r.skip()
	}
	if err != nil {
		return nil, err.under(shown(name))
	}
	return f, nil
}

// member consumes a member's value. null means not given, but the name counts as seen.
func (r *reader) member(f *field, seen *uint64, into reflect.Value) *Error {
	bit := uint64(1) << f.ordinal
	again := *seen&bit != 0
	*seen |= bit
	err := r.memberValue(f, again, into)
	if err != nil {
		return err.under(f.name)
	}
	return nil
}

func (r *reader) memberValue(f *field, again bool, into reflect.Value) *Error {
	switch {
	case again && r.record != nil:
		return r.pass(errores.CampoRepetido, f.name)
	case again:
		r.pos = r.nameAt
		return r.fail(CodigoClaveRepetida, mensajeClaveRepetida)
	case r.token() == 'n':
		return r.skipLiteral("null")
	case r.lenient && r.depth == 1:
		return r.lenientValue(f, into)
	case r.record == nil:
		return r.value(f, into)
	case f.kind == kindMessage && r.isBlank():
		return nil
	case !r.fits(f):
		return r.pass(errores.TipoIncorrecto, f.name)
	default:
		err := r.value(f, into)
		if r.garbled {
			r.garbled = false
			into.Field(f.index).SetZero()
			r.note(errores.UTF8, f.name)
		}
		return err
	}
}

// lenientValue passes over a value of a wrong type, and notes the first.
func (r *reader) lenientValue(f *field, into reflect.Value) *Error {
	start := r.scanner
	err := r.value(f, into)
	if err == nil || err.Codigo != CodigoTipo {
		return err
	}
	if r.wrong == nil {
		r.wrong = err.under(f.name)
	}
	r.scanner = start
	return r.skip()
}

// value consumes the value of a field of a message and stores it.
func (r *reader) value(f *field, object reflect.Value) *Error {
	if f.plain && r.token() == '"' {
		text, err := r.str()
		*f.text(object) = text
		return err
	}
	into := object.Field(f.index)
	if f.list {
		return r.list(f, into)
	}
	if f.kind == kindMessage {
		child := r.newMessage(f.message)
		into.Set(child)
		return r.nested(f, child)
	}
	if f.optional {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	return r.scalar(f.kind, into)
}

// nested consumes a message that is a field of another.
func (r *reader) nested(f *field, child reflect.Value) *Error {
	outer := r.within
	r.within = outer + f.segment
	err := r.message(f.message, child)
	r.within = outer
	return err
}

func (r *reader) message(p *plan, pointer reflect.Value) *Error {
	if p.goType == reflect.TypeFor[registrosv1.Registro]() {
		return r.readRecord(p, pointer)
	}
	if r.token() != '{' {
		return r.wrongType(mensajeObjeto)
	}
	return r.object(p, pointer.Elem())
}

// list consumes an array into a repeated field.
func (r *reader) list(f *field, into reflect.Value) *Error {
	if r.token() != '[' {
		return r.wrongType(mensajeArreglo)
	}
	err := r.enter()
	if err != nil {
		return err
	}
	if r.token() == ']' {
		r.leave()
		return nil
	}
	for i := 0; ; i++ {
		err := r.element(f, i, into)
		if err != nil {
			return err.under(strconv.Itoa(i))
		}
		more, err := r.more(']')
		if !more {
			return err
		}
	}
}

func (r *reader) element(f *field, i int, into reflect.Value) *Error {
	if f.kind != kindMessage {
		into.Grow(1)
		into.SetLen(i + 1)
		return r.scalar(f.kind, into.Index(i))
	}
	if i >= r.limit {
		return r.skip()
	}
	child := r.newMessage(f.message)
	into.Grow(1)
	into.SetLen(i + 1)
	into.Index(i).Set(child)
	return r.message(f.message, child)
}

// wrongType is the error for a value that is not what the field takes. What is no value at
// all is a syntax error instead.
func (r *reader) wrongType(mensaje string) *Error {
	switch c := r.token(); c {
	case '"', '{', '[', 't', 'f', 'n', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return r.fail(CodigoTipo, mensaje)
	default:
		return r.syntax()
	}
}

// ignore keeps the name of a field that was passed over. Upper case is left out of the log:
// it is how a CURP would look.
func (r *reader) ignore(name string) {
	if !fieldName.MatchString(name) {
		name = "otro"
	}
	if len(r.ignored) < maxIgnored && !slices.Contains(r.ignored, name) {
		r.ignored = append(r.ignored, name)
	}
}

// fieldName is how the names of fields look, and no text of a person's.
var fieldName = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,39}$`)
