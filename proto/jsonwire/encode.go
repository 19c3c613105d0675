package jsonwire

import (
	"reflect"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// Encode appends a message to dst as package proto does, in two thirds of the time. What the
// contract's JSON does not have is left to package proto.
func Encode(dst []byte, m proto.Message) ([]byte, error) {
	p, err := planOf(m)
	if err != nil {
		return proto.MarshalOptions{}.MarshalAppend(dst, m)
	}
	encoded, ok := p.encode(dst, reflect.ValueOf(m).Elem())
	if !ok {
		return proto.MarshalOptions{}.MarshalAppend(dst, m) // which says why not
	}
	return encoded, nil
}

// encode tells whether it could write all.
func (p *plan) encode(dst []byte, object reflect.Value) (_ []byte, ok bool) {
	for _, i := range p.rest {
		if !object.Field(i).IsZero() {
			dst, err := proto.MarshalOptions{}.MarshalAppend(dst, object.Addr().Interface().(proto.Message))
			return dst, err == nil
		}
	}
	ok = true
	for i := 0; i < len(p.fields) && ok; i++ {
		f := &p.fields[i]
		if f.kind != kindText || f.list {
			dst, ok = f.encode(dst, object.Field(f.index))
		} else if text := f.given(object); text != nil {
			dst, ok = f.encodeText(dst, *text)
		}
	}
	return dst, ok
}

func (f *field) encode(dst []byte, value reflect.Value) (_ []byte, ok bool) {
	if !f.list {
		return f.encodeGiven(dst, value)
	}
	ok = true
	for i := 0; i < value.Len() && ok; i++ {
		dst, ok = f.encodeOne(dst, value.Index(i))
	}
	return dst, ok
}

// encodeGiven writes a value that is no list unless it is absent.
func (f *field) encodeGiven(dst []byte, value reflect.Value) ([]byte, bool) {
	switch {
	case value.IsZero():
		return dst, true
	case f.optional && f.kind != kindMessage:
		return f.encodeOne(dst, value.Elem())
	default:
		return f.encodeOne(dst, value)
	}
}

func (f *field) encodeOne(dst []byte, value reflect.Value) ([]byte, bool) {
	switch f.kind {
	case kindText:
		return f.encodeText(dst, value.String())
	case kindMessage:
		return f.encodeMessage(dst, value)
	case kindBool:
		dst = protowire.AppendVarint(dst, f.tag)
		return protowire.AppendVarint(dst, protowire.EncodeBool(value.Bool())), true
	default:
		dst = protowire.AppendVarint(dst, f.tag)
		return protowire.AppendVarint(dst, uint64(value.Int())), true
	}
}

func (f *field) encodeText(dst []byte, text string) ([]byte, bool) {
	if f.tag < 0x80 && len(text) < 0x80 {
		dst = append(dst, byte(f.tag), byte(len(text)))
		return append(dst, text...), utf8.ValidString(text)
	}
	dst = protowire.AppendVarint(dst, f.tag)
	return protowire.AppendString(dst, text), utf8.ValidString(text)
}

// encodeMessage makes room for the length of a message once that is known.
func (f *field) encodeMessage(dst []byte, pointer reflect.Value) (_ []byte, ok bool) {
	dst = protowire.AppendVarint(dst, f.tag)
	start := len(dst)
	ok = true
	if !pointer.IsNil() {
		dst, ok = f.message.encode(dst, pointer.Elem())
	}
	if !ok {
		return dst, false
	}
	size := len(dst) - start
	dst = protowire.AppendVarint(dst, uint64(size))
	copy(dst[len(dst)-size:], dst[start:start+size])
	protowire.AppendVarint(dst[:start], uint64(size))
	return dst, true
}
