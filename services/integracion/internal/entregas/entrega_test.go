package entregas

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
)

const (
	limitOfTests = 15 * time.Second
	reporteID    = "A1B2C3D4E5F6-550e8400-e29b-41d4-a716-446655440000"
	curpOfTests  = "TEST010101HDFABC01"
)

type entregaFixture struct {
	store    *sends
	entregas *Entregas
	log      bytes.Buffer
}

func newEntregaFixture(plataforma plataformaFunc) *entregaFixture {
	f := &entregaFixture{store: newSends()}
	log := slog.New(slog.NewJSONHandler(&f.log, nil))
	f.entregas = &Entregas{
		Store: f.store, Plataforma: plataforma, Circuito: NewMemoryCircuito(), Caja: plainSalida{},
		Vuelos: &Vuelos{Reportes: f.store, Interval: 250 * time.Millisecond, Log: log},
		Limit:  limitOfTests, Atasco: Atasco{Respuestas: 10, Lapso: time.Hour}, Log: log,
	}
	return f
}

func newCoincidencia() Coincidencia {
	return Coincidencia{
		EmpresaID: empresaA, ID: uuid.New(), ReporteID: reporteID, Ciclo: 1, Fase: manual.FaseBasicos,
		Persona: manual.Persona{CURP: curpOfTests, Nombre: "NOMBRE PRIVADO"},
	}
}

func TestEntregas_NotifyCoincidencia_outcomes(t *testing.T) {
	tests := []struct {
		name      string
		desenlace Desenlace
		want      envio.Respuesta
		low       time.Duration // of the pause
	}{
		{"accepted", Desenlace{Resultado: envio.Aceptado, Status: 200}, envio.Respuesta{Resultado: envio.Aceptado}, 0},
		{"refused", Desenlace{Resultado: envio.Rechazado, Status: 400, Detalle: "'curp' es obligatorio"}, envio.Respuesta{Resultado: envio.Rechazado, Detalle: "'curp' es obligatorio"}, 0},
		{"later", Desenlace{Resultado: envio.MasTarde, Status: 500, Detalle: "no", Falla: true}, envio.Respuesta{Resultado: envio.MasTarde, Detalle: "no"}, 800 * time.Millisecond},
		{"later, told when", Desenlace{Resultado: envio.MasTarde, Status: 429, RetryAfter: 20 * time.Minute, Falla: true}, envio.Respuesta{Resultado: envio.MasTarde}, 20 * time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newEntregaFixture(func(_ context.Context, i cuentas.Institucion) Desenlace {
				if i.Clave != "clave" {
					t.Errorf("clave = %q", string(i.Clave))
				}
				return tt.desenlace
			})
			r, err := f.entregas.NotifyCoincidencia(t.Context(), newCoincidencia())
			if err != nil {
				t.Fatal(err)
			}
			if r.Resultado != tt.want.Resultado || r.Detalle != tt.want.Detalle || r.Esperar < tt.low {
				t.Errorf("answer %+v, want %+v", r, tt.want)
			}
			fins := f.store.recorded()
			if len(fins) != 1 || fins[0].Desenlace != tt.desenlace || fins[0].Pausa != r.Esperar {
				t.Errorf("recorded %+v", fins)
			}
			for _, private := range []string{"PRIVADO", curpOfTests, `"clave"`} {
				if strings.Contains(f.log.String(), private) {
					t.Errorf("log shows %s: %s", private, f.log.String())
				}
			}
		})
	}
}

