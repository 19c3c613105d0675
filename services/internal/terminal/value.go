package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// object is a JSON object whose fields keep their order. Values are object, []any, string,
// json.Number, bool and nil.
type object []member

type member struct {
	name  string
	value any
}

// valueOf reads an answer, a message or anything that encodes as JSON, into these.
func valueOf(answer any) (any, error) {
	message, is := answer.(proto.Message)
	if is {
		return ofMessage(message.ProtoReflect()), nil
	}
	text, err := encode(answer)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decode(decoder)
}

// ofMessage has every field, by its name in the proto: one without a value is null, as the
// contract's JSON has it.
func ofMessage(message protoreflect.Message) object {
	fields := message.Descriptor().Fields()
	out := make(object, fields.Len())
	for i := range fields.Len() {
		field := fields.Get(i)
		out[i] = member{field.TextName(), ofField(message, field)}
	}
	return out
}

func ofField(message protoreflect.Message, field protoreflect.FieldDescriptor) any {
	if field.IsList() {
		items := message.Get(field).List()
		out := make([]any, items.Len())
		for i := range items.Len() {
			out[i] = ofScalar(field, items.Get(i))
		}
		return out
	}
	if field.HasPresence() && !message.Has(field) {
		return nil
	}
	return ofScalar(field, message.Get(field))
}

func ofScalar(field protoreflect.FieldDescriptor, value protoreflect.Value) any {
	switch field.Kind() {
	case protoreflect.MessageKind:
		return ofMessage(value.Message())
	case protoreflect.BoolKind:
		return value.Bool()
	case protoreflect.StringKind:
		return value.String()
	default:
		return json.Number(value.String())
	}
}

// decode reads one JSON value, which was encoded here.
func decode(decoder *json.Decoder) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	switch token {
	case json.Delim('{'):
		out := object{}
		for decoder.More() {
			name, _ := decoder.Token() // a name follows, for it is our own JSON
			value, err := decode(decoder)
			if err != nil {
				return nil, err
			}
			out = append(out, member{fmt.Sprint(name), value})
		}
		_, err = decoder.Token()
		return out, err
	case json.Delim('['):
		out := []any{}
		for decoder.More() {
			value, err := decode(decoder)
			if err != nil {
				return nil, err
			}
			out = append(out, value)
		}
		_, err = decoder.Token()
		return out, err
	default:
		return token, nil
	}
}

// MarshalJSON implements [json.Marshaler].
func (o object) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := encode(m.name)
		if err != nil {
			return nil, err
		}
		value, err := encode(m.value)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}'), nil
}

// encode is JSON as it is read, not as it stands in a web page.
func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	if err != nil {
		return nil, fmt.Errorf("write answer: %w", err)
	}
	return bytes.TrimRight(out.Bytes(), "\n"), nil
}

// at finds a field by its path, such as "actividad.pendiente_desde".
func at(value any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		fields, is := value.(object)
		if !is {
			return nil
		}
		value = fields.field(name)
	}
	return value
}

func (o object) field(name string) any {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}
