package grpcapi

import (
	"cmp"
	"context"
	"path"

	"github.com/enlace-iis/enlace/proto/errores"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// CredencialServer serves CredencialService.
type CredencialServer struct {
	integracionv1.UnimplementedCredencialServiceServer
	Keys      *cuentas.ApiKeys
	Auditoria *Auditoria
}

// VerifyApiKey implements CredencialService. registros asks for the caller that presented the key to
// it, and takes note of the refusal itself.
func (s *CredencialServer) VerifyApiKey(ctx context.Context, req *integracionv1.VerifyApiKeyRequest) (*integracionv1.VerifyApiKeyResponse, error) {
	key, empresa, err := s.Keys.Verify(ctx, req.GetKeyId(), req.GetSecretoSha256())
	if err != nil {
		return nil, err
	}
	return &integracionv1.VerifyApiKeyResponse{
		EmpresaId: string(empresa.ID), EmpresaNombre: empresa.Nombre, Ambitos: ambitosOf(key.Ambitos), TieneSitio: !empresa.Sitio.IsZero(),
	}, nil
}

// RecordRechazos implements CredencialService.
func (s *CredencialServer) RecordRechazos(ctx context.Context, req *integracionv1.RecordRechazosRequest) (*integracionv1.RecordRechazosResponse, error) {
	for _, r := range req.GetRechazos() {
		asiento := solicitudRefused(path.Base(r.GetRpc()), tenant.EmpresaID(r.GetEmpresaId()), r.GetMotivo())
		asiento.Status = errores.Status(r.GetMotivo())
		asiento.Actor = cmp.Or(r.GetSujeto(), bitacora.ActorDesconocido)
		within, cancel := unhurried(bitacora.WithActuacion(ctx, bitacora.Actuacion{RequestID: r.GetRequestId()}))
		s.Auditoria.Rechazos.RecordVeces(within, asiento, max(int(r.GetVeces()), 1))
		cancel()
	}
	return &integracionv1.RecordRechazosResponse{}, nil
}
