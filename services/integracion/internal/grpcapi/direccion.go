package grpcapi

import (
	"context"
	"slices"
	"time"

	"github.com/maypok86/otter/v2"
	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
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
	empresas EmpresaReader
	// ausentes is a negative cache: ids of no institution, and when they were looked up. A request
	// needs no credential to ask.
	ausentes *otter.Cache[tenant.EmpresaID, time.Time]
}

const (
	maxAusentes = 10_000
	// ausentesFor is how long an institution that was asked for before it was created stays unknown.
	ausentesFor = time.Second
)

// NewDireccionPropia makes one that knows of no institution yet that there is not.
func NewDireccionPropia(empresas EmpresaReader) DireccionPropia {
	return DireccionPropia{empresas: empresas, ausentes: otter.Must(&otter.Options[tenant.EmpresaID, time.Time]{
		MaximumSize: maxAusentes,
		Executor:    func(upkeep func()) { upkeep() },
	})}
}

// find refuses an id of no institution. An id that is not well formed costs no look-up.
func (d DireccionPropia) find(ctx context.Context, id tenant.EmpresaID) error {
	asked, absent := d.ausentes.GetIfPresent(id)
	if absent && time.Since(asked) < ausentesFor || !manual.IsRFC(string(id)) {
		return errs.New(errores.NoEncontrado, cuentas.EmpresaMissing)
	}
	_, err := d.empresas.GetEmpresa(ctx, id)
	if errs.Is(err, errores.NoEncontrado) {
		d.ausentes.Set(id, time.Now())
	}
	return err
}

// Layer is a layer of the server that stands before the guard.
func (d DireccionPropia) Layer(ctx context.Context, _ string, next func(context.Context) error) error {
	for _, empresa := range metadata.ValueFromIncomingContext(ctx, header.Direccion) {
		err := d.find(ctx, tenant.EmpresaID(empresa))
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
	err := d.find(ctx, tenant.EmpresaID(idEmpresa))
	if err == nil && own != "" && tenant.EmpresaID(idEmpresa) != own {
		return errOtraInstitucion()
	}
	return err
}

func errOtraInstitucion() error {
	return errs.New(errores.SinPermiso, "El token pertenece a otra institución.")
}
