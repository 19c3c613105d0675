package grpcapi

import (
	"context"
	"crypto/sha256"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/tokens"
	"github.com/enlace-iis/enlace/services/internal/auth"
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
	return auth.Principal{
		Rol: sesion.Rol, EmpresaID: sesion.EmpresaID, EmpresaNombre: nombre, Subject: sesion.Sujeto,
		TokenID: sesion.ID, LoggedInAt: sesion.Desde,
	}, nil
}
