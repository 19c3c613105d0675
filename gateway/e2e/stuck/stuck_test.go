package stuck

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

const (
	notificar  = simuladortest.RutaNotificarCoincidencia
	finalizada = simuladortest.RutaBusquedaFinalizada

	basico = "1:"
)

func historico() string { return "2:" + harness.Day(-3) }
func continuo() string  { return "3:" + harness.Day(0) }

// newInstitucion is an institution with a platform of its own.
func newInstitucion(t *testing.T) *harness.Institucion {
	t.Helper()
	i := system.NewInstitucion(t)
	i.Plataforma = simuladortest.Start(t)
	i.Plataforma.Register(simuladortest.Institucion{
		ID: i.ID, Clave: harness.Salida, URLBase: i.BaseURL + "/i/" + i.ID, ClaveInstitucion: i.Clave,
	})
	system.ConnectSalida(t, i.ID, i.Plataforma.URL)
	return i
}

// busqueda is a report on a person of whom there is a record from before it.
type busqueda struct {
	*harness.Institucion
	reporteID, curp string
}

func newBusqueda(t *testing.T, i *harness.Institucion, n int) *busqueda {
	t.Helper()
	b := &busqueda{Institucion: i, reporteID: harness.ReporteID(n), curp: fmt.Sprintf("ATAS%06dHDFABCA1", n)}
	b.save(t, "A", harness.Day(-3))
	return b
}

// save writes a record that has no place, of somebody born abroad.
func (b *busqueda) save(t *testing.T, folio, fecha string) {
	t.Helper()
	registro := harness.Registro(folio+b.curp, b.curp, fecha)
	registro["lugar_nacimiento"] = "FORANEO"
	b.Post(t, "/cliente/registros", registro).Want(t, http.StatusCreated)
}

func (b *busqueda) activate(t *testing.T) {
	t.Helper()
	b.Activate(t, map[string]any{"id": b.reporteID, "curp": b.curp, "fecha_desaparicion": harness.Day(-10)})
}

// fail has the platform answer a status for ever; the zero report and phase mean all.
func (b *busqueda) fail(code int, ruta simuladortest.Ruta, reporteID, fase string) {
	b.Plataforma.Fail(simuladortest.Falla{
		InstitucionID: b.ID, Ruta: ruta, ReporteID: reporteID, Fase: fase, Tipo: simuladortest.FallaStatus, Status: code,
	})
}

// taken lists what the platform took, in its order.
func (b *busqueda) taken() []string {
	return b.answered(func(l harness.Llegada) bool { return l.Tomada() })
}

func (b *busqueda) answered(as func(harness.Llegada) bool) []string {
	var pasos []string
	for _, l := range b.Llegadas(b.reporteID) {
		if as(l) {
			pasos = append(pasos, l.Paso)
		}
	}
	return pasos
}

func (b *busqueda) awaitTaken(t *testing.T, want ...string) {
	t.Helper()
	harness.Eventually(t, fmt.Sprintf("that the platform takes %v", want), func() bool { return len(b.taken()) >= len(want) })
	if got := b.taken(); !slices.Equal(got, want) {
		t.Fatalf("the platform took %v, want %v", got, want)
	}
}

// match is the one of a phase, as the institution reads it.
func (b *busqueda) match(t *testing.T, fase string) harness.Coincidencia {
	t.Helper()
	all := b.Coincidencias(t)
	n := slices.IndexFunc(all, func(c harness.Coincidencia) bool { return c.ReporteID == b.reporteID && c.Fase == fase })
	if n < 0 {
		t.Fatalf("no match of phase %s among %+v", fase, all)
	}
	return all[n]
}

func operador(t *testing.T) integracionv1.SeguimientoServiceClient {
	t.Helper()
	return integracionv1.NewSeguimientoServiceClient(system.Operador(t))
}

// pendientes counts what needs somebody, of one kind.
func (b *busqueda) pendientes(t *testing.T, tipo string) int {
	t.Helper()
	resumen, err := operador(t).GetResumen(t.Context(), &integracionv1.GetResumenRequest{})
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, p := range resumen.GetPendientes() {
		if p.GetTipo() == tipo && p.GetIdEmpresa() == b.ID {
			total += int(p.GetTotal())
		}
	}
	return total
}

