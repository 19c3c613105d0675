package jsonwire

import (
	"sync"

	"google.golang.org/grpc/encoding"
	encodingproto "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
)

// Codec is gRPC's own codec, but for the messages that it sends: it encodes them in the faster way.
type Codec struct {
	encoding.CodecV2
}

// NewCodec makes one.
func NewCodec() Codec {
	return Codec{encoding.GetCodecV2(encodingproto.Name)}
}

// Marshal encodes a message.
func (c Codec) Marshal(message any) (mem.BufferSlice, error) {
	m, ok := message.(proto.Message)
	if !ok {
		return c.CodecV2.Marshal(message)
	}
	scratch := scratches.Get().(*[]byte)
	defer scratches.Put(scratch)
	encoded, err := Encode((*scratch)[:0], m)
	if err != nil {
		return nil, err
	}
	*scratch = encoded
	return mem.BufferSlice{mem.Copy(encoded, mem.DefaultBufferPool())}, nil
}

// scratches are what messages are encoded into, since how large one is shows only then. A core has
// one at a time, and what is on its way lies in memory of its own size.
var scratches = sync.Pool{New: func() any { return new([]byte) }}
