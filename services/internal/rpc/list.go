package rpc

import (
	"slices"

	"google.golang.org/grpc"
)

// listChunk is how many items of a list travel in one message.
const listChunk = 500

// SendList streams a list that is in memory, a chunk in each message.
func SendList[T, M any](stream grpc.ServerStreamingServer[M], all []T, message func(chunk []T) *M) error {
	for chunk := range slices.Chunk(all, listChunk) {
		err := stream.Send(message(chunk))
		if err != nil {
			return err
		}
	}
	return nil
}
