package jsonwire

import (
	"reflect"
	"unicode/utf8"
	"unsafe"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// Decode reads an encoded message as package proto does, in half the time: the texts of m share
// the memory of encoded, which must not change afterwards, and its messages are made many at a
// time. Where there is anything that the contract's JSON does not have, or nothing can be read,
// the whole is left to package proto.
func Decode(encoded []byte, m proto.Message) error {
	p, err := planOf(m)
	if err == nil {
		var s slabs
		proto.Reset(m)
		if s.decode(p, encoded, reflect.ValueOf(m).Elem()) {
			return nil
		}
	}
	return proto.Unmarshal(encoded, m)
}

// decode tells whether it could read all.
func (all *slabs) decode(p *plan, encoded []byte, into reflect.Value) bool {
	for len(encoded) > 0 {
		tag, content, size := consume(encoded)
		f := p.tagged(tag)
		if size < 0 || f == nil || !all.decodeField(f, content, into) {
			return false
		}
		encoded = encoded[size:]
	}
	return true
}

func (all *slabs) decodeField(f *field, content []byte, object reflect.Value) bool {
	if f.plain {
		*f.text(object) = sharedText(content)
		return utf8.Valid(content)
	}
	into := object.Field(f.index)
	if f.list {
		into.Grow(1)
		into.SetLen(into.Len() + 1)
		into = into.Index(into.Len() - 1)
	}
	if f.kind == kindMessage {
		// One that comes again adds to the first.
		if into.IsNil() {
			into.Set(all.newMessage(f.message))
		}
		return all.decode(f.message, content, into.Elem())
	}
	if f.optional {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	return setScalar(f.kind, content, into)
}

func setScalar(k kind, content []byte, into reflect.Value) bool {
	if k == kindText {
		into.SetString(sharedText(content))
		return utf8.Valid(content)
	}
	number, _ := protowire.ConsumeVarint(content) // which consume has measured
	if k == kindBool {
		into.SetBool(number != 0)
	} else {
		into.SetInt(int64(number))
	}
	return true
}

// sharedText is a text that shares the memory of content.
func sharedText(content []byte) string {
	return unsafe.String(unsafe.SliceData(content), len(content))
}