func TestEntregas_NotifyCoincidencia_blocked(t *testing.T) {
	tests := []struct {
		name   string
		inicio Inicio
		want   envio.Respuesta
	}{
		{"accepted before", Inicio{Bloqueo: YaDecidido, Estado: EnvioAceptado}, envio.Respuesta{Resultado: envio.Aceptado}},
		{"refused before", Inicio{Bloqueo: YaDecidido, Estado: EnvioRechazado, Detalle: "por esto"}, envio.Respuesta{Resultado: envio.Rechazado, Detalle: "por esto"}},
		{"reporte ended", Inicio{Bloqueo: ReporteInactivo}, envio.Respuesta{Resultado: envio.Cancelado, Detalle: errores.DetalleReporteInactivo}},
		{"suspended", Inicio{Bloqueo: EmpresaDetenida}, later(time.Minute, "La institución está suspendida.")},
		{"not configured", Inicio{Bloqueo: SinConfigurar}, later(time.Minute, detalleSinConfigurar)},
		{"under way", Inicio{Bloqueo: EnCurso}, later(time.Second, "Se está enviando en este momento.")},
		{"too early", Inicio{Bloqueo: AunNo, Esperar: 7 * time.Second, Detalle: "antes falló"}, later(7*time.Second, "antes falló")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newEntregaFixture(func(context.Context, cuentas.Institucion) Desenlace {
				t.Error("something was sent")
				return Desenlace{}
			})
			f.store.inicio = tt.inicio
			r, err := f.entregas.NotifyCoincidencia(t.Context(), newCoincidencia())
			if err != nil || r != tt.want {
				t.Errorf("answer %+v, %v; want %+v", r, err, tt.want)
			}
		})
	}
}

func TestEntregas_circuitAnswersAtOnceButKnowsWhatIsDecided(t *testing.T) {
	f := newEntregaFixture(func(context.Context, cuentas.Institucion) Desenlace {
		return Desenlace{Resultado: envio.MasTarde, Falla: true}
	})
	for range openAfter {
		_, err := f.entregas.FinishBusqueda(t.Context(), Finalizacion{EmpresaID: empresaA, ReporteID: reporteID, Ciclo: 1})
		if err != nil {
			t.Fatal(err)
		}
	}
	r, err := f.entregas.NotifyCoincidencia(t.Context(), newCoincidencia())
	if err != nil || r.Resultado != envio.MasTarde || r.Esperar <= 0 || f.store.begun != openAfter {
		t.Errorf("answer %+v, %v after %d attempts", r, err, f.store.begun)
	}
	f.store.inicio = Inicio{Bloqueo: YaDecidido, Estado: EnvioAceptado}
	r, err = f.entregas.NotifyCoincidencia(t.Context(), newCoincidencia())
	if err != nil || r.Resultado != envio.Aceptado {
		t.Errorf("answer %+v, %v", r, err)
	}
}

func TestEntregas_attemptOutlivesItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newEntregaFixture(func(ctx context.Context, _ cuentas.Institucion) Desenlace {
			time.Sleep(3 * time.Second)
			if ctx.Err() != nil {
				return Desenlace{Resultado: envio.MasTarde}
			}
			return Desenlace{Resultado: envio.Aceptado}
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := f.entregas.NotifyCoincidencia(ctx, newCoincidencia())
		if err != nil || f.store.recorded()[0].Resultado != envio.Aceptado {
			t.Errorf("recorded %+v, %v", f.store.recorded(), err)
		}
	})
}

// leaver is storage whose caller leaves while an attempt is being begun.
type leaver struct {
	*sends
	leave context.CancelFunc
}

func (l *leaver) BeginIntento(ctx context.Context, e Envio, limit time.Duration, permitted bool) (Inicio, error) {
	l.leave()
	inicio, err := l.sends.BeginIntento(ctx, e, limit, permitted)
	return inicio, errors.Join(err, ctx.Err()) // as who waits for a commit
}

// What was begun is made, or else it would keep its message back until its time is over; who
// is gone already begins nothing.
func TestEntregas_callerLeavesWhileTheAttemptIsBegun(t *testing.T) {
	f := newEntregaFixture(func(context.Context, cuentas.Institucion) Desenlace { return Desenlace{Resultado: envio.Aceptado} })
	ctx, leave := context.WithCancel(t.Context())
	f.entregas.Store = &leaver{sends: f.store, leave: leave}
	for range 2 {
		_, err := f.entregas.NotifyCoincidencia(ctx, newCoincidencia())
		if fins := f.store.recorded(); f.store.begun != 1 || len(fins) != 1 || fins[0].Resultado != envio.Aceptado {
			t.Errorf("%d begun, recorded %+v, %v", f.store.begun, fins, err)
		}
	}
}

func TestEntregas_attemptEndsWithItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newEntregaFixture(untilCut)
		started := time.Now()
		r, err := f.entregas.NotifyCoincidencia(t.Context(), newCoincidencia())
		if err != nil || r.Resultado != envio.MasTarde || time.Since(started) != limitOfTests {
			t.Errorf("answer %+v, %v after %v", r, err, time.Since(started))
		}
	})
}

