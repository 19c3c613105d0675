package jsonwire

import (
	"fmt"
	"reflect"
	"strconv"

	"google.golang.org/protobuf/proto"
)

// Append writes v onto dst: a message as an object, or a slice of messages (what a
// `response_body` names) as an array. Every field is there, in the order of the proto:
// an absent `optional` and an absent message as null, an empty list as [].
func Append(dst []byte, v any) ([]byte, error) {
	value := reflect.ValueOf(v)
	if m, ok := v.(proto.Message); ok {
		p, err := planOf(m)
		if err != nil {
			return dst, err
		}
		return appendPointer(dst, p, value), nil
	}
	if value.Kind() != reflect.Slice || value.Type().Elem().Kind() != reflect.Pointer {
		return dst, fmt.Errorf("write json: %T is neither a message nor a list of messages", v)
	}
	p, err := planOfType(value.Type().Elem().Elem())
	if err != nil {
		return dst, err
	}
	dst = append(dst, '[')
	dst = appendElements(dst, p, value)
	return append(dst, ']'), nil
}

func appendElements(dst []byte, p *plan, list reflect.Value) []byte {
	for i := range list.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendPointer(dst, p, list.Index(i))
	}
	return dst
}

func appendPointer(dst []byte, p *plan, pointer reflect.Value) []byte {
	if pointer.IsNil() {
		return append(dst, "null"...)
	}
	return appendObject(dst, p, pointer.Elem())
}

func appendObject(dst []byte, p *plan, object reflect.Value) []byte {
	dst = append(dst, '{')
	for i := range p.fields {
		f := &p.fields[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, f.quoted...)
		dst = appendField(dst, f, object.Field(f.index))
	}
	return append(dst, '}')
}

func appendField(dst []byte, f *field, value reflect.Value) []byte {
	switch {
	case f.list:
		return appendList(dst, f, value)
	case f.kind == kindMessage:
		return appendPointer(dst, f.message, value)
	case f.optional && value.IsNil():
		return append(dst, "null"...)
	case f.optional:
		return appendScalar(dst, f.kind, value.Elem())
	default:
		return appendScalar(dst, f.kind, value)
	}
}

func appendList(dst []byte, f *field, list reflect.Value) []byte {
	dst = append(dst, '[')
	if f.kind == kindMessage {
		dst = appendElements(dst, f.message, list)
		return append(dst, ']')
	}
	for i := range list.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendScalar(dst, f.kind, list.Index(i))
	}
	return append(dst, ']')
}

func appendScalar(dst []byte, k kind, value reflect.Value) []byte {
	switch k {
	case kindText:
		return AppendText(dst, value.String())
	case kindInteger:
		return strconv.AppendInt(dst, value.Int(), 10)
	default:
		return strconv.AppendBool(dst, value.Bool())
	}
}
