package routes

import (
	"google.golang.org/grpc/mem"

	"github.com/enlace-iis/enlace/proto/jsonwire"
)

// encoded takes a message as it came. Receiving the next one into it uses its memory again.
type encoded []byte

// codec leaves encoded what is to stay so.
type codec struct {
	jsonwire.Codec
}

var protobuf = codec{jsonwire.NewCodec()}

func (c codec) Unmarshal(data mem.BufferSlice, message any) error {
	kept, ok := message.(*encoded)
	if !ok {
		return c.Codec.Unmarshal(data, message)
	}
	*kept = (*kept)[:0]
	for _, piece := range data {
		*kept = append(*kept, piece.ReadOnlyData()...)
	}
	return nil
}
