package jsonwire

import (
	"sync"

	"google.golang.org/grpc/encoding"
	encodingproto "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
)

// Codec is gRPC's own codec, made faster: it writes and reads messages by their plans.
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
	if !ok || Check(m) != nil {
		return c.CodecV2.Marshal(message)
	}
	scratch := scratches.Get().(*[]byte)
	encoded, err := Encode((*scratch)[:0], m)
	if err != nil {
		return nil, err
	}
	sent := mem.BufferSlice{mem.Copy(encoded, mem.DefaultBufferPool())}
	if *scratch = encoded; cap(encoded) <= keptScratch {
		scratches.Put(scratch)
	}
	return sent, nil
}

// Unmarshal decodes a message, whose texts keep a copy of data.
func (c Codec) Unmarshal(data mem.BufferSlice, message any) error {
	m, ok := message.(proto.Message)
	if !ok {
		return c.CodecV2.Unmarshal(data, message)
	}
	return Decode(data.Materialize(), m)
}

// keptScratch bounds the bytes that are kept of each scratch: a larger batch is seldom, and would
// be held for ever.
const keptScratch = 4 << 20

// scratches are what messages are encoded into, since how large one is shows only then. A core has
// one at a time, and what is on its way lies in memory of its own size.
var scratches = sync.Pool{New: func() any { return new([]byte) }}
