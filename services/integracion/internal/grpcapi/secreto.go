package grpcapi

import (
	"context"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
)

// SecretoServer serves SecretoService.
type SecretoServer struct {
	integracionv1.UnimplementedSecretoServiceServer
	Recifrado *cuentas.Recifrado
}

// ResealSecretos implements SecretoService.
func (s *SecretoServer) ResealSecretos(ctx context.Context, _ *integracionv1.ResealSecretosRequest) (*integracionv1.ResealSecretosResponse, error) {
	done, err := s.Recifrado.Run(ctx)
	if err != nil {
		return nil, err
	}
	return &integracionv1.ResealSecretosResponse{
		Recifrados: int32(done.Recifrados), AlDia: int32(done.AlDia), Quedan: int32(done.Quedan), SinLlave: int32(done.SinLlave),
	}, nil
}
