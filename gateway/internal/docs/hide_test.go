package docs

import (
	"context"
	"errors"
	"testing"

	"google.golang.org/grpc"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
)

func TestHide(t *testing.T) {
	refused := errors.New("refused")
	answers := func(_ context.Context, _ string, _, answer any, _ *grpc.ClientConn, _ ...grpc.CallOption) error {
		inicio, ok := answer.(*integracionv1.GetInicioResponse)
		if ok {
			inicio.Endpoints = &integracionv1.Endpoints{Docs: "/docs", Health: "/health"}
		}
		return refused
	}
	inicio := &integracionv1.GetInicioResponse{}
	err := Hide(t.Context(), "", nil, inicio, nil, answers)
	if !errors.Is(err, refused) || inicio.Endpoints.Docs != "" || inicio.Endpoints.Health != "/health" {
		t.Errorf("answer %v, %v", inicio, err)
	}
	err = Hide(t.Context(), "", nil, &integracionv1.GetInicioResponse{Version: "1"}, nil,
		func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error { return nil })
	if err != nil {
		t.Errorf("an answer without routes: %v", err)
	}
}
