package bench

import (
	"net/http"
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
	platform := s.platform()
	from := s.reported
	s.reported += n
	atOnce(callers, func(call int) {
		report := map[string]any{
			"id": harness.ReporteID(from + call), "curp": newPersona(reportedPersons + from + call).curp, "nombre": "NOMBRE", "primer_apellido": "PRIMERO",
			"segundo_apellido": "SEGUNDO", "fecha_desaparicion": harness.Day(-10),
		}
		platform.post("/activar-reporte", encode(s.tb, report))
	}, func(call int) bool { return call < n })
}

// platform logs in as the platform does.
func (s *session) platform() *caller {
	base := s.empresa.BaseURL + "/i/" + s.empresa.ID
	var granted struct{ Token string }
	harness.Call(s.tb, http.MethodPost, base+"/login", nil, map[string]string{"usuario": "PUI", "clave": s.empresa.Clave}).
		Want(s.tb, http.StatusOK).Into(s.tb, &granted)
	return newCaller(s.tb, base, "Authorization", "Bearer "+granted.Token)
}

// told waits until the platform was told n things since ClearReceived.
func (s *session) told(what simuladortest.Ruta, n int) []simuladortest.Recibido {
	s.tb.Helper()
	if s.tb.Failed() {
		s.tb.Fatal("not all was sent: there is no waiting for what follows from it")
	}
	return s.empresa.Plataforma.WaitReceived(simuladortest.Filtro{InstitucionID: s.empresa.ID, Ruta: what, Espera: deliveryLimit}, n)
}
