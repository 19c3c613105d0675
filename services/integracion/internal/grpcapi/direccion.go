package grpcapi

import (
	"context"
	"slices"

	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/process/header"
)

// EmpresaReader looks institutions up.
type EmpresaReader interface {
	GetEmpresa(ctx context.Context, id tenant.EmpresaID) (cuentas.Empresa, error)
}

// DireccionPropia refuses calls to the own address of an institution that there is not, whoever
// makes them: such an address is no route, and 404 comes before 401 (contract.md 8).
type DireccionPropia struct {
	Empresas EmpresaReader
}

// Layer is a layer of the server that stands before the guard.
func (d DireccionPropia) Layer(ctx context.Context, _ string, next func(context.Context) error) error {
	for _, empresa := range metadata.ValueFromIncomingContext(ctx, header.Direccion) {
		_, err := d.Empresas.GetEmpresa(ctx, tenant.EmpresaID(empresa))
		if err != nil {
			return err
		}
	}
	return next(ctx)
}

// OnlyOwnDireccion is for the guard: under an institution's own address the token is that
// institution's (S-04), which is settled before the request itself is looked at.
func OnlyOwnDireccion(ctx context.Context, principal auth.Principal) error {
	for _, empresa := range metadata.ValueFromIncomingContext(ctx, header.Direccion) {
		if tenant.EmpresaID(empresa) != principal.EmpresaID {
			return errOtraInstitucion()
		}
	}
	return nil
}

// Check does for the institution that a request names what [DireccionPropia.Layer] does for the
// one that the gateway names, and [OnlyOwnDireccion] if own is not empty. Who calls over gRPC alone
// names it in the request only; what came through the gateway was settled before the guard.
func (d DireccionPropia) Check(ctx context.Context, idEmpresa string, own tenant.EmpresaID) error {
	if idEmpresa == "" || slices.Contains(metadata.ValueFromIncomingContext(ctx, header.Direccion), idEmpresa) {
		return nil
	}
	_, err := d.Empresas.GetEmpresa(ctx, tenant.EmpresaID(idEmpresa))
	if err == nil && own != "" && tenant.EmpresaID(idEmpresa) != own {
		return errOtraInstitucion()
	}
	return err
}

func errOtraInstitucion() error {
	return errs.New(errores.SinPermiso, "El token pertenece a otra institución.")
}
