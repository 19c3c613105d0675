package grpcapi

import (
	"context"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/auth"
)

// CredencialServer serves CredencialService.
type CredencialServer struct {
	integracionv1.UnimplementedCredencialServiceServer
	Keys      *cuentas.ApiKeys
	Auditoria *Auditoria
}

// VerifyApiKey implements CredencialService. registros asks for whoever presented the key to it.
func (s *CredencialServer) VerifyApiKey(ctx context.Context, req *integracionv1.VerifyApiKeyRequest) (*integracionv1.VerifyApiKeyResponse, error) {
	key, empresa, err := s.Keys.Verify(ctx, req.GetKeyId(), req.GetSecretoSha256())
	if err != nil {
		s.Auditoria.credencialRefused(ctx, integracionv1.CredencialService_VerifyApiKey_FullMethodName, auth.Principal{}, err)
		return nil, err
	}
	return &integracionv1.VerifyApiKeyResponse{
		EmpresaId: string(empresa.ID), EmpresaNombre: empresa.Nombre, Ambitos: ambitosOf(key.Ambitos), TieneSitio: !empresa.Sitio.IsZero(),
	}, nil
}
