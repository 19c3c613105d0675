package seguimiento

import (
	"context"
	"fmt"
	"slices"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Pedida is a resynchronisation that was asked for.
type Pedida struct {
	EmpresaID tenant.EmpresaID
	// EnCurso: one was waiting or under way already, and serves.
	EnCurso bool
}

// Cola takes work for the jobs.
type Cola interface {
	// Resync tells which institutions have a comparison waiting or under way already.
	Resync(ctx context.Context, empresas []tenant.EmpresaID) (waiting []tenant.EmpresaID, err error)
}

// PeticionesStore is what the requests need from storage.
type PeticionesStore interface {
	bitacora.Store
	GetEmpresa(ctx context.Context, id tenant.EmpresaID) (cuentas.Empresa, error)
	ListEmpresas(ctx context.Context) ([]cuentas.Empresa, error)
	// EnqueueReportes has registros told again how every Reporte stands.
	EnqueueReportes(ctx context.Context) (int, error)
}

// Peticiones is what an operator asks the jobs for.
type Peticiones struct {
	Store PeticionesStore
	Cola  Cola
}

// Resync asks the running service to compare one institution with the platform's
// list, or with an empty id all that can be compared. Its outcome is in the Bitácora.
func (p *Peticiones) Resync(ctx context.Context, empresa tenant.EmpresaID) ([]Pedida, error) {
	ids, err := p.comparable(ctx, empresa)
	if err != nil {
		return nil, err
	}
	waiting, err := p.Cola.Resync(ctx, ids)
	if err != nil {
		return nil, err
	}
	pedidas := make([]Pedida, len(ids))
	for i, id := range ids {
		pedidas[i] = Pedida{EmpresaID: id, EnCurso: slices.Contains(waiting, id)}
		err = p.Store.RecordAsiento(ctx, bitacora.Asiento{
			EmpresaID: id, Tipo: bitacora.AsientoCambio, Accion: "resincronizacion_pedida",
		})
		if err != nil {
			return nil, fmt.Errorf("note the request: %w", err)
		}
	}
	return pedidas, nil
}

// ResendReportes has the running service tell registros again how every Reporte stands,
// and gives how many there are.
func (p *Peticiones) ResendReportes(ctx context.Context) (int, error) {
	reportes, err := p.Store.EnqueueReportes(ctx)
	if err != nil {
		return reportes, err
	}
	err = p.Store.RecordAsiento(ctx, bitacora.Asiento{
		EmpresaID: bitacora.SinEmpresa, Tipo: bitacora.AsientoCambio, Accion: "reportes_reenviados",
		Datos: map[string]any{"reportes": reportes},
	})
	if err != nil {
		return reportes, fmt.Errorf("note the request: %w", err)
	}
	return reportes, nil
}

// comparable gives the institutions that are active and know the platform's address.
func (p *Peticiones) comparable(ctx context.Context, empresa tenant.EmpresaID) ([]tenant.EmpresaID, error) {
	if empresa != "" {
		found, err := p.Store.GetEmpresa(ctx, empresa)
		return []tenant.EmpresaID{found.ID}, err
	}
	all, err := p.Store.ListEmpresas(ctx)
	if err != nil {
		return nil, err
	}
	return cuentas.Comparables(all), nil
}