// untilCut is a platform that never answers.
func untilCut(ctx context.Context, _ cuentas.Institucion) Desenlace {
	<-ctx.Done()
	return Desenlace{Resultado: envio.MasTarde, Falla: context.Cause(ctx) == context.DeadlineExceeded}
}

func TestEntregas_endOfTheReporteCutsTheAttempt(t *testing.T) {
	tests := []struct {
		name string
		end  func(f *entregaFixture)
		most time.Duration
	}{
		{"here", func(f *entregaFixture) { f.entregas.Vuelos.CancelReporte(f.store.fila) }, 0},
		{"on another replica", func(f *entregaFixture) { f.store.end() }, 250 * time.Millisecond},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newEntregaFixture(untilCut)
				answers := make(chan envio.Respuesta)
				go func() {
					r, err := f.entregas.NotifyCoincidencia(t.Context(), newCoincidencia())
					if err != nil {
						t.Error(err)
					}
					answers <- r
				}()
				time.Sleep(time.Second)
				ended := time.Now()
				tt.end(f)
				r := <-answers
				if r.Resultado != envio.Cancelado || time.Since(ended) > tt.most {
					t.Errorf("answer %+v after %v", r, time.Since(ended))
				}
				if fins := f.store.recorded(); len(fins) != 1 || fins[0].Estado() != EnvioCancelado {
					t.Errorf("recorded %+v", fins)
				}
			})
		})
	}
}

func TestEntregas_claveThatCannotBeOpened(t *testing.T) {
	f := newEntregaFixture(func(context.Context, cuentas.Institucion) Desenlace {
		t.Error("something was sent")
		return Desenlace{}
	})
	f.store.inicio.Clave = cuentas.Sellado{}
	r, err := f.entregas.NotifyCoincidencia(t.Context(), newCoincidencia())
	if err != nil || r.Resultado != envio.MasTarde || len(f.store.recorded()) != 1 {
		t.Errorf("answer %+v, %v; recorded %+v", r, err, f.store.recorded())
	}
}

func TestCoincidencia_Validate(t *testing.T) {
	refused := map[string]func(*Coincidencia){
		"no institution":      func(c *Coincidencia) { c.EmpresaID = "" },
		"no id":               func(c *Coincidencia) { c.ID = uuid.Nil },
		"no reporte":          func(c *Coincidencia) { c.ReporteID = "" },
		"no ciclo":            func(c *Coincidencia) { c.Ciclo = 0 },
		"no curp":             func(c *Coincidencia) { c.Persona.CURP = "" },
		"unknown phase":       func(c *Coincidencia) { c.Fase = 0 },
		"event without a day": func(c *Coincidencia) { c.Fase = manual.FaseHistorica },
	}
	for name, change := range refused {
		c := newCoincidencia()
		change(&c)
		f := newEntregaFixture(nil)
		_, err := f.entregas.NotifyCoincidencia(t.Context(), c)
		if !errs.Is(err, errores.Validacion) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// away is storage whose database cannot be reached for a while.
type away struct {
	*sends
	until time.Time
}

func (a *away) EndIntento(ctx context.Context, e Envio, intento Intento, fin Fin) error {
	if time.Now().Before(a.until) {
		return errs.New(errores.NoDisponible, "no")
	}
	return a.sends.EndIntento(ctx, e, intento, fin)
}

func TestEntregas_outcomeOutlastsAnAbsenceOfTheDatabase(t *testing.T) {
	for _, absence := range []time.Duration{recordLimit / 2, 2 * recordLimit} {
		synctest.Test(t, func(t *testing.T) {
			f := newEntregaFixture(func(context.Context, cuentas.Institucion) Desenlace { return Desenlace{Resultado: envio.Aceptado} })
			f.entregas.Store = &away{sends: f.store, until: time.Now().Add(absence)}
			r, err := f.entregas.NotifyCoincidencia(t.Context(), newCoincidencia())
			recorded := len(f.store.recorded()) == 1
			if short := absence < recordLimit; recorded != short || (err == nil) != short || err == nil && r.Resultado != envio.Aceptado {
				t.Errorf("absent for %v: answer %+v, %v; recorded %v", absence, r, err, recorded)
			}
		})
	}
}
