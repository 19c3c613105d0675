package bench

import (
	"net/http"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

// deliveryLimit bounds how long what is to be told may take to be told.
const deliveryLimit = 20 * time.Minute

// activations sends reports of persons of whom there is no record, and follows them to the end
// of the search.
func activations(s *session) {
	s.fillAll()
	for range s.options.rounds {
		n := s.options.activations / s.options.rounds
		before, started := s.cpu(programs...), time.Now()
		s.activate(n)
		s.note("", "answered", float64(n)/time.Since(started).Seconds())
		ends := s.told(simuladortest.RutaBusquedaFinalizada, n)
		s.note("", cpu, (s.cpu(programs...)-before)/float64(n))
		// From the first end on: no search ends in the time that the platform is given to take in our answer.
		s.note("", "ended", float64(n-1)/ends[n-1].RecibidoEn.Sub(ends[0].RecibidoEn).Seconds())
	}
}

// activate sends the platform's next n reports.
func (s *session) activate(n int) {
	s.tb.Helper()
	s.empresa.Plataforma.ClearReceived()
	s.report(s.empresa, s.reported, n)
	s.reported += n
}

// report sends an institution the platform's n reports from a number on.
func (s *session) report(i *harness.Institucion, from, n int) {
	s.tb.Helper()
	platform := platformOf(s.tb, i)
	atOnce(callers, func(call int) {
		platform.post("/activar-reporte", encode(s.tb, reporteOf(from+call)))
	}, func(call int) bool { return call < n })
}

// reporteOf is the platform's n-th report, of a person of whom there is no record.
func reporteOf(n int) map[string]any {
	return map[string]any{
		"id": harness.ReporteID(n), "curp": newPersona(reportedPersons + n).curp, "nombre": "NOMBRE", "primer_apellido": "PRIMERO",
		"segundo_apellido": "SEGUNDO", "fecha_desaparicion": harness.Day(-10),
	}
}

// platformOf logs in as the platform does.
func platformOf(tb testing.TB, i *harness.Institucion) *caller {
	tb.Helper()
	base := i.BaseURL + "/i/" + i.ID
	var granted struct{ Token string }
	harness.Call(tb, http.MethodPost, base+"/login", nil, map[string]string{"usuario": "PUI", "clave": i.Clave}).
		Want(tb, http.StatusOK).Into(tb, &granted)
	return newCaller(tb, base, "Authorization", "Bearer "+granted.Token)
}

// told waits until the platform was told n things since ClearReceived.
func (s *session) told(what simuladortest.Ruta, n int) []simuladortest.Recibido {
	s.tb.Helper()
	return s.toldBy(s.empresa, what, n)
}

// toldBy is told of any institution.
func (s *session) toldBy(i *harness.Institucion, what simuladortest.Ruta, n int) []simuladortest.Recibido {
	s.tb.Helper()
	if s.tb.Failed() {
		s.tb.Fatal("not all was sent: there is no waiting for what follows from it")
	}
	return i.Plataforma.WaitReceived(simuladortest.Filtro{InstitucionID: i.ID, Ruta: what, Espera: deliveryLimit}, n)
}
