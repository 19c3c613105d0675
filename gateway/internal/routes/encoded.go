package routes

import (
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	"github.com/enlace-iis/enlace/proto/jsonwire"
)

// encoded takes a message as it came. Receiving the next one into it uses its memory again.
type encoded []byte

// codec reads and writes messages in the faster way, and leaves encoded what is to stay so.
type codec struct {
	jsonwire.Codec
}

var protobuf = codec{jsonwire.NewCodec()}

func (c codec) Unmarshal(data mem.BufferSlice, message any) error {
	switch into := message.(type) {
	case *encoded:
		*into = (*into)[:0]
		for _, piece := range data {
			*into = append(*into, piece.ReadOnlyData()...)
		}
		return nil
	case proto.Message:
		return jsonwire.Decode(data.Materialize(), into)
	default:
		return c.Codec.Unmarshal(data, message)
	}
}
