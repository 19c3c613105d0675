package integracionclient

import (
	"context"
	"crypto/sha256"

	"google.golang.org/grpc"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Idempotent names the calls that gRPC may repeat by itself when no replica took them.
var Idempotent = []string{integracionv1.CredencialService_VerifyApiKey_FullMethodName}

// CheckApiKey asks integracion who an API key belongs to.
func CheckApiKey(conn grpc.ClientConnInterface) auth.RemoteCheck {
	client := integracionv1.NewCredencialServiceClient(conn)
	return func(ctx context.Context, keyID string, secretHash [sha256.Size]byte) (auth.Principal, error) {
		answer, err := client.VerifyApiKey(ctx, &integracionv1.VerifyApiKeyRequest{
			KeyId: keyID, SecretoSha256: secretHash[:],
		})
		if err != nil {
			return auth.Principal{}, err
		}
		ambitos := make([]auth.Ambito, len(answer.GetAmbitos()))
		for i, ambito := range answer.GetAmbitos() {
			ambitos[i] = auth.Ambito(ambito)
		}
		return auth.Principal{
			EmpresaID:     tenant.EmpresaID(answer.GetEmpresaId()),
			EmpresaNombre: answer.GetEmpresaNombre(),
			TieneSitio:    answer.GetTieneSitio(),
			Ambitos:       ambitos,
		}, nil
	}
}
