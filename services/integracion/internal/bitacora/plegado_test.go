package bitacora

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/enlace-iis/enlace/services/internal/tenant"
)

const (
	empresaA tenant.EmpresaID = "LAB010101AB1"
	empresaB tenant.EmpresaID = "LAB020202CD2"
)

const actorPUI = "PUI"

// diario is a Bitácora in memory that can be away.
type diario struct {
	mu       sync.Mutex
	away     bool
	asientos []Asiento
}

func (d *diario) RecordAsiento(ctx context.Context, a Asiento) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.away {
		return errors.New("away")
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	d.asientos = append(d.asientos, a)
	return nil
}

func (*diario) EachAsiento(context.Context, tenant.EmpresaID, FiltroAsientos, func([]Asiento) error) error {
	return nil
}

func (d *diario) setAway(away bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.away = away
}

// kept counts the lines and the requests that they stand for.
func (d *diario) kept() (lines, requests int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, a := range d.asientos {
		veces, _ := a.Datos[datoVeces].(int)
		requests += veces
	}
	return len(d.asientos), requests
}

// withRechazos runs a Rechazos in a bubble of its own time; stop ends it.
func withRechazos(t *testing.T, test func(t *testing.T, r *Rechazos, d *diario, stop func())) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := &diario{}
		r := NewRechazos(d, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			r.Run(ctx)
		}()
		stop := sync.OnceFunc(func() {
			cancel()
			<-done
		})
		defer stop()
		test(t, r, d, stop)
	})
}

func refusal(empresa tenant.EmpresaID) Asiento {
	return Asiento{EmpresaID: empresa, Tipo: AsientoSolicitud, Accion: AccionActivar, Actor: actorPUI, Status: 401, Motivo: "credencial_invalida"}
}

func TestRechazos_aFloodIsALineAMinute(t *testing.T) {
	t.Parallel()
	withRechazos(t, func(t *testing.T, r *Rechazos, d *diario, stop func()) {
		const flood, minutes = 100_000, 5
		for n := range flood {
			r.Record(t.Context(), refusal(empresaA))
			if n%100 == 0 {
				time.Sleep(minutes * time.Minute / (flood / 100))
			}
		}
		stop()
		lines, requests := d.kept()
		if lines > minutes+2 || requests != flood {
			t.Errorf("%d refusals in %d minutes are %d lines for %d", flood, minutes, lines, requests)
		}
	})
}

func TestRechazos_theFirstIsThereAtOnce(t *testing.T) {
	t.Parallel()
	withRechazos(t, func(t *testing.T, r *Rechazos, d *diario, stop func()) {
		first := refusal(empresaA)
		first.RequestID, first.ReporteID, first.HuellaCURP = "r-1", "reporte", []byte("huella")
		r.Record(t.Context(), first)
		r.Record(t.Context(), first)
		if lines, _ := d.kept(); lines != 1 || d.asientos[0].RequestID != "r-1" || d.asientos[0].ReporteID != "reporte" || d.asientos[0].HuellaCURP == nil {
			t.Fatalf("at once there are %+v", d.asientos)
		}
		stop()
		last := d.asientos[len(d.asientos)-1]
		if len(d.asientos) != 2 || last.ReporteID != "" || last.RequestID != "" || last.Datos[datoVeces] != 1 ||
			last.EmpresaID != empresaA || last.Accion != AccionActivar || last.Actor != actorPUI || last.Status != 401 || last.Motivo != first.Motivo {
			t.Errorf("after the stop there are %+v", d.asientos)
		}
	})
}

// After a minute without one, the next refusal is a first one again.
func TestRechazos_forgetsWhatIsOver(t *testing.T) {
	t.Parallel()
	withRechazos(t, func(t *testing.T, r *Rechazos, d *diario, _ func()) {
		for want := 1; want <= 3; want++ {
			r.Record(t.Context(), refusal(empresaA))
			if lines, requests := d.kept(); lines != want || requests != want {
				t.Errorf("%d lines for %d, want %d", lines, requests, want)
			}
			time.Sleep(2 * plegadoEvery)
			synctest.Wait()
		}
		if len(r.counted) != 0 {
			t.Errorf("still counting %d kinds", len(r.counted))
		}
	})
}

func TestRechazos_kindsAndInstitutionsAreApart(t *testing.T) {
	t.Parallel()
	withRechazos(t, func(t *testing.T, r *Rechazos, d *diario, _ func()) {
		kinds := 0
		for _, change := range []func(*Asiento){
			func(*Asiento) {}, func(a *Asiento) { a.EmpresaID = empresaB }, func(a *Asiento) { a.EmpresaID = SinEmpresa },
			func(a *Asiento) { a.Accion = AccionLogin }, func(a *Asiento) { a.Actor = "operador" },
			func(a *Asiento) { a.Status = 403 }, func(a *Asiento) { a.Motivo = "sin_permiso" },
		} {
			a := refusal(empresaA)
			change(&a)
			r.Record(t.Context(), a)
			kinds++
			if lines, _ := d.kept(); lines != kinds {
				t.Errorf("%+v has no line of its own", a)
			}
		}
	})
}

func TestRechazos_whatCannotBeWrittenIsWrittenLater(t *testing.T) {
	t.Parallel()
	withRechazos(t, func(t *testing.T, r *Rechazos, d *diario, stop func()) {
		d.setAway(true)
		for range 3 {
			r.Record(t.Context(), refusal(empresaA))
			r.Record(t.Context(), refusal(empresaB))
			time.Sleep(plegadoEvery)
		}
		d.setAway(false)
		stop()
		if lines, requests := d.kept(); lines != 2 || requests != 6 {
			t.Errorf("%d lines for %d, want 2 for 6", lines, requests)
		}
	})
}

