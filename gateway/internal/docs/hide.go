package docs

import (
	"context"

	"google.golang.org/grpc"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
)

// Hide is for connections of a gateway whose documentation is off: the list of routes at "/" then names none.
func Hide(ctx context.Context, method string, request, answer any, conn *grpc.ClientConn, call grpc.UnaryInvoker, options ...grpc.CallOption) error {
	err := call(ctx, method, request, answer, conn, options...)
	inicio, isInicio := answer.(*integracionv1.GetInicioResponse)
	if isInicio && inicio.GetEndpoints() != nil {
		inicio.Endpoints.Docs = ""
	}
	return err
}
