package jsonwire

import (
	"reflect"
	"slices"
	"strconv"

	"google.golang.org/protobuf/proto"
)

// maxIgnored bounds how many names of ignored fields are kept for the log.
const maxIgnored = 20

// A reader fills messages from one body.
type reader struct {
	scanner

	// lenient passes over unknown fields and keeps their names in ignored.
	lenient bool
	ignored []string

	// limit is how many elements of a repeated message are kept; what follows is only
	// checked to be JSON, so that an oversized batch costs no memory.
	limit int

	nameAt int // where the current member's name starts

	slabs []slab
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
// for a log.
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
	if f == nil && !r.lenient {
		r.pos = r.nameAt
		return nil, underName(r.fail(CodigoCampoDesconocido, mensajeCampoDesconocido), name)
	}
	err = r.colon()
	if f == nil && err == nil {
		r.ignore(name)
		err = r.skip()
	}
	if err != nil {
		return nil, underName(err, name)
	}
	return f, nil
}

// member consumes a member's value. null means not given, but the name counts as seen.
func (r *reader) member(f *field, seen *uint64, into reflect.Value) *Error {
	bit := uint64(1) << f.ordinal
	if *seen&bit != 0 {
		r.pos = r.nameAt
		return r.fail(CodigoClaveRepetida, mensajeClaveRepetida).under(f.name)
	}
	*seen |= bit
	if r.token() == 'n' {
		if !r.null() {
			return r.syntax().under(f.name)
		}
		return nil
	}
	err := r.value(f, into.Field(f.index))
	if err != nil {
		return err.under(f.name)
	}
	return nil
}

// value consumes the value of a field and stores it.
func (r *reader) value(f *field, into reflect.Value) *Error {
	if f.list {
		return r.list(f, into)
	}
	if f.kind == kindMessage {
		child := r.newMessage(f.message)
		into.Set(child)
		return r.message(f.message, child)
	}
	if f.optional {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	return r.scalar(f.kind, into)
}

func (r *reader) message(p *plan, pointer reflect.Value) *Error {
	if r.token() != '{' {
		return r.wrongType(mensajeObjeto)
	}
	return r.object(p, pointer.Elem())
}

func (r *reader) scalar(k kind, into reflect.Value) *Error {
	switch k {
	case kindText:
		if r.token() != '"' {
			return r.wrongType(mensajeTexto)
		}
		text, err := r.str()
		into.SetString(text)
		return err
	case kindInteger:
		return r.setInteger(into)
	default:
		return r.setBool(into)
	}
}

func (r *reader) setInteger(into reflect.Value) *Error {
	c := r.token()
	if c != '-' && (c < '0' || c > '9') {
		return r.wrongType(mensajeEntero)
	}
	start := r.pos
	digits, problem := r.integer()
	if problem != nil {
		return problem
	}
	number, err := strconv.ParseInt(digits, 10, into.Type().Bits())
	if err != nil {
		r.pos = start
		return r.fail(CodigoTipo, mensajeEntero)
	}
	into.SetInt(number)
	return nil
}

func (r *reader) setBool(into reflect.Value) *Error {
	c := r.token()
	switch {
	case r.literal("true"):
		into.SetBool(true)
	case r.literal("false"):
		into.SetBool(false)
	case c == 't' || c == 'f':
		return r.syntax()
	default:
		return r.wrongType(mensajeBooleano)
	}
	return nil
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
	if !isIdentifier(name) || !isLowerCase(name) {
		name = "otro"
	}
	if len(r.ignored) < maxIgnored && !slices.Contains(r.ignored, name) {
		r.ignored = append(r.ignored, name)
	}
}

func isLowerCase(name string) bool {
	return !slices.ContainsFunc([]byte(name), func(c byte) bool { return 'A' <= c && c <= 'Z' })
}
