package routes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/enlace-iis/enlace/proto/jsonwire"
)

// A Call is the body of a request on its way through the mux. Generated handlers hand it to the
// decoder as the reader, and flatten the decoder's error to a text: the Call keeps the error
// with its place. It also carries what the streams of this package learn to the log line.
type Call struct {
	// Source is the body as it comes from the client, [http.NoBody] once it has been read.
	Source io.ReadCloser
	// Body is what has been read of it, decompressed. The message shares its memory after decoding.
	Body []byte
	// Head is set when nothing but the headers is wanted.
	Head bool
	// Begin is called before a list or a file begins to be sent, and may refuse it. Nil: none is.
	Begin func(context.Context) error

	// Err is the decoder's error, nil if the body was read.
	Err error
	// Ignored names the unknown fields that a Lenient route skipped.
	Ignored []string
	// ReporteID is what the body of a Lenient route that could not be read names as its id.
	ReporteID string
	// Aborted is why a list was cut after its first byte.
	Aborted error
}

// Read gives nothing: the decoder takes the body whole.
func (c *Call) Read([]byte) (int, error) { return 0, io.EOF }

// Close does nothing: the body is net/http's to close.
func (c *Call) Close() error { return nil }

// take hands the body over, so that its memory is free once the message has been sent.
func (c *Call) take() []byte {
	body := c.Body
	c.Body = nil
	return body
}

// marshaler is the JSON of the contract as a [runtime.Marshaler]. Its decoder finds out by the
// message that it fills how the body is to be read.
type marshaler map[protoreflect.FullName]*Route

// NewMarshaler gives the JSON of the table's routes.
func NewMarshaler(t *Table) runtime.Marshaler {
	m := marshaler{}
	for _, route := range t.all {
		m[route.reads] = route
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

func (m marshaler) NewDecoder(r io.Reader) runtime.Decoder {
	return runtime.DecoderFunc(func(v any) error {
		call, ok := r.(*Call)
		if !ok {
			return errors.New("the body does not come from edge")
		}
		call.Err = m.decode(call, v)
		return call.Err
	})
}

// decode fills what a generated handler points at: the request, a field of it that is a
// message, or the bytes of a signed body.
func (m marshaler) decode(call *Call, v any) error {
	if bytes, ok := v.(*[]byte); ok {
		*bytes = call.take()
		return nil
	}
	message, ok := v.(proto.Message)
	if field := reflect.ValueOf(v); !ok && field.Kind() == reflect.Pointer && field.Elem().Kind() == reflect.Pointer {
		field.Elem().Set(reflect.New(field.Type().Elem().Elem()))
		message, ok = field.Elem().Interface().(proto.Message)
	}
	if !ok {
		return fmt.Errorf("read a body into %T", v)
	}
	return m.read(call, message)
}

func (m marshaler) read(call *Call, message proto.Message) (err error) {
	route, known := m[message.ProtoReflect().Descriptor().FullName()]
	if !known {
		route = &Route{}
	}
	text := call.take()
	switch route.Body {
	case Ignored:
		if len(text) > 0 {
			err = jsonwire.Valid(text)
		}
	case Batch:
		err = jsonwire.ReadRegistros(text, message, route.MaxRegistros)
	case Lenient:
		call.Ignored, err = jsonwire.ReadLenient(text, message)
		// The body of a report that cannot be read may have its id all the same.
		if named, ok := message.(interface{ GetId() string }); ok && err != nil && len(named.GetId()) <= maxID {
			call.ReporteID = named.GetId()
		}
	default:
		err = jsonwire.Read(text, message)
	}
	return err
}

// maxID is longer than any id is, and short enough to be handed on.
const maxID = 128