func (b *busqueda) wantPendientes(t *testing.T, tipo string, want int) {
	t.Helper()
	harness.Eventually(t, fmt.Sprintf("%d of %s", want, tipo), func() bool { return b.pendientes(t, tipo) == want })
}

// accion tells how often the Bitácora has an act on the report.
func (b *busqueda) accion(t *testing.T, accion string) int {
	t.Helper()
	answer, err := operador(t).GetReporte(t.Context(), &integracionv1.GetReporteRequest{IdEmpresa: b.ID, ReporteId: b.reporteID})
	if err != nil {
		t.Fatal(err)
	}
	times := 0
	for _, m := range answer.GetExpediente().GetHistoria() {
		if m.GetAccion() == accion {
			times++
		}
	}
	return times
}

func TestPermanentError_ofAMatchHoldsNothingElseBack(t *testing.T) {
	t.Parallel()
	for _, code := range []int{http.StatusInternalServerError, http.StatusNotFound} {
		t.Run(http.StatusText(code), func(t *testing.T) {
			t.Parallel()
			b := newBusqueda(t, newInstitucion(t), 1)
			b.fail(code, notificar, b.reporteID, "1")
			b.activate(t)
			b.awaitTaken(t, historico(), harness.Fin)
			b.save(t, "C", harness.Day(0))
			b.awaitTaken(t, historico(), harness.Fin, continuo())
			b.wantPendientes(t, "envios_atascados", 1)
			if c := b.match(t, "1"); c.Estado != "pendiente" || c.Detalle == nil || !strings.Contains(*c.Detalle, "contestó con error") {
				t.Errorf("the match is %+v, want it pending, with the reason", c)
			}

			b.Plataforma.Fail(simuladortest.Falla{InstitucionID: b.ID, Ruta: notificar, Fase: "1", Tipo: simuladortest.FallaStatus, Status: code, Veces: 1})
			c := b.match(t, "1")
			retry := &integracionv1.RetryHallazgosRequest{IdEmpresa: b.ID, Reintento: &integracionv1.Reintento{Cuales: "atascadas"}}
			harness.Eventually(t, "a retry of what is stuck", func() bool {
				answer, err := operador(t).RetryHallazgos(t.Context(), retry)
				if err != nil {
					t.Fatal(err)
				}
				return answer.GetReintentadas() == 1
			})
			if b.accion(t, "coincidencia_reintentada") == 0 {
				t.Error("the Bitácora says nothing of the retry")
			}
			answer, err := operador(t).SkipHallazgo(t.Context(), &integracionv1.SkipHallazgoRequest{IdEmpresa: b.ID, CoincidenciaId: c.ID})
			for status.Code(err) == codes.FailedPrecondition || status.Code(err) == codes.Aborted || status.Code(err) == codes.AlreadyExists {
				// It is just being told.
				answer, err = operador(t).SkipHallazgo(t.Context(), &integracionv1.SkipHallazgoRequest{IdEmpresa: b.ID, CoincidenciaId: c.ID})
			}
			if err != nil || answer.GetEstado() != "rechazada" {
				t.Fatalf("skipped %v, %v", answer, err)
			}
			harness.Eventually(t, "that the match is refused", func() bool { return b.match(t, "1").Estado == "rechazada" })
			b.wantPendientes(t, "envios_atascados", 0)
			b.wantPendientes(t, "coincidencias_rechazadas", 1)
			if b.accion(t, "coincidencia_saltada") != 1 {
				t.Error("the Bitácora does not say once that it was skipped")
			}
		})
	}
}

func TestPermanentError_ofTheEndHoldsPhaseThreeNotBack(t *testing.T) {
	t.Parallel()
	for _, code := range []int{http.StatusInternalServerError, http.StatusBadRequest} {
		t.Run(http.StatusText(code), func(t *testing.T) {
			t.Parallel()
			b := newBusqueda(t, newInstitucion(t), 1)
			b.fail(code, finalizada, b.reporteID, "")
			b.activate(t)
			b.awaitTaken(t, basico, historico())
			b.save(t, "C", harness.Day(0))
			b.awaitTaken(t, basico, historico(), continuo())
			b.wantPendientes(t, "envios_atascados", 1)
			b.wantPendientes(t, "finales_rechazados", 0)

			b.Plataforma.ClearFaults()
			_, err := operador(t).RetryFin(t.Context(), &integracionv1.RetryFinRequest{IdEmpresa: b.ID, ReporteId: b.reporteID})
			if err != nil {
				t.Fatal(err)
			}
			b.awaitTaken(t, basico, historico(), continuo(), harness.Fin)
			b.wantPendientes(t, "envios_atascados", 0)
		})
	}
}

