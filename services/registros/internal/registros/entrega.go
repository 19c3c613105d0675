package registros

import (
	"context"
	"fmt"
	"time"

	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Paso is the next thing that the platform must be told of a Caso: a Coincidencia, or that
// the historical search is over. The zero Paso means that there is nothing to tell now.
type Paso struct {
	Coincidencia *Coincidencia
	Finish       *Reporte
}

// Avance is how far a Caso has come, which decides what is told of it next.
type Avance struct {
	Reporte      Reporte // its ID and Ciclo
	Estado       EstadoCaso
	Buscado      bool // phases 1 and 2 have run
	Finalizacion Finalizacion
	// Pendiente is the first Coincidencia, by phase and then by age, that is still to be told.
	Pendiente *Coincidencia
}

// Next is the next step: what phases 1 and 2 found, then the end of the search, then what phase 3
// finds (pui.md 3.2). A disappearance date that is given or corrected later starts phase 2 after
// the end was told: what it finds is next before phase 3's, and there is no second end (rule 12).
func (a Avance) Next() Paso {
	switch {
	case a.Estado == CasoCerrado || !a.Buscado:
		return Paso{}
	case !a.Finalizacion.Over() && (a.Pendiente == nil || a.Pendiente.Fase == manual.FaseContinua):
		return Paso{Finish: &a.Reporte}
	default:
		return Paso{Coincidencia: a.Pendiente}
	}
}

// Plataforma is the way to the national platform. Both methods may be repeated with the
// same arguments without telling anything twice that was accepted.
type Plataforma interface {
	Notify(ctx context.Context, empresa tenant.EmpresaID, c Coincidencia) (envio.Respuesta, error)
	Finish(ctx context.Context, empresa tenant.EmpresaID, r Reporte) (envio.Respuesta, error)
}

// PasoStore is what a delivery needs from storage.
type PasoStore interface {
	// NextPaso gives what is to be told next, see [Avance.Next].
	NextPaso(ctx context.Context, empresa tenant.EmpresaID, caso CasoID) (Paso, error)
	// RecordPaso writes down how a step ended and gives what is to be told next, which after
	// MasTarde is mostly the same.
	RecordPaso(ctx context.Context, empresa tenant.EmpresaID, caso CasoID, paso Paso, r envio.Respuesta) (Paso, error)
}

// cancelPause is how long a delivery rests that finds its report deactivated: the Caso is
// about to be closed, which cancels what is pending; until then there is no hurry.
const cancelPause = 30 * time.Second

// Entrega tells the platform what was found, one Caso at a time and in order.
type Entrega struct {
	Store      PasoStore
	Plataforma Plataforma
	// Budget bounds one drain, so that a Caso with many Coincidencias lets others through.
	Budget time.Duration
}

// Drain takes the steps of a Caso one after the other until nothing is left, a step must
// wait, or the budget is used up. It returns how long to pause before going on, and
// whether nothing was left. Each step is recorded before the next one is taken.
func (e Entrega) Drain(ctx context.Context, empresa tenant.EmpresaID, caso CasoID) (pause time.Duration, drained bool, err error) {
	started := time.Now()
	paso, err := e.Store.NextPaso(ctx, empresa, caso)
	if err != nil {
		return 0, false, fmt.Errorf("look for the next step: %w", err)
	}
	for paso != (Paso{}) {
		if time.Since(started) >= e.Budget {
			return 0, false, nil
		}
		respuesta, err := e.take(ctx, empresa, paso)
		if err != nil {
			return 0, false, err
		}
		if respuesta.Resultado == envio.Cancelado {
			return cancelPause, false, nil
		}
		paso, err = e.Store.RecordPaso(ctx, empresa, caso, paso, respuesta)
		if err != nil {
			return 0, false, fmt.Errorf("record the step: %w", err)
		}
		if respuesta.Resultado == envio.MasTarde && paso != (Paso{}) {
			return respuesta.Esperar, false, nil
		}
	}
	return 0, true, nil
}

func (e Entrega) take(ctx context.Context, empresa tenant.EmpresaID, paso Paso) (envio.Respuesta, error) {
	if paso.Coincidencia != nil {
		respuesta, err := e.Plataforma.Notify(ctx, empresa, *paso.Coincidencia)
		if err != nil {
			return envio.Respuesta{}, fmt.Errorf("notify coincidencia %s: %w", paso.Coincidencia.ID, err)
		}
		return respuesta, nil
	}
	respuesta, err := e.Plataforma.Finish(ctx, empresa, *paso.Finish)
	if err != nil {
		return envio.Respuesta{}, fmt.Errorf("finish search: %w", err)
	}
	return respuesta, nil
}
