package grpcapi

import (
	"context"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
)

// CredencialServer serves CredencialService.
type CredencialServer struct {
	integracionv1.UnimplementedCredencialServiceServer
	Keys *cuentas.ApiKeys
}

// VerifyApiKey implements CredencialService.
func (s *CredencialServer) VerifyApiKey(ctx context.Context, req *integracionv1.VerifyApiKeyRequest) (*integracionv1.VerifyApiKeyResponse, error) {
	key, empresa, err := s.Keys.Verify(ctx, req.GetKeyId(), req.GetSecretoSha256())
	if err != nil {
		return nil, err
	}
	return &integracionv1.VerifyApiKeyResponse{
		EmpresaId: string(empresa.ID), EmpresaNombre: empresa.Nombre, Ambitos: ambitosOf(key.Ambitos), TieneSitio: !empresa.Sitio.IsZero(),
	}, nil
}
