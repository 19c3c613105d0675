package registros

import (
	"slices"
	"testing"

	"github.com/enlace-iis/enlace/services/internal/manual"
)

func TestRules_windowOfEachPhase(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name         string
		activado     string
		desaparicion string
		desde, hasta string // phase 2
		previa       string // phase 3, committed before
		continua     string // phase 3, all that is committed after
		completa     string // phase 3, what adds of that
	}{
		{"3: without a date there is no phase 2", "2026-06-15T18:00:00Z", "", "", "", "2026-06-15", "2014-06-15", "2014-06-15"},
		{"5: within twelve years", "2026-06-15T18:00:00Z", "2020-02-01", "2020-02-01", "2026-06-15", "2026-06-16", "2020-02-01", "2014-06-15"},
		{"5: exactly twelve years", "2026-06-15T18:00:00Z", "2014-06-15", "2014-06-15", "2026-06-15", "2026-06-16", "2014-06-15", "2014-06-15"},
		{"5: longer ago is cut", "2026-06-15T18:00:00Z", "2014-06-14", "2014-06-15", "2026-06-15", "2026-06-16", "2014-06-15", "2014-06-15"},
		{"5: 29 February minus twelve years is one", "2028-02-29T18:00:00Z", "2000-01-01", "2016-02-29", "2028-02-29", "2028-03-01", "2016-02-29", "2016-02-29"},
		{"5: the day is Mexico City's, before its midnight", "2026-06-16T05:59:59Z", "2000-01-01", "2014-06-15", "2026-06-15", "2026-06-16", "2014-06-15", "2014-06-15"},
		{"5: the day is Mexico City's, after its midnight", "2026-06-16T06:00:00Z", "2000-01-01", "2014-06-16", "2026-06-16", "2026-06-17", "2014-06-16", "2014-06-16"},
		{"7: without a date all that is committed after", "2026-06-16T05:59:59Z", "", "", "", "2026-06-15", "2014-06-15", "2014-06-15"},
	}
	for _, tt := range tests {
		got := Reporte{ActivadoEn: instante(tt.activado), FechaDesaparicion: optionalDay(tt.desaparicion)}.Ventana()
		want := Ventana{
			HistoricaDesde: optionalDay(tt.desde), HistoricaHasta: optionalDay(tt.hasta),
			PreviaDesde: optionalDay(tt.previa), ContinuaDesde: optionalDay(tt.continua), CompletaDesde: optionalDay(tt.completa),
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, want)
		}
	}
}

func TestRule06_aDisappearanceInTheFutureLeavesAnEmptyWindow(t *testing.T) {
	t.Parallel()
	v := Reporte{ActivadoEn: instante("2026-06-15T18:00:00Z"), FechaDesaparicion: optionalDay("2026-06-16")}.Ventana()
	if !v.HistoricaHasta.Before(v.HistoricaDesde) {
		t.Errorf("window %+v is not empty", v)
	}
}

// The table of Ventana, with the days around each of its boundaries. 0 is no phase.
func TestVentana_whichPhaseTellsWhichEvent(t *testing.T) {
	t.Parallel()
	tests := []struct {
		desaparicion, dia string
		before            manual.Fase
		after             Alcance
	}{
		{"", "1900-01-01", 0, Nada},
		{"", "2014-06-14", 0, Nada},
		{"", "2014-06-15", 0, Todo},
		{"", "2026-06-14", 0, Todo},
		{"", "2026-06-15", 3, Todo},
		{"", "2026-06-16", 3, Todo},

		{"2026-04-01", "2014-06-14", 0, Nada},
		{"2026-04-01", "2014-06-15", 0, LoNuevo},
		{"2026-04-01", "2026-03-31", 0, LoNuevo},
		{"2026-04-01", "2026-04-01", 2, Todo},
		{"2026-04-01", "2026-06-14", 2, Todo},
		{"2026-04-01", "2026-06-15", 2, Todo},
		{"2026-04-01", "2026-06-16", 3, Todo},

		// Twelve years ago, and more.
		{"2014-06-15", "2014-06-14", 0, Nada},
		{"2014-06-15", "2014-06-15", 2, Todo},
		{"2000-01-01", "1999-12-31", 0, Nada},
		{"2000-01-01", "2000-01-01", 0, Nada},
		{"2000-01-01", "2014-06-14", 0, Nada},
		{"2000-01-01", "2014-06-15", 2, Todo},
		{"2000-01-01", "2026-06-15", 2, Todo},
		{"2000-01-01", "2026-06-16", 3, Todo},

		// On the day of the activation, on the next, and later.
		{"2026-06-15", "2026-06-14", 0, LoNuevo},
		{"2026-06-15", "2026-06-15", 2, Todo},
		{"2026-06-15", "2026-06-16", 3, Todo},
		{"2026-06-16", "2026-06-15", 0, LoNuevo},
		{"2026-06-16", "2026-06-16", 3, Todo},
		{"2026-06-20", "2026-06-15", 0, LoNuevo},
		{"2026-06-20", "2026-06-19", 0, LoNuevo},
		{"2026-06-20", "2026-06-20", 3, Todo},
		{"2026-06-20", "2026-06-21", 3, Todo},
	}
	for _, tt := range tests {
		dia := optionalDay(tt.dia)
		v := Reporte{ActivadoEn: instante("2026-06-15T18:00:00Z"), FechaDesaparicion: optionalDay(tt.desaparicion)}.Ventana()
		var before []manual.Fase
		for _, tramo := range v.Tramos()[1:] { // the first one is phase 1
			if !dia.Before(tramo.Desde) && (tramo.Hasta.IsZero() || !dia.After(tramo.Hasta)) {
				before = append(before, tramo.Fase)
			}
		}
		if want := []manual.Fase{tt.before}; !slices.Equal(before, want) && (tt.before != 0 || len(before) > 0) {
			t.Errorf("disappeared %q, event on %s, committed before: phases %v, want %d", tt.desaparicion, tt.dia, before, tt.before)
		}
		if got := v.Continua(dia); got != tt.after {
			t.Errorf("disappeared %q, event on %s, committed after: got %d, want %d", tt.desaparicion, tt.dia, got, tt.after)
		}
	}
}

// Phase 1 looks at all that there is, first of all.
func TestVentana_Tramos(t *testing.T) {
	t.Parallel()
	for desaparicion, want := range map[string][]manual.Fase{
		"":           {manual.FaseBasicos, manual.FaseContinua},
		"2026-04-01": {manual.FaseBasicos, manual.FaseHistorica, manual.FaseContinua},
	} {
		tramos := Reporte{ActivadoEn: instante("2026-06-15T18:00:00Z"), FechaDesaparicion: optionalDay(desaparicion)}.Ventana().Tramos()
		var fases []manual.Fase
		for _, tramo := range tramos {
			fases = append(fases, tramo.Fase)
		}
		if !slices.Equal(fases, want) || tramos[0] != (Tramo{Fase: manual.FaseBasicos}) {
			t.Errorf("disappeared %q: %+v, want the phases %v", desaparicion, tramos, want)
		}
	}
}
