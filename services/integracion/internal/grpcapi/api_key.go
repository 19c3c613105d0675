package grpcapi

import (
	"context"
	"strings"

	"google.golang.org/grpc"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// ApiKeyServer serves ApiKeyService.
type ApiKeyServer struct {
	integracionv1.UnimplementedApiKeyServiceServer
	Keys *cuentas.ApiKeys
}

// IssueApiKey implements ApiKeyService. Only here the secrets are shown.
func (s *ApiKeyServer) IssueApiKey(ctx context.Context, req *integracionv1.IssueApiKeyRequest) (*integracionv1.IssueApiKeyResponse, error) {
	nueva := cuentas.NuevaApiKey{
		EmpresaID: tenant.EmpresaID(strings.TrimSpace(req.GetIdEmpresa())),
		Nombre:    req.GetNombre(),
		CaducaEn:  strings.TrimSpace(req.GetCaducaEn()),
	}
	for _, ambito := range req.GetAmbitos() {
		nueva.Ambitos = append(nueva.Ambitos, auth.Ambito(ambito))
	}
	emitida, err := s.Keys.Issue(ctx, nueva)
	if err != nil {
		return nil, err
	}
	return s.emitidaOf(emitida), nil
}

// emitidaOf shows the secrets.
func (s *ApiKeyServer) emitidaOf(emitida cuentas.ApiKeyEmitida) *integracionv1.IssueApiKeyResponse {
	answer := &integracionv1.IssueApiKeyResponse{
		KeyId:     emitida.KeyID,
		ApiKey:    string(emitida.Texto),
		IdEmpresa: string(emitida.EmpresaID),
		Nombre:    emitida.Nombre,
		Ambitos:   ambitosOf(emitida.Ambitos),
		Estado:    string(emitida.Estado(s.Keys.Now())),
		CreadaEn:  rpc.Instant(emitida.CreadaEn),
		CaducaEn:  rpc.OptionalInstant(emitida.CaducaEn),
	}
	if emitida.SecretoWebhook != "" {
		answer.SecretoWebhook = new(string(emitida.SecretoWebhook))
	}
	return answer
}

// RotateApiKey implements ApiKeyService.
func (s *ApiKeyServer) RotateApiKey(ctx context.Context, req *integracionv1.RotateApiKeyRequest) (*integracionv1.RotateApiKeyResponse, error) {
	rotada, err := s.Keys.Rotate(ctx, req.GetKeyId(), cuentas.Rotacion{
		AnteriorHasta: strings.TrimSpace(req.GetRotacion().GetAnteriorHasta()), CaducaEn: strings.TrimSpace(req.GetRotacion().GetCaducaEn()),
	})
	if err != nil {
		return nil, err
	}
	return &integracionv1.RotateApiKeyResponse{Nueva: s.emitidaOf(rotada.Nueva), Anterior: s.apiKeyOf(rotada.Anterior)}, nil
}

// ListApiKeysPorVencer implements ApiKeyService.
func (s *ApiKeyServer) ListApiKeysPorVencer(req *integracionv1.ListApiKeysPorVencerRequest, stream grpc.ServerStreamingServer[integracionv1.ListApiKeysPorVencerResponse]) error {
	keys, err := s.Keys.ListPorVencer(stream.Context(), strings.TrimSpace(req.GetDias()))
	if err != nil {
		return err
	}
	return rpc.SendList(stream, keys, func(chunk []cuentas.ApiKey) *integracionv1.ListApiKeysPorVencerResponse {
		return &integracionv1.ListApiKeysPorVencerResponse{ApiKeys: each(chunk, s.apiKeyOf)}
	})
}

// ListApiKeys implements ApiKeyService.
func (s *ApiKeyServer) ListApiKeys(req *integracionv1.ListApiKeysRequest, stream grpc.ServerStreamingServer[integracionv1.ListApiKeysResponse]) error {
	keys, err := s.Keys.List(stream.Context(), tenant.EmpresaID(req.GetIdEmpresa()))
	if err != nil {
		return err
	}
	return rpc.SendList(stream, keys, func(chunk []cuentas.ApiKey) *integracionv1.ListApiKeysResponse {
		return &integracionv1.ListApiKeysResponse{ApiKeys: each(chunk, s.apiKeyOf)}
	})
}

// RevokeApiKey implements ApiKeyService.
func (s *ApiKeyServer) RevokeApiKey(ctx context.Context, req *integracionv1.RevokeApiKeyRequest) (*integracionv1.RevokeApiKeyResponse, error) {
	key, err := s.Keys.Revoke(ctx, req.GetKeyId())
	if err != nil {
		return nil, err
	}
	return &integracionv1.RevokeApiKeyResponse{ApiKey: s.apiKeyOf(key)}, nil
}

func (s *ApiKeyServer) apiKeyOf(k cuentas.ApiKey) *integracionv1.ApiKey {
	return &integracionv1.ApiKey{
		KeyId:       k.KeyID,
		Prefijo:     k.Prefijo,
		IdEmpresa:   string(k.EmpresaID),
		Nombre:      k.Nombre,
		Ambitos:     ambitosOf(k.Ambitos),
		Estado:      string(k.Estado(s.Keys.Now())),
		CreadaEn:    rpc.Instant(k.CreadaEn),
		CaducaEn:    rpc.OptionalInstant(k.CaducaEn),
		UltimoUsoEn: rpc.OptionalInstant(k.UltimoUsoEn),
		RevocadaEn:  rpc.OptionalInstant(k.RevocadaEn),
	}
}

func ambitosOf(ambitos []auth.Ambito) []string {
	texts := make([]string, len(ambitos))
	for i, ambito := range ambitos {
		texts[i] = string(ambito)
	}
	return texts
}
