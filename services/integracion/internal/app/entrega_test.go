package app_test

import (
	"encoding/json"
	"sync"
	"testing"
	"time"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/integraciontest"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

const (
	aceptado  = integracionv1.ResultadoEnvio_RESULTADO_ENVIO_ACEPTADO
	rechazado = integracionv1.ResultadoEnvio_RESULTADO_ENVIO_RECHAZADO
	masTarde  = integracionv1.ResultadoEnvio_RESULTADO_ENVIO_MAS_TARDE
	cancelado = integracionv1.ResultadoEnvio_RESULTADO_ENVIO_CANCELADO

	// soon bounds what must come true.
	soon = 30 * time.Second
)

func (s *sistema) notify(t *testing.T, req *integracionv1.NotifyCoincidenciaRequest) *integracionv1.NotifyCoincidenciaResponse {
	t.Helper()
	answer, err := s.entregas().NotifyCoincidencia(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func (s *sistema) finish(t *testing.T, empresa tenant.EmpresaID) *integracionv1.FinishBusquedaResponse {
	t.Helper()
	answer, err := s.entregas().FinishBusqueda(t.Context(), &integracionv1.FinishBusquedaRequest{
		EmpresaId: string(empresa), ReporteId: reporteID, Ciclo: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// notified is what the platform took note of.
func (s *sistema) notified() []simuladortest.Recibido {
	return s.simulador.Received(simuladortest.Filtro{Ruta: simuladortest.RutaNotificarCoincidencia})
}

// notifyUntil repeats as registros does, waiting as long as it is told to.
func (s *sistema) notifyUntil(t *testing.T, req *integracionv1.NotifyCoincidenciaRequest) *integracionv1.NotifyCoincidenciaResponse {
	t.Helper()
	deadline := time.Now().Add(soon)
	for {
		answer := s.notify(t, req)
		if answer.GetResultado() != masTarde {
			return answer
		}
		pause := time.Duration(answer.GetEsperarMs()) * time.Millisecond
		if pause <= 0 || time.Now().Add(pause).After(deadline) {
			t.Fatalf("told to wait %v: %s", pause, answer.GetDetalle())
		}
		<-time.After(pause)
	}
}

func TestNotifyCoincidencia_tellsOnce(t *testing.T) {
	t.Parallel()
	s := start(t, integraciontest.Options{})
	s.activateLongAgo(t, empresaA)
	req := newNotify(empresaA)
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() {
			answer, err := s.entregas().NotifyCoincidencia(t.Context(), req)
			if err != nil || answer.GetResultado() != aceptado && answer.GetResultado() != masTarde {
				t.Errorf("answer %v, %v", answer, err)
			}
		})
	}
	group.Wait()
	if answer := s.notify(t, req); answer.GetResultado() != aceptado || answer.GetDetalle() != "" {
		t.Errorf("answer %v", answer)
	}
	for range 2 {
		if answer := s.finish(t, empresaA); answer.GetResultado() != aceptado {
			t.Errorf("finish %v", answer)
		}
	}
	notified := s.notified()
	if len(notified) != 1 {
		t.Fatalf("%d notifications", len(notified))
	}
	var body map[string]any
	err := json.Unmarshal(notified[0].Cuerpo, &body)
	if err != nil || body["id"] != reporteID || body["institucion_id"] != string(empresaA) || body["fase_busqueda"] != "2" {
		t.Errorf("body %v, %v", body, err)
	}
	finished := s.simulador.Received(simuladortest.Filtro{Ruta: simuladortest.RutaBusquedaFinalizada})
	logins := s.simulador.Received(simuladortest.Filtro{Ruta: simuladortest.RutaLogin})
	if len(finished) != 1 || len(logins) != 1 {
		t.Errorf("%d ends of search, %d logins", len(finished), len(logins))
	}
}

func TestNotifyCoincidencia_faults(t *testing.T) {
	t.Parallel()
	notificar := simuladortest.RutaNotificarCoincidencia
	tests := []struct {
		name  string
		falla simuladortest.Falla
		first integracionv1.ResultadoEnvio
		// ends is what it comes to once the fault is over; told how often the platform
		// took note of it then.
		ends integracionv1.ResultadoEnvio
		told int
	}{
		{"300", simuladortest.Falla{Ruta: notificar, Tipo: simuladortest.FallaStatus, Status: 300}, aceptado, aceptado, 0},
		{"400", simuladortest.Falla{Ruta: notificar, Tipo: simuladortest.FallaStatus, Status: 400}, rechazado, rechazado, 0},
		{"401 once", simuladortest.Falla{Ruta: notificar, Tipo: simuladortest.FallaStatus, Status: 401, Veces: 1}, aceptado, aceptado, 1},
		{"401 twice", simuladortest.Falla{Ruta: notificar, Tipo: simuladortest.FallaStatus, Status: 401, Veces: 2}, masTarde, aceptado, 1},
		{"403 twice", simuladortest.Falla{Ruta: notificar, Tipo: simuladortest.FallaStatus, Status: 403, Veces: 2}, masTarde, aceptado, 1},
		{"429", simuladortest.Falla{Ruta: notificar, Tipo: simuladortest.FallaStatus, Status: 429, RetryAfterS: 1, Veces: 1}, masTarde, aceptado, 1},
		{"500", simuladortest.Falla{Ruta: notificar, Tipo: simuladortest.FallaStatus, Status: 500, Veces: 1}, masTarde, aceptado, 1},
		{"504", simuladortest.Falla{Ruta: notificar, Tipo: simuladortest.FallaStatus, Status: 504, Veces: 1}, masTarde, aceptado, 1},
		{"slow", simuladortest.Falla{Ruta: notificar, Tipo: simuladortest.FallaLentitud, EsperaMs: 60_000, Veces: 1}, masTarde, aceptado, 2},
		{"connection cut", simuladortest.Falla{Ruta: notificar, Tipo: simuladortest.FallaCorte, Veces: 1}, masTarde, aceptado, 1},
		{"answer lost", simuladortest.Falla{Ruta: notificar, Tipo: simuladortest.FallaCorte, Despues: true, Veces: 1}, masTarde, aceptado, 2},
		{"broken JSON", simuladortest.Falla{Ruta: notificar, Tipo: simuladortest.FallaJSONRoto, Veces: 1}, aceptado, aceptado, 1},
		{"login 500", simuladortest.Falla{Ruta: simuladortest.RutaLogin, Tipo: simuladortest.FallaStatus, Status: 500, Veces: 1}, masTarde, aceptado, 1},
		{"login 403", simuladortest.Falla{Ruta: simuladortest.RutaLogin, Tipo: simuladortest.FallaStatus, Status: 403, Veces: 1}, masTarde, aceptado, 1},
		{"token that lives a second", simuladortest.Falla{Tipo: simuladortest.FallaTokenCaduco, VidaS: 1}, aceptado, aceptado, 1},
	}
	s := start(t, integraciontest.Options{PuiTimeout: time.Second})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s.activateLongAgo(t, empresaA)
			defer s.deactivate(t, empresaA)
			ciclo++
			s.simulador.ClearReceived()
			if tt.falla.Ruta != notificar {
				// Or nobody would log in.
				s.simulador.Fail(simuladortest.Falla{Tipo: simuladortest.FallaTokenCaduco})
			}
			s.simulador.Fail(tt.falla)
			defer s.simulador.ClearFaults()

			req := newNotify(empresaA)
			req.Ciclo = ciclo
			if answer := s.notify(t, req); answer.GetResultado() != tt.first {
				t.Fatalf("first answer %v, want %v", answer, tt.first)
			}
			if answer := s.notifyUntil(t, req); answer.GetResultado() != tt.ends || (answer.GetDetalle() == "") != (tt.ends == aceptado) {
				t.Errorf("last answer %v, want %v", answer, tt.ends)
			}
			told := 0
			for _, each := range s.notified() {
				if each.Status == 200 {
					told++
				}
			}
			if told != tt.told {
				t.Errorf("told %d times, want %d", told, tt.told)
			}
		})
	}
}

// ciclo counts the activations of TestNotifyCoincidencia_faults, whose cases run in turn.
var ciclo int32

func TestNotifyCoincidencia_whatAnOperatorMustMend(t *testing.T) {
	t.Parallel()
	s := start(t, integraciontest.Options{})
	const empresaC tenant.EmpresaID = "LAB030303EF3"
	s.CreateEmpresa(empresaC, "LABORATORIO C")
	s.tokens[empresaC] = s.Login("PUI", s.SetClaveEntrada(empresaC))
	s.activateLongAgo(t, empresaC)
	notConfigured := s.notify(t, newNotify(empresaC))
	s.activateLongAgo(t, empresaA)
	s.SuspendEmpresa(empresaA)
	suspended := s.notify(t, newNotify(empresaA))
	for name, answer := range map[string]*integracionv1.NotifyCoincidenciaResponse{"not configured": notConfigured, "suspended": suspended} {
		if answer.GetResultado() != masTarde || answer.GetEsperarMs() != 60_000 || answer.GetDetalle() == "" {
			t.Errorf("%s: %v", name, answer)
		}
	}
	if got := s.simulador.Received(simuladortest.Filtro{}); len(got) != 0 {
		t.Errorf("%d requests reached the platform", len(got))
	}
}

func TestNotifyCoincidencia_onlyForAnActiveCycle(t *testing.T) {
	t.Parallel()
	s := start(t, integraciontest.Options{})
	if answer := s.notify(t, newNotify(empresaA)); answer.GetResultado() != cancelado {
		t.Errorf("unknown reporte: %v", answer)
	}
	s.activateLongAgo(t, empresaA)
	s.deactivate(t, empresaA)
	if answer := s.notify(t, newNotify(empresaA)); answer.GetResultado() != cancelado {
		t.Errorf("ended: %v", answer)
	}
	if answer := s.finish(t, empresaA); answer.GetResultado() != cancelado {
		t.Errorf("end of search of what ended: %v", answer)
	}
	s.activateLongAgo(t, empresaA)
	if answer := s.notify(t, newNotify(empresaA)); answer.GetResultado() != cancelado {
		t.Errorf("an earlier cycle: %v", answer)
	}
	second := newNotify(empresaA)
	second.Ciclo = 2
	if answer := s.notify(t, second); answer.GetResultado() != aceptado {
		t.Errorf("the active cycle: %v", answer)
	}
}