// However many kinds there are, memory and lines are bounded, and the number stays right.
func TestRechazos_manyKinds(t *testing.T) {
	t.Parallel()
	withRechazos(t, func(t *testing.T, r *Rechazos, d *diario, stop func()) {
		const many = 5 * maxClases
		for n := range many {
			r.Record(t.Context(), refusal(tenant.EmpresaID(fmt.Sprintf("LAB%d", n))))
		}
		if len(r.counted) > maxClases+1 {
			t.Errorf("%d kinds are told apart", len(r.counted))
		}
		stop()
		lines, requests := d.kept()
		if lines != maxClases+1 || requests != many {
			t.Errorf("%d lines for %d, want %d for %d", lines, requests, maxClases+1, many)
		}
		if last := d.asientos[len(d.asientos)-1]; last.EmpresaID != SinEmpresa || last.Actor != ActorDesconocido || last.Datos[datoVeces] != many-maxClases {
			t.Errorf("the rest is %+v", last)
		}
	})
}

func TestRechazos_manyAtOnce(t *testing.T) {
	t.Parallel()
	withRechazos(t, func(t *testing.T, r *Rechazos, d *diario, stop func()) {
		const callers, each = 50, 200
		var all sync.WaitGroup
		for range callers {
			all.Go(func() {
				for range each {
					r.Record(t.Context(), refusal(empresaA))
				}
			})
		}
		all.Wait()
		stop()
		if lines, requests := d.kept(); lines != 2 || requests != callers*each {
			t.Errorf("%d lines for %d, want 2 for %d", lines, requests, callers*each)
		}
	})
}

func lectura(reporteID string) Asiento {
	return Asiento{EmpresaID: empresaA, Tipo: AsientoSolicitud, Accion: AccionVerReporte, Actor: "operadora", ReporteID: reporteID}
}

func withLecturas(t *testing.T, test func(t *testing.T, l *Lecturas, d *diario, stop func())) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := &diario{}
		l := NewLecturas(d, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			l.Run(ctx)
		}()
		stop := sync.OnceFunc(func() {
			cancel()
			<-done
		})
		defer stop()
		test(t, l, d, stop)
	})
}

// A console that asks every five seconds is a line at once and one a minute, and every read counts.
func TestLecturas_aConsoleThatPolls(t *testing.T) {
	t.Parallel()
	withLecturas(t, func(t *testing.T, l *Lecturas, d *diario, stop func()) {
		const reads, minutes = 120, 10
		for n := range reads {
			err := l.Record(t.Context(), lectura("R-1"))
			if lines, _ := d.kept(); err != nil || n == 0 && lines != 1 {
				t.Fatalf("read %d: %d lines, %v", n, lines, err)
			}
			time.Sleep(minutes * time.Minute / reads)
		}
		stop()
		lines, requests := d.kept()
		if lines > minutes+2 || requests != reads {
			t.Errorf("%d reads in %d minutes are %d lines for %d", reads, minutes, lines, requests)
		}
		for _, a := range d.asientos {
			if a.ReporteID != "R-1" || a.Actor != "operadora" || a.EmpresaID != empresaA {
				t.Errorf("a line that does not name what was read: %+v", a)
			}
		}
	})
}

// What is read, and by whom, is never folded together.
func TestLecturas_eachReportHasItsLine(t *testing.T) {
	t.Parallel()
	withLecturas(t, func(t *testing.T, l *Lecturas, d *diario, _ func()) {
		const many = maxClases + 100
		for n := range many {
			err := l.Record(t.Context(), lectura(fmt.Sprintf("R-%d", n)))
			if err != nil {
				t.Fatal(err)
			}
		}
		for n, change := range []func(*Asiento){
			func(a *Asiento) { a.Actor = "otra" }, func(a *Asiento) { a.EmpresaID = empresaB }, func(a *Asiento) { a.Accion = AccionVerReportes },
			func(a *Asiento) { a.HuellaCURP = []byte("x") }, func(a *Asiento) { a.Datos = map[string]any{"formato": "csv"} },
		} {
			a := lectura("R-1")
			change(&a)
			err := l.Record(t.Context(), a)
			if lines, _ := d.kept(); err != nil || lines != many+n+1 {
				t.Errorf("%+v: %d lines, %v", a, lines, err)
			}
		}
		if len(l.counted) > maxClases {
			t.Errorf("%d kinds are told apart", len(l.counted))
		}
	})
}

// Without a line nothing is shown, also once the count of a minute could not be written.
func TestLecturas_withoutTheLineTheReadFails(t *testing.T) {
	t.Parallel()
	withLecturas(t, func(t *testing.T, l *Lecturas, d *diario, stop func()) {
		d.setAway(true)
		if err := l.Record(t.Context(), lectura("R-1")); err == nil {
			t.Error("read without a line")
		}
		d.setAway(false)
		for range 3 {
			if err := l.Record(t.Context(), lectura("R-1")); err != nil {
				t.Fatal(err)
			}
		}
		d.setAway(true)
		time.Sleep(plegadoEvery + time.Second)
		synctest.Wait()
		if err := l.Record(t.Context(), lectura("R-1")); err == nil {
			t.Error("read after a minute whose line could not be written")
		}
		d.setAway(false)
		if err := l.Record(t.Context(), lectura("R-1")); err != nil {
			t.Error(err)
		}
		stop()
		if lines, requests := d.kept(); lines != 3 || requests != 4 {
			t.Errorf("%d lines for %d, want 3 for 4", lines, requests)
		}
	})
}
