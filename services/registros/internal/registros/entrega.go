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
	// Tras is the place of the last step that was passed in this turn. The next turn begins
	// with the first step again.
	Tras Lugar
}

// Lugar is a place in the order in which the steps of a Caso are taken; the zero one is before all.
type Lugar struct {
	Fase manual.Fase
	ID   CoincidenciaID
}

// Lugar is where the step stands: the end of the search is before all of phase 3.
func (p Paso) Lugar() Lugar {
	switch {
	case p.Coincidencia != nil:
		return Lugar{p.Coincidencia.Fase, p.Coincidencia.ID}
	case p.Finish != nil:
		return Lugar{Fase: manual.FaseContinua}
	default:
		return Lugar{}
	}
}

// Avance is how far a Caso has come, which decides what is told of it next.
type Avance struct {
	Reporte      Reporte // its ID and Ciclo
	Estado       EstadoCaso
	Buscado      bool // phases 1 and 2 have run
	Finalizacion Finalizacion
	FinDebido    bool  // the end was set aside, and its time has come again
	Tras         Lugar // of the last step that was passed in this turn
	// Pendiente is the first Coincidencia behind it, by phase and then by age, that is still to be
	// told and not set aside.
	Pendiente *Coincidencia
}

// Next is the next step: what phases 1 and 2 found, then the end of the search, then what phase 3
// finds (pui.md 3.2), past what was set aside or passed. A disappearance date that is given or corrected later starts phase 2 after
// the end was told: what it finds is next before phase 3's, and there is no second end (rule 12).
func (a Avance) Next() Paso {
	endIsDue := (!a.Finalizacion.Over() || a.FinDebido) && a.Tras.Fase != manual.FaseContinua
	switch {
	case a.Estado == CasoCerrado || !a.Buscado:
		return Paso{}
	case endIsDue && (a.Pendiente == nil || a.Pendiente.Fase == manual.FaseContinua):
		return Paso{Finish: &a.Reporte, Tras: a.Tras}
	case a.Pendiente == nil:
		return Paso{}
	default:
		return Paso{Coincidencia: a.Pendiente, Tras: a.Tras}
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
	// MasTarde is mostly the same, unless it may be passed. After Apartado it is another one until
	// the time given is over.
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
//
// A step that must wait and may be passed comes first again in the next turn. So whatever is told
// behind it was tried right after it failed, and an outage that ends is noticed by the first.
func (e Entrega) Drain(ctx context.Context, empresa tenant.EmpresaID, caso CasoID) (pause time.Duration, drained bool, err error) {
	started := time.Now()
	paso, err := e.Store.NextPaso(ctx, empresa, caso)
	if err != nil {
		return 0, false, fmt.Errorf("look for the next step: %w", err)
	}
	for paso != (Paso{}) {
		passed := paso.Tras != Lugar{}
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
		if respuesta.Seguir && !passed {
			pause = respuesta.Esperar
		}
		if respuesta.Resultado == envio.MasTarde && !respuesta.Seguir && paso != (Paso{}) {
			return max(pause, respuesta.Esperar), false, nil
		}
	}
	return pause, pause == 0, nil
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
