package conformance

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

// The steps of every search here, in the order that the contract demands: two records from
// before the report, one from after it.
const pasoBasico = "1:"

func pasoHistorico() string { return "2:" + harness.Day(-3) }
func pasoSiguiente() string { return "2:" + harness.Day(-2) }
func pasoContinuo() string  { return "3:" + harness.Day(0) }

func pasos() []string {
	return []string{pasoBasico, pasoHistorico(), pasoSiguiente(), harness.Fin, pasoContinuo()}
}

// busqueda is one report from its activation to a match of phase 3.
type busqueda struct {
	*harness.Institucion
	reporteID, curp string
	rejected        string // the step that the platform refuses, if any
}

// newBusqueda saves the records that the search will find; n tells searches of an
// institution apart.
func newBusqueda(t *testing.T, i *harness.Institucion, n int) *busqueda {
	t.Helper()
	b := &busqueda{Institucion: i, reporteID: harness.ReporteID(n), curp: fmt.Sprintf("FALL%06dHDFABCA1", n)}
	i.Post(t, "/cliente/registros", []any{
		harness.Registro(b.folio("A"), b.curp, harness.Day(-3)), harness.Registro(b.folio("B"), b.curp, harness.Day(-2)),
	}).Want(t, http.StatusCreated)
	return b
}

func (b *busqueda) folio(name string) string { return name + b.reporteID[len(b.reporteID)-6:] }

func (b *busqueda) activate(t *testing.T) {
	t.Helper()
	b.Activate(t, map[string]any{"id": b.reporteID, "curp": b.curp, "fecha_desaparicion": harness.Day(-10)})
}

func (b *busqueda) saveLater(t *testing.T) {
	t.Helper()
	b.Post(t, "/cliente/registros", harness.Registro(b.folio("C"), b.curp, harness.Day(0))).Want(t, http.StatusCreated)
}

// run takes the search through all phases with a fault at one of them, and holds it
// against the contract.
func (b *busqueda) run(t *testing.T, m momento, f simuladortest.Falla) {
	t.Helper()
	if !m.late {
		m.start(b.Institucion, f)
	}
	b.activate(t)
	b.awaitEstado(t, "monitoreo")
	if m.late {
		m.start(b.Institucion, f)
	}
	b.saveLater(t)
	b.awaitDecided(t, m.name)
	b.check(t, m.name)
	b.checkFaultsAreOver(t, m.name)
}

func (b *busqueda) awaitEstado(t *testing.T, estado string) {
	t.Helper()
	harness.Eventually(t, "caso "+b.reporteID+" "+estado, func() bool {
		return slices.ContainsFunc(b.Casos(t), func(c harness.Caso) bool {
			return c.ReporteID == b.reporteID && c.Estado == estado
		})
	})
}

// awaitDecided waits until every match of the search was notified or rejected.
func (b *busqueda) awaitDecided(t *testing.T, when string) {
	t.Helper()
	harness.Eventually(t, "the fate of every match of "+when, func() bool {
		matches := b.matches(t)
		return len(matches) == len(pasos())-1 &&
			!slices.ContainsFunc(matches, func(c harness.Coincidencia) bool { return c.Estado == "pendiente" })
	})
}

func (b *busqueda) matches(t *testing.T) []harness.Coincidencia {
	t.Helper()
	return slices.DeleteFunc(b.Coincidencias(t), func(c harness.Coincidencia) bool { return c.ReporteID != b.reporteID })
}

// check holds what the platform was told, and what the institution reads, against the
// contract.
func (b *busqueda) check(t *testing.T, when string) {
	t.Helper()
	want := slices.DeleteFunc(pasos(), func(paso string) bool { return paso == b.rejected })
	if got := b.effective(); !slices.Equal(got, want) {
		t.Errorf("%s: the platform has %v, want %v", when, got, want)
	}
	if all := b.arrived(); !slices.IsSortedFunc(all, byOrder) {
		t.Errorf("%s: the platform was asked %v, out of order", when, all)
	}
	for _, c := range b.matches(t) {
		b.checkMatch(t, when, c)
	}
}

func (b *busqueda) checkMatch(t *testing.T, when string, c harness.Coincidencia) {
	t.Helper()
	if !b.isRejected(c) {
		if c.Estado != "notificada" || c.Detalle != nil || c.NotificadaEn == nil {
			t.Errorf("%s: coincidencia = %+v, want it notified", when, c)
		}
		return
	}
	// contract.md section 8: the platform's own errores.
	if c.Estado != "rechazada" || c.Detalle == nil || !strings.Contains(*c.Detalle, "Falla simulada: datos inválidos") {
		t.Errorf("%s: coincidencia = %+v, want it rejected with the platform's errores", when, c)
	}
}

func (b *busqueda) isRejected(c harness.Coincidencia) bool {
	fase, fecha, _ := strings.Cut(b.rejected, ":")
	return c.Fase == fase && (fecha == "" || c.Folio == b.folio("A") && fecha == harness.Day(-3) || c.Folio == b.folio("C") && fecha == harness.Day(0))
}

// effective lists what the platform took and could answer, in order of arrival. A step whose
// answer was lost is told again; that cannot be helped.
func (b *busqueda) effective() []string {
	var steps []string
	for _, l := range b.Llegadas(b.reporteID) {
		if l.Efectiva() {
			steps = append(steps, l.Paso)
		}
	}
	return steps
}

// arrived lists every request about the search, repetitions included.
func (b *busqueda) arrived() []string {
	var steps []string
	for _, l := range b.Llegadas(b.reporteID) {
		steps = append(steps, l.Paso)
	}
	return steps
}

func byOrder(a, b string) int { return slices.Index(pasos(), a) - slices.Index(pasos(), b) }

// checkFaultsAreOver holds that the faults met what they were meant for; one that did not
// would prove nothing.
func (b *busqueda) checkFaultsAreOver(t *testing.T, when string) {
	t.Helper()
	var active []simuladortest.Falla
	harness.Call(t, http.MethodGet, b.Plataforma.URL+"/control/fallas", nil, nil).Want(t, http.StatusOK).Into(t, &active)
	for _, f := range active {
		if f.InstitucionID == b.ID {
			t.Errorf("%s: %s on %s never happened", when, f.Tipo, f.Ruta)
		}
	}
}
