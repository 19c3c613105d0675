package routes

import (
	"context"
	"slices"
	"testing"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"
)

// AddService adds a service that no program has to those of registros, for the time of a test.
func AddService(t testing.TB, name string, register func(context.Context, *runtime.ServeMux, *grpc.ClientConn) error) {
	before := publicServices
	t.Cleanup(func() { publicServices = before })
	publicServices = append(slices.Clone(before), publicService{name, Registros, register})
}
