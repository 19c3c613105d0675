package grpcapi

import (
	"context"
	"crypto/sha256"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/tokens"
	"github.com/enlace-iis/enlace/services/internal/auth"
)

// Access is who may call which method of integracion, as their protos say.
var Access = auth.TableOf(
	integracionv1.InicioService_ServiceDesc.ServiceName,
	integracionv1.SesionService_ServiceDesc.ServiceName,
	integracionv1.ReporteService_ServiceDesc.ServiceName,
	integracionv1.AvisoService_ServiceDesc.ServiceName,
	integracionv1.ApiKeyService_ServiceDesc.ServiceName,
	integracionv1.EmpresaService_ServiceDesc.ServiceName,
	integracionv1.UsuarioService_ServiceDesc.ServiceName,
	integracionv1.CuentaService_ServiceDesc.ServiceName,
	integracionv1.BitacoraService_ServiceDesc.ServiceName,
	integracionv1.SeguimientoService_ServiceDesc.ServiceName,
	integracionv1.SecretoService_ServiceDesc.ServiceName,
	integracionv1.EventoService_ServiceDesc.ServiceName,
	integracionv1.CredencialService_ServiceDesc.ServiceName,
	integracionv1.EntregaService_ServiceDesc.ServiceName,
)

// CheckKey verifies API keys for integracion's own routes, straight from its database.
func CheckKey(keys *cuentas.ApiKeys) auth.RemoteCheck {
	return func(ctx context.Context, keyID string, secretHash [sha256.Size]byte) (auth.Principal, error) {
		key, empresa, err := keys.Verify(ctx, keyID, secretHash[:])
		if err != nil {
			return auth.Principal{}, err
		}
		return auth.Principal{EmpresaID: empresa.ID, EmpresaNombre: empresa.Nombre, Ambitos: key.Ambitos}, nil
	}
}

// TokenVerifier verifies the tokens of /login: signature and times first, then whether the
// institution or the operator still stands behind it, at every call.
type TokenVerifier struct {
	Tokens   *tokens.Tokens
	Sesiones *cuentas.Sesiones
}

// VerifyToken implements [auth.TokenVerifier]. With a refusal it says whose the token was,
// if it was signed here, so that the Bitácora can name the institution.
func (v *TokenVerifier) VerifyToken(ctx context.Context, bearer string) (auth.Principal, error) {
	sesion, err := v.Tokens.Read(bearer)
	if err != nil {
		return auth.Principal{EmpresaID: sesion.EmpresaID, Subject: sesion.Sujeto}, err
	}
	nombre, err := v.Sesiones.Check(ctx, sesion)
	if err != nil {
		return auth.Principal{EmpresaID: sesion.EmpresaID, Subject: sesion.Sujeto}, err
	}
	return auth.Principal{Rol: sesion.Rol, EmpresaID: sesion.EmpresaID, EmpresaNombre: nombre, Subject: sesion.Sujeto}, nil
}
