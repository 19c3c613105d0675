package routes

import (
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/enlace-iis/enlace/proto/jsonwire"
)

// marshaler is the JSON of the contract as a [runtime.Marshaler]. Its decoder finds out by the
// message that it fills how the body is to be read.
type marshaler struct {
	bodies map[protoreflect.FullName]body
}

// A body is how the body of a message is read.
type body struct {
	kind         Body
	maxRegistros int
}

// NewMarshaler gives the JSON of the table's routes.
func NewMarshaler(t *Table) runtime.Marshaler {
	m := marshaler{bodies: map[protoreflect.FullName]body{}}
	for _, route := range t.All() {
		if route.reads != "" {
			m.bodies[route.reads] = body{route.Body, route.MaxRegistros}
		}
	}
	return m
}

func (m marshaler) ContentType(any) string { return "application/json" }

// ordinaryAnswer is enough for most answers without growing.
const ordinaryAnswer = 512

// Marshal reserves the memory at once: a large answer that grew would be there twice.
func (m marshaler) Marshal(v any) ([]byte, error) {
	size := ordinaryAnswer
	if message, ok := v.(proto.Message); ok {
		size += proto.Size(message) * 3 / 2
	}
	return jsonwire.Append(make([]byte, 0, size), v)
}

// Unmarshal is for the interface's sake: generated handlers decode from a reader.
func (m marshaler) Unmarshal(data []byte, v any) error {
	return m.decode(&Call{Body: data}, v)
}

func (m marshaler) NewEncoder(w io.Writer) runtime.Encoder {
	return runtime.EncoderFunc(func(v any) error {
		text, err := m.Marshal(v)
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	})
}

var errNoCall = errors.New("the body does not come from edge")

func (m marshaler) NewDecoder(r io.Reader) runtime.Decoder {
	return runtime.DecoderFunc(func(v any) error {
		call, ok := r.(*Call)
		if !ok {
			return errNoCall
		}
		call.Err = m.decode(call, v)
		return call.Err
	})
}

// decode fills what a generated handler points at: the request, a field of it that is a
// message, or the bytes of a signed body.
func (m marshaler) decode(call *Call, v any) error {
	switch into := v.(type) {
	case *[]byte:
		*into = call.take()
		return nil
	case proto.Message:
		return m.read(call, into)
	}
	field := reflect.ValueOf(v)
	if field.Kind() == reflect.Pointer && field.Elem().Kind() == reflect.Pointer {
		field.Elem().Set(reflect.New(field.Type().Elem().Elem()))
		message, ok := field.Elem().Interface().(proto.Message)
		if ok {
			return m.read(call, message)
		}
	}
	return fmt.Errorf("read a body into %T", v)
}

func (m marshaler) read(call *Call, message proto.Message) (err error) {
	how := m.bodies[message.ProtoReflect().Descriptor().FullName()]
	text := call.take()
	switch how.kind {
	case Ignored:
		if len(text) > 0 {
			err = jsonwire.Valid(text)
		}
	case Batch:
		err = jsonwire.ReadRegistros(text, message, how.maxRegistros)
	case Lenient:
		call.Ignored, err = jsonwire.ReadLenient(text, message)
		if err != nil {
			call.ReporteID = idOf(message.ProtoReflect())
		}
	default:
		err = jsonwire.Read(text, message)
	}
	return err
}

// maxID is longer than any id is, and short enough to be handed on.
const maxID = 128

// idOf gives what a message has as its id; empty if it has none.
func idOf(message protoreflect.Message) string {
	field := message.Descriptor().Fields().ByName("id")
	if field == nil {
		return ""
	}
	id := message.Get(field).String()
	if len(id) > maxID {
		return ""
	}
	return id
}
