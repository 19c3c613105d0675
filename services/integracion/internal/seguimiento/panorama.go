package seguimiento

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Panorama is an institution with what an operator looks for in it.
type Panorama struct {
	cuentas.Empresa
	ReportesActivos int
	LlavesActivas   int
	LlaveCaducaEn   time.Time // the first of them; zero: none expires
	Pasos           Pasos
	// Actividad is what registros knows; nil while it does not answer.
	Actividad *Actividad
}

// Pasos are the steps of joining, as far as integracion knows them.
type Pasos struct {
	ClaveEntrada            bool
	ClaveSalida             bool
	Llave                   bool
	PrimerUso               bool // of a key: the first ping
	PrimeraActivacionPrueba bool
	PrimerReporte           bool
	Sitio                   bool // without it, a record that has no place is told without one
}

// Actividad is what registros knows of an institution.
type Actividad struct {
	EmpresaID         tenant.EmpresaID
	UltimoRegistroEn  time.Time // zero: none was written yet
	Pendientes        int
	PendienteDesde    time.Time // zero: none waits
	Rechazadas        int
	FinalesRechazados int
	CargaTerminadaEn  time.Time // zero: it is loading, and nothing is searched
}

// actividadLimit bounds how long operators wait for what registros knows: the rest is worth
// showing without it.
const actividadLimit = 2 * time.Second

// Panoramas gives all institutions by id; of a state that is not empty those alone.
func (s *Seguimiento) Panoramas(ctx context.Context, estado cuentas.EstadoEmpresa) ([]Panorama, error) {
	if estado != "" && estado != cuentas.EmpresaActiva && estado != cuentas.EmpresaSuspendida {
		return nil, errs.FiltroNoAdmitido("/estado", "activa o suspendida")
	}
	all, err := s.panoramas(ctx, "")
	if err != nil || estado == "" {
		return all, err
	}
	var chosen []Panorama
	for _, each := range all {
		if each.Estado == estado {
			chosen = append(chosen, each)
		}
	}
	return chosen, nil
}

// Panorama gives one institution.
func (s *Seguimiento) Panorama(ctx context.Context, empresa tenant.EmpresaID) (Panorama, error) {
	err := s.checkEmpresa(ctx, empresa)
	if err != nil {
		return Panorama{}, err
	}
	found, err := s.panoramas(ctx, empresa)
	if err != nil {
		return Panorama{}, err
	}
	if len(found) == 0 {
		return Panorama{}, errSinEmpresa()
	}
	return found[0], nil
}

func (s *Seguimiento) panoramas(ctx context.Context, empresa tenant.EmpresaID) ([]Panorama, error) {
	all, err := s.Store.ListPanoramas(ctx, empresa)
	if err != nil {
		return nil, err
	}
	actividades, err := s.actividades(ctx, empresa)
	if err != nil || actividades == nil {
		return all, err
	}
	for i := range all {
		a := actividades[all[i].ID]
		all[i].Actividad = &a
	}
	return all, nil
}

// actividades are by institution; nil if registros does not answer.
func (s *Seguimiento) actividades(ctx context.Context, empresa tenant.EmpresaID) (map[tenant.EmpresaID]Actividad, error) {
	within, cancel := context.WithTimeout(ctx, actividadLimit)
	defer cancel()
	all, err := s.Casos.ListActividades(within, empresa)
	if away(err) && ctx.Err() == nil {
		return nil, nil //nolint:nilnil // that nothing is known is an answer of its own
	}
	if err != nil {
		return nil, fmt.Errorf("ask registros: %w", err)
	}
	byEmpresa := make(map[tenant.EmpresaID]Actividad, len(all))
	for _, a := range all {
		byEmpresa[a.EmpresaID] = a
	}
	return byEmpresa, nil
}

// away tells that registros did not answer.
func away(err error) bool {
	return errs.Away(err) || errors.Is(err, context.DeadlineExceeded)
}

func errSinEmpresa() error {
	return errs.New(errores.NoEncontrado, cuentas.EmpresaMissing)
}
