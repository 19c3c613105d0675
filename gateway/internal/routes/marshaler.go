package routes

import (
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/protobuf/proto"

	"github.com/enlace-iis/enlace/gateway/internal/jsonwire"
)

// marshaler is jsonwire for the generated handlers. How a body is read depends on its
// route, which the [Call] behind the body knows.
type marshaler struct{}

// ordinaryAnswer holds most answers without growing.
const ordinaryAnswer = 512

// Marshal sets the memory aside at once: a large answer that grew would be there twice.
func (marshaler) Marshal(v any) ([]byte, error) {
	size := ordinaryAnswer
	if m, ok := v.(proto.Message); ok {
		size += proto.Size(m) * 3 / 2
	}
	return jsonwire.Append(make([]byte, 0, size), v)
}

func (marshaler) ContentType(any) string {
	return "application/json"
}

func (marshaler) NewDecoder(r io.Reader) runtime.Decoder {
	return runtime.DecoderFunc(func(v any) error {
		reader, ok := r.(callReader)
		if !ok {
			return fmt.Errorf("decode %T: not the body of a call", r)
		}
		return reader.call.decode(v)
	})
}

// Unmarshal and NewEncoder are not used by unary handlers.
func (marshaler) Unmarshal([]byte, any) error {
	return errors.ErrUnsupported
}

func (marshaler) NewEncoder(io.Writer) runtime.Encoder {
	return runtime.EncoderFunc(func(any) error { return errors.ErrUnsupported })
}

// decode fills what a generated handler wants filled: a message, or where the rule's body is
// a field the pointer to one or, for a signed body, the bytes. The handlers flatten errors to text, so the error is
// also kept, for errorHandler.
func (c *Call) decode(v any) error {
	if content, ok := v.(*[]byte); ok {
		*content = c.take()
		return nil
	}
	m, ok := v.(proto.Message)
	if !ok {
		field := reflect.ValueOf(v).Elem()
		field.Set(reflect.New(field.Type().Elem()))
		m = field.Interface().(proto.Message)
	}
	err := c.read(m)
	problem, ok := errors.AsType[*jsonwire.Error](err)
	if ok {
		c.problem = problem
	}
	return err
}

func (c *Call) read(m proto.Message) error {
	body := c.take()
	switch c.Route.Body {
	case Ignored:
		if len(body) == 0 {
			return nil
		}
		return jsonwire.Valid(body)
	case Batch:
		return jsonwire.ReadRegistros(body, m, c.Route.MaxRegistros)
	case Lenient:
		ignored, err := jsonwire.ReadLenient(body, m)
		c.Ignored = ignored
		return err
	default:
		return jsonwire.Read(body, m)
	}
}

// take hands the body over: once the message has been sent, its memory is free.
func (c *Call) take() []byte {
	body := c.Body
	c.Body = nil
	return body
}
