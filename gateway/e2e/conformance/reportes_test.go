package conformance

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

// listLimit bounds the wait for a list that could not be read: it is asked for again after
// a minute.
const listLimit = 2 * time.Minute

// A report of which only the platform's list knows is searched for, whatever went wrong
// before the list could be read; and a search under way does not suffer from it
// (pui.md 3.2, rule 15).
func TestFaults_ofTheListOfReports(t *testing.T) {
	t.Parallel()
	for _, f := range fallas {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			i := system.NewInstitucion(t)
			known, missed := newBusqueda(t, i, 0), newBusqueda(t, i, 1)
			f.Ruta, f.Veces = simuladortest.RutaReportes, 1
			fail(i, f.Falla)
			known.activate(t)
			i.Plataforma.SetReportes(i.ID, []any{
				map[string]any{"id": known.reporteID, "curp": known.curp, "fecha_desaparicion": harness.Day(-10)},
				map[string]any{"id": missed.reporteID, "curp": missed.curp, "fecha_desaparicion": harness.Day(-10)},
			})
			known.awaitEstado(t, "monitoreo")
			harness.Within(t, listLimit, "the activation by the list", func() bool { return len(missed.arrived()) > 0 })
			for _, b := range []*busqueda{known, missed} {
				b.awaitEstado(t, "monitoreo")
				b.saveLater(t)
				b.awaitDecided(t, b.reporteID)
				b.check(t, b.reporteID)
			}
			known.checkFaultsAreOver(t, "the list")
			if !slices.ContainsFunc(i.Avisos(t), func(a harness.Aviso) bool { return a.ReporteID == missed.reporteID && a.Tipo == "activacion" }) {
				t.Error("the institution has no notice of the report")
			}
			checkLogins(t, i, 0)
		})
	}
}

// A report that is on the list no more is not for that reason over: only a deactivation
// ends it.
func TestList_whatItLacksGoesOn(t *testing.T) {
	t.Parallel()
	i := system.NewInstitucion(t)
	b := newBusqueda(t, i, 0)
	b.activate(t)
	b.awaitEstado(t, "monitoreo")
	i.Plataforma.SetReportes(i.ID, []any{})
	seen := i.Plataforma.Received(simuladortest.Filtro{InstitucionID: i.ID})
	// Two more looks at the list, of which the second began after the first was digested.
	reads := i.Plataforma.WaitReceived(simuladortest.Filtro{
		InstitucionID: i.ID, Ruta: simuladortest.RutaReportes, Desde: seen[len(seen)-1].N, Espera: harness.Limit,
	}, 2)
	for _, r := range reads {
		if r.Status != http.StatusOK {
			t.Errorf("the list answered %d", r.Status)
		}
	}
	b.saveLater(t)
	b.awaitDecided(t, "the list without it")
	b.check(t, "the list without it")
}

// A list that tells states (manual line 835): what it calls active goes on, what it calls inactive
// is not activated again.
func TestList_thatTellsStates(t *testing.T) {
	t.Parallel()
	i := system.NewInstitucion(t)
	i.Plataforma.Register(simuladortest.Institucion{
		ID: i.ID, Clave: harness.Salida, URLBase: i.BaseURL + "/i/" + i.ID, ClaveInstitucion: i.Clave, ConEstados: true,
	})
	active, ended := newBusqueda(t, i, 0), newBusqueda(t, i, 1)
	for _, b := range []*busqueda{active, ended} {
		b.activate(t)
		b.awaitEstado(t, "monitoreo")
	}
	i.Deactivate(t, ended.reporteID)
	ended.awaitEstado(t, "cerrado")
	seen := i.Plataforma.Received(simuladortest.Filtro{InstitucionID: i.ID})
	// The second look began after the first was digested.
	i.Plataforma.WaitReceived(simuladortest.Filtro{
		InstitucionID: i.ID, Ruta: simuladortest.RutaReportes, Desde: seen[len(seen)-1].N, Espera: harness.Limit,
	}, 2)
	active.saveLater(t)
	active.awaitDecided(t, "a list with states")
	active.check(t, "a list with states")
	var got []string
	for _, a := range i.Avisos(t) {
		got = append(got, a.ReporteID+" "+a.Tipo)
	}
	want := []string{ended.reporteID + " desactivacion", ended.reporteID + " activacion", active.reporteID + " activacion"}
	if !slices.Equal(got, want) {
		t.Errorf("got notices %q, want %q", got, want)
	}
	if casos := i.Casos(t); len(casos) != 2 {
		t.Errorf("got %d casos, want 2", len(casos))
	}
}
