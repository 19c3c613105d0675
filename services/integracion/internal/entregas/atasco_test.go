package entregas

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// newAtascoFixture has a step of which the platform answered nine attempts over an hour, and
// answers as told.
func newAtascoFixture(d *Desenlace) *entregaFixture {
	f := newEntregaFixture(func(context.Context, cuentas.Institucion) Desenlace { return *d })
	f.store.historia = Historia{Respuestas: 9, Primera: time.Hour, Ultima: 5 * time.Minute}
	return f
}

var errorDelServidor = Desenlace{Resultado: envio.MasTarde, Status: 500, Motivo: "servidor", Falla: true}

func (f *entregaFixture) notify(t *testing.T) envio.Respuesta {
	t.Helper()
	r, err := f.entregas.NotifyCoincidencia(t.Context(), newCoincidencia())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (f *entregaFixture) finish(t *testing.T) envio.Respuesta {
	t.Helper()
	r, err := f.entregas.FinishBusqueda(t.Context(), Finalizacion{EmpresaID: empresaA, ReporteID: reporteID, Ciclo: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestEntregas_stuckIsWhatWasAnsweredOftenAndLong(t *testing.T) {
	tests := []struct {
		name   string
		change func(d *Desenlace, h *Historia)
		want   bool
	}{
		{"500", func(*Desenlace, *Historia) {}, true},
		{"404", func(d *Desenlace, _ *Historia) { d.Status = 404 }, true},
		{"not often enough", func(_ *Desenlace, h *Historia) { h.Respuestas = 8 }, false},
		{"not long enough", func(_ *Desenlace, h *Historia) { h.Primera = 59 * time.Minute }, false},
		{"no answer", func(d *Desenlace, _ *Historia) { d.Status = 0 }, false},
		{"429", func(d *Desenlace, _ *Historia) { d.Status = 429 }, false},
		{"asked to wait", func(d *Desenlace, _ *Historia) { d.Status, d.RetryAfter = 503, time.Minute }, false},
		{"the login failed", func(d *Desenlace, _ *Historia) { d.Motivo = MotivoAcceso }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := errorDelServidor
			f := newAtascoFixture(&d)
			tt.change(&d, &f.store.historia)
			r := f.notify(t)
			if fins := f.store.recorded(); r.Resultado != envio.MasTarde || r.Seguir != tt.want || fins[0].Atascado != tt.want {
				t.Errorf("answer %+v, recorded %+v, want stuck %v", r, fins, tt.want)
			}
		})
	}
}

func TestEntregas_stuckDoesNotOpenTheCircuit(t *testing.T) {
	d := errorDelServidor
	f := newAtascoFixture(&d)
	for range 2 * openAfter {
		f.notify(t)
	}
	if f.store.begun != 2*openAfter {
		t.Errorf("%d attempts were let through, want %d", f.store.begun, 2*openAfter)
	}
}

func TestEntregas_setAsideOnlyWhileThePlatformTakesOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d Desenlace
		f := newAtascoFixture(&d)
		d = Desenlace{Resultado: envio.Aceptado, Status: 200}
		f.notify(t)
		time.Sleep(f.store.historia.Ultima + time.Second) // others were taken before the last failure only
		d = errorDelServidor
		if r := f.notify(t); r.Resultado != envio.MasTarde || !r.Seguir || r.Esperar > longestPause {
			t.Errorf("while nothing is taken: %+v", r)
		}
		d = Desenlace{Resultado: envio.Rechazado, Status: 400}
		f.notify(t) // a refusal is a decision too
		d = errorDelServidor
		r := f.notify(t)
		if r.Resultado != envio.Apartado || r.Seguir || r.Esperar != apartadoPause {
			t.Errorf("after another was decided on: %+v", r)
		}
		fins := f.store.recorded()
		if last := fins[len(fins)-1]; !last.Atascado || last.Estado() != EnvioPendiente || last.Pausa != apartadoPause {
			t.Errorf("recorded %+v", last)
		}
	})
}

// What follows a stuck step of the same Reporte need not take its hour: three answers are enough, while
// the platform takes other things.
func TestEntregas_beside_aStuckStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d Desenlace
		f := newAtascoFixture(&d)
		notify := func(h Historia, want envio.Resultado) {
			t.Helper()
			f.store.historia, d = h, errorDelServidor
			if r := f.notify(t); r.Resultado != want {
				t.Errorf("%+v: got %+v, want %v", h, r, want)
			}
		}
		d = Desenlace{Resultado: envio.Aceptado, Status: 200}
		f.notify(t)
		time.Sleep(time.Minute)
		notify(Historia{Respuestas: 1, Primera: 2 * time.Minute, Ultima: 2 * time.Second, Vecino: true}, envio.MasTarde)
		notify(Historia{Respuestas: 2, Primera: 2 * time.Minute, Ultima: 2 * time.Second}, envio.MasTarde)
		notify(Historia{Respuestas: 2, Primera: 50 * time.Second, Ultima: 2 * time.Second, Vecino: true}, envio.MasTarde)
		notify(Historia{Respuestas: 2, Primera: 2 * time.Minute, Ultima: 2 * time.Second, Vecino: true}, envio.Apartado)
	})
}

