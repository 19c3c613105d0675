package routes

import (
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
)

// encoded takes a message as it came. Receiving the next one into it uses its memory again.
type encoded []byte

// codec is gRPC's own, but for what is to stay encoded.
type codec struct {
	encoding.CodecV2
}

var protobuf encoding.CodecV2 = codec{encoding.GetCodecV2(proto.Name)}

func (c codec) Unmarshal(data mem.BufferSlice, message any) error {
	kept, ok := message.(*encoded)
	if !ok {
		return c.CodecV2.Unmarshal(data, message)
	}
	*kept = (*kept)[:0]
	for _, piece := range data {
		*kept = append(*kept, piece.ReadOnlyData()...)
	}
	return nil
}
