package registros

import "github.com/enlace-iis/enlace/services/internal/manual"

// historicaAnios is how far back the historical search reaches (manual, phase 2), and ours for
// phase 3.
const historicaAnios = 12

// Ventana is which days' events each phase of a Caso tells (pui.md 3.1 and 3.2). What counts
// besides the day is whether the Registro was committed before the historical search or after:
// the lock of the Empresa says so, never a clock (architecture.md, section 4). 3* is phase 3 of
// what adds to the person's basic data, see [Conocido].
//
//	day of the event                                      committed: before   after
//	no disappearance date
//	  more than twelve years before the activation                     –         –
//	  before the activation                                            –         3
//	  on the day of the activation or after                            3         3
//	a disappearance date
//	  more than twelve years before the activation                     –         –
//	  before the disappearance                                         –         3*
//	  up to the day of the activation                                  2         3
//	  after the day of the activation                                  3         3
//
// Phase 1 takes its data from all Registros, and takes nothing away from the others. A date
// that is given or corrected later makes of the Caso a newly opened one, except that what
// was told already is not told again.
type Ventana struct {
	// HistoricaDesde and HistoricaHasta bound phase 2, both days included; both are zero
	// when there is no phase 2 because the disappearance date is not known (rule 3).
	HistoricaDesde manual.Fecha
	HistoricaHasta manual.Fecha
	// PreviaDesde is the first day of which phase 3 tells what was committed before.
	PreviaDesde manual.Fecha
	// ContinuaDesde is the first day of which phase 3 tells all that is committed after, and
	// CompletaDesde the first of which it tells what adds to the basic data (rule 7).
	ContinuaDesde manual.Fecha
	CompletaDesde manual.Fecha
}

// Ventana gives the days that the phases look at. Days are Mexico City's (rule 5). A
// disappearance in the future leaves phase 2 with an empty window (rule 6).
func (r Reporte) Ventana() Ventana {
	activacion := manual.FechaOf(r.ActivadoEn)
	limite := activacion.AddYears(-historicaAnios)
	if r.FechaDesaparicion.IsZero() {
		return Ventana{PreviaDesde: activacion, ContinuaDesde: limite, CompletaDesde: limite}
	}
	desde := latest(r.FechaDesaparicion, limite)
	return Ventana{
		HistoricaDesde: desde,
		HistoricaHasta: activacion,
		PreviaDesde:    latest(r.FechaDesaparicion, manual.FechaUTC(activacion.Time().AddDate(0, 0, 1))),
		ContinuaDesde:  desde,
		CompletaDesde:  limite,
	}
}

// Alcance is what phase 3 tells of the events of a day.
type Alcance int

// The three of them. LoNuevo is what adds to the person's basic data, see [Conocido].
const (
	Nada Alcance = iota
	LoNuevo
	Todo
)

// Continua gives what phase 3 tells of a day's events that were committed after the search.
func (v Ventana) Continua(dia manual.Fecha) Alcance {
	switch {
	case dia.Before(v.CompletaDesde):
		return Nada
	case dia.Before(v.ContinuaDesde):
		return LoNuevo
	default:
		return Todo
	}
}

func latest(a, b manual.Fecha) manual.Fecha {
	if a.Before(b) {
		return b
	}
	return a
}

// Tramo is a stretch of days, both included, of which a phase tells the Registros that were
// committed before the search. A zero day leaves its side open.
type Tramo struct {
	Fase         manual.Fase
	Desde, Hasta manual.Fecha
}

// Tramos are what the search of a Caso looks at, in this order.
func (v Ventana) Tramos() []Tramo {
	tramos := []Tramo{{Fase: manual.FaseBasicos}}
	if !v.HistoricaDesde.IsZero() {
		tramos = append(tramos, Tramo{manual.FaseHistorica, v.HistoricaDesde, v.HistoricaHasta})
	}
	return append(tramos, Tramo{Fase: manual.FaseContinua, Desde: v.PreviaDesde})
}