func TestSkip_ofAnEndThatWasRefused(t *testing.T) {
	t.Parallel()
	b := newBusqueda(t, newInstitucion(t), 1)
	b.fail(http.StatusBadRequest, finalizada, b.reporteID, "")
	b.activate(t)
	b.wantPendientes(t, "envios_atascados", 1)
	answer, err := operador(t).SkipFin(t.Context(), &integracionv1.SkipFinRequest{IdEmpresa: b.ID, ReporteId: b.reporteID})
	if err != nil || answer.GetFinalizacion() != "rechazada" {
		t.Fatalf("skipped %v, %v", answer, err)
	}
	b.wantPendientes(t, "envios_atascados", 0)
	b.wantPendientes(t, "finales_rechazados", 1)
	if b.accion(t, "fin_saltado") != 1 {
		t.Error("the Bitácora does not say once that it was skipped")
	}
}

// A platform that answers 503 to everything is away: nothing is told out of its order, however
// long that lasts, and everything soon after its return.
func TestOutage_asAnswersKeepsTheOrder(t *testing.T) {
	t.Parallel()
	const reports, soon = 5, 30 * time.Second
	i := newInstitucion(t)
	busquedas := make([]*busqueda, reports)
	for n := range busquedas {
		busquedas[n] = newBusqueda(t, i, n)
	}
	for _, ruta := range []simuladortest.Ruta{notificar, finalizada} {
		busquedas[0].fail(http.StatusServiceUnavailable, ruta, "", "")
	}
	for _, b := range busquedas {
		b.activate(t)
	}
	// Long enough for steps to count as stuck, though an outage is probed by few.
	harness.Eventually(t, "a step that counts as stuck", func() bool { return busquedas[0].pendientes(t, "envios_atascados") > 1 })
	for _, b := range busquedas {
		if c := b.match(t, "1"); c.Estado != "pendiente" {
			t.Errorf("during the outage %+v", c)
		}
	}
	i.Plataforma.ClearFaults()
	back := time.Now()
	for _, b := range busquedas {
		b.awaitTaken(t, basico, historico(), harness.Fin)
	}
	took := time.Since(back)
	t.Logf("all was told %v after the return", took.Round(10*time.Millisecond))
	if took > soon {
		t.Errorf("it took %v after the return, want at most %v", took, soon)
	}
	busquedas[0].wantPendientes(t, "envios_atascados", 0)
}

func Test300_toldAgain(t *testing.T) {
	t.Parallel()
	b := newBusqueda(t, newInstitucion(t), 1)
	b.Plataforma.Fail(simuladortest.Falla{InstitucionID: b.ID, Ruta: notificar, Tipo: simuladortest.FallaStatus, Status: http.StatusMultipleChoices, Veces: 2})
	b.activate(t)
	b.awaitTaken(t, basico, historico(), harness.Fin)
	b.wantPendientes(t, "respuesta_300", 2)
	c := b.match(t, "1")
	_, err := operador(t).RetryHallazgo(t.Context(), &integracionv1.RetryHallazgoRequest{IdEmpresa: b.ID, CoincidenciaId: c.ID})
	if err != nil {
		t.Fatal(err)
	}
	b.awaitTaken(t, basico, historico(), harness.Fin, basico)
	b.wantPendientes(t, "respuesta_300", 1)
	_, err = operador(t).RetryHallazgo(t.Context(), &integracionv1.RetryHallazgoRequest{IdEmpresa: b.ID, CoincidenciaId: c.ID})
	if err == nil {
		t.Error("what was answered 200 is told again")
	}
	answer, err := operador(t).RetryHallazgos(t.Context(), &integracionv1.RetryHallazgosRequest{
		IdEmpresa: b.ID, Reintento: &integracionv1.Reintento{Cuales: "multiples"},
	})
	if err != nil || answer.GetReintentadas() != 1 {
		t.Fatalf("retried %v, %v", answer, err)
	}
	b.awaitTaken(t, basico, historico(), harness.Fin, basico, historico())
	b.wantPendientes(t, "respuesta_300", 0)
}

