package jsonwire

import (
	"fmt"
	"reflect"

	"google.golang.org/protobuf/proto"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

// campoRegistros is the field that holds the records of the three batch requests.
const campoRegistros = "registros"

// ReadRegistros fills a batch request from any of the three shapes of contract.md 4.2:
//
//	[ … ]                   a bare array
//	{"registros": [ … ]}    the envelope, known by no field of a record before; {} is an empty one
//	{ … }                   a single record
//
// A record that does not have the documented form costs no other one its place: what of it
// cannot be read is noted in it. Pointers are those of the envelope whichever shape came. At most limit records are kept;
// the rest is only checked to be JSON. So whoever counts them finds a batch that is too
// large, and nobody can make this process build a million messages.
func ReadRegistros(body []byte, m proto.Message, limit int) error {
	p, err := planOf(m)
	if err != nil {
		return err
	}
	registros := p.byName[campoRegistros]
	if registros == nil || !registros.list || registros.kind != kindMessage {
		return fmt.Errorf("read registros into %s: no such list", p.name)
	}
	if registros.message.goType != reflect.TypeFor[registrosv1.Registro]() {
		return fmt.Errorf("read registros into %s: not of records", p.name)
	}
	r := reader{scanner: newScanner(body), limit: limit}
	problem := r.notEmpty()
	if problem == nil {
		problem = r.batch(p, registros, reflect.ValueOf(m).Elem())
	}
	if problem == nil {
		problem = r.end()
	}
	if problem != nil {
		return problem.located()
	}
	return nil
}

func (r *reader) batch(p *plan, registros *field, into reflect.Value) *Error {
	list := into.Field(registros.index)
	switch r.token() {
	case '[':
		err := r.list(registros, list)
		if err != nil {
			return err.under(campoRegistros)
		}
		return nil
	case '{':
		if r.isEnvelope(registros.message) {
			return r.object(p, into)
		}
		r.alone = true
		err := r.element(registros, 0, list)
		if err != nil {
			return err.under("0").under(campoRegistros)
		}
		return nil
	default:
		return r.wrongType(mensajeObjetoOArreglo)
	}
}

// isEnvelope looks at the members of the object at pos, until one tells, and consumes nothing.
func (r *reader) isEnvelope(record *plan) bool {
	ahead := r.scanner
	ahead.pos++
	if ahead.token() == '}' {
		return true
	}
	for ahead.token() == '"' {
		name, err := ahead.str()
		if err != nil || record.byName[name] != nil {
			return false
		}
		if name == campoRegistros {
			return true
		}
		err = ahead.colon()
		if err == nil {
			err = ahead.skip()
		}
		if err != nil || ahead.token() != ',' {
			return false
		}
		ahead.pos++
	}
	return false
}