func TestEntregas_refusedEndIsSetAside(t *testing.T) {
	d := Desenlace{Resultado: envio.Rechazado, Status: 400, Detalle: "por esto"}
	f := newAtascoFixture(&d)
	if r := f.notify(t); r.Resultado != envio.Rechazado {
		t.Errorf("a refused match: %+v", r)
	}
	if r := f.finish(t); r.Resultado != envio.Apartado || r.Esperar != apartadoPause || r.Detalle != "por esto" {
		t.Errorf("a refused end: %+v", r)
	}
	if fins := f.store.recorded(); fins[0].Atascado || !fins[1].Atascado || fins[1].Estado() != EnvioPendiente {
		t.Errorf("recorded %+v", fins)
	}
}

func TestEntregas_setAsideStaysSoUntilItsTime(t *testing.T) {
	f := newEntregaFixture(nil)
	f.store.inicio = Inicio{Bloqueo: AunNo, Atascado: true, Esperar: 20 * time.Hour, Detalle: "antes falló"}
	if r, want := f.notify(t), (envio.Respuesta{Resultado: envio.Apartado, Esperar: 20 * time.Hour, Detalle: "antes falló"}); r != want {
		t.Errorf("answer %+v, want %+v", r, want)
	}
	f.store.inicio.Esperar = time.Minute
	if r := f.notify(t); r.Resultado != envio.MasTarde || r.Seguir {
		t.Errorf("stuck and not set aside: %+v", r)
	}
}

// A route of the platform is away for long while the other one works: its steps are set aside, and
// told again as soon as one of them is taken.
func TestEntregas_routeThatIsBackTakesWhatWasSetAside(t *testing.T) {
	var d Desenlace
	f := newAtascoFixture(&d)
	var recovered []tenant.EmpresaID
	f.entregas.Recovered = func(id tenant.EmpresaID) { recovered = append(recovered, id) }
	accept := func(tell func(*testing.T) envio.Respuesta) {
		d = Desenlace{Resultado: envio.Aceptado, Status: 200}
		tell(t)
	}
	accept(f.notify)
	d = errorDelServidor
	if r := f.finish(t); r.Resultado != envio.Apartado {
		t.Fatalf("the end: %+v", r)
	}
	accept(f.notify)
	if len(recovered) != 0 {
		t.Fatalf("told of %v while ends are not taken", recovered)
	}
	for range 2 {
		accept(f.finish)
	}
	if len(recovered) != 1 || recovered[0] != empresaA {
		t.Errorf("told of %v, want once", recovered)
	}
	d = errorDelServidor
	f.finish(t) // it is this one that is to blame
	accept(f.finish)
	if len(recovered) != 1 {
		t.Errorf("told again of %v", recovered)
	}
}

// In an outage that has lasted so long that its steps are stuck, they go on probing.
func TestEntregas_stuckInAnOutageIsProbed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := Desenlace{Resultado: envio.MasTarde, Falla: true}
		f := newAtascoFixture(&d)
		f.store.inicio.Intento.Numero = 100
		var r envio.Respuesta
		for range openAfter {
			r = f.notify(t)
		}
		d = errorDelServidor
		time.Sleep(r.Esperar)
		if r = f.notify(t); !r.Seguir || r.Esperar > longestProbe {
			t.Errorf("in the outage %+v, want to wait at most %v", r, longestProbe)
		}
		d = Desenlace{Resultado: envio.Aceptado, Status: 200}
		f.notify(t)
		d = errorDelServidor
		f.store.historia.Ultima = 0 // nothing was decided since
		if r = f.notify(t); !r.Seguir || r.Esperar <= longestProbe {
			t.Errorf("after it %+v, want to wait longer than %v", r, longestProbe)
		}
	})
}

// In an outage the wait is the circuit's, whose probes come soon, and not a step's own, which grows.
func TestEntregas_outageIsProbedByWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newEntregaFixture(func(context.Context, cuentas.Institucion) Desenlace {
			return Desenlace{Resultado: envio.MasTarde, Falla: true}
		})
		for n := range 100 {
			f.store.inicio.Intento.Numero = n + 1
			r := f.notify(t)
			if n >= openAfter && r.Esperar > longestProbe {
				t.Fatalf("after %d failures told to wait %v, want at most %v", n+1, r.Esperar, longestProbe)
			}
			time.Sleep(r.Esperar)
		}
		if f.store.begun != 100 {
			t.Errorf("%d attempts, want each wait to end in one", f.store.begun)
		}
	})
}