// told lists the birthplace, and the place of the event, of each match that arrived, with the answer.
func (b *busqueda) told(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, l := range b.Llegadas(b.reporteID) {
		var body map[string]any
		err := json.Unmarshal(l.Cuerpo, &body)
		if err != nil {
			t.Fatal(err)
		}
		if l.Ruta == notificar {
			all = append(all, fmt.Sprint(l.Status, " ", body["fase_busqueda"], " ", body["lugar_nacimiento"], " ", body["descripcion_lugar_evento"], " ", body["direccion_evento"]))
		}
	}
	return all
}

// A platform that reads the manual otherwise refuses one message for each thing that is open, and
// from then on is told in its own way.
func TestCriterio_isLearntFromOneRefusal(t *testing.T) {
	t.Parallel()
	i := newInstitucion(t)
	steps := []struct {
		name     string
		criterio simuladortest.Criterio
		want     []string
	}{
		{"the manual's tables", simuladortest.Criterio{}, []string{"200 1 FORÁNEO <nil> <nil>", "200 2 FORÁNEO <nil> <nil>"}},
		{"FORANEO", simuladortest.Criterio{Foraneo: "FORANEO"}, []string{"400 1 FORÁNEO <nil> <nil>", "200 1 FORANEO <nil> <nil>", "200 2 FORANEO <nil> <nil>"}},
		{"remembered", simuladortest.Criterio{Foraneo: "FORANEO"}, []string{"200 1 FORANEO <nil> <nil>", "200 2 FORANEO <nil> <nil>"}},
		{"FORÁNEO, and all fields of the event", simuladortest.Criterio{Foraneo: "FORÁNEO", Estricto: true},
			[]string{"400 1 FORANEO <nil> <nil>", "200 1 FORÁNEO <nil> <nil>", "400 2 FORÁNEO <nil> <nil>", "200 2 FORÁNEO  map[direccion:]"}},
		{"remembered too", simuladortest.Criterio{Foraneo: "FORÁNEO", Estricto: true}, []string{"200 1 FORÁNEO <nil> <nil>", "200 2 FORÁNEO  map[direccion:]"}},
	}
	for n, step := range steps {
		i.Plataforma.SetCriterio(step.criterio)
		b := newBusqueda(t, i, n)
		b.activate(t)
		b.awaitTaken(t, basico, historico(), harness.Fin)
		if got := b.told(t); !slices.Equal(got, step.want) {
			t.Errorf("%s: told %q, want %q", step.name, got, step.want)
		}
	}
}

// An institution that said its own place misses no field, and nothing is refused.
func TestCriterio_anInstitutionWithItsOwnPlace(t *testing.T) {
	t.Parallel()
	i := newInstitucion(t)
	i.Plataforma.SetCriterio(simuladortest.Criterio{Estricto: true})
	empresas := integracionv1.NewEmpresaServiceClient(system.Operador(t))
	pasos := func() *integracionv1.Pasos {
		empresa, err := empresas.GetEmpresa(t.Context(), &integracionv1.GetEmpresaRequest{IdEmpresa: i.ID})
		if err != nil {
			t.Fatal(err)
		}
		return empresa.GetEmpresa().GetPasos()
	}
	if pasos().GetSitio() {
		t.Error("the step is done before the institution said its place")
	}
	_, err := empresas.ChangeEmpresa(t.Context(), &integracionv1.ChangeEmpresaRequest{IdEmpresa: i.ID, Cambio: &integracionv1.CambioEmpresa{
		Sitio: &integracionv1.NuevoSitio{Descripcion: "Sucursal Centro", CodigoPostal: "06000"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if !pasos().GetSitio() {
		t.Error("the step is not done after it")
	}
	b := newBusqueda(t, i, 1)
	b.activate(t)
	b.awaitTaken(t, basico, historico(), harness.Fin)
	want := []string{"200 1 FORÁNEO <nil> <nil>", "200 2 FORÁNEO Sucursal Centro map[codigo_postal:06000]"}
	if got := b.told(t); !slices.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}
