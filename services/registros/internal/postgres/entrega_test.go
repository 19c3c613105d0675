package postgres_test

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river/rivertype"

	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/postgres"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// A delivery ends in the transaction that finds nothing left to tell: with the record of the
// last step, or at the first look.
func TestPasos_endsTheDeliveryWithItsLastStep(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caso := b.open(t, empresaUno, newReporte(nil))
	job := b.runningJob(t)
	pasos := postgres.Pasos{Store: b.store, Job: job}
	completed := func() int { return 1 - b.count(t, "river_job WHERE id = $1", job.ID) }
	paso, err := pasos.NextPaso(t.Context(), empresaUno, caso)
	if err != nil || paso.Finish == nil || completed() != 0 {
		t.Fatalf("next is %+v, %v; %d ends", paso, err, completed())
	}
	paso, err = pasos.RecordPaso(t.Context(), empresaUno, caso, paso, envio.Respuesta{Resultado: envio.MasTarde})
	if err != nil || paso.Finish == nil || completed() != 0 {
		t.Fatalf("after a pause next is %+v, %v; %d ends", paso, err, completed())
	}
	b.save(t, empresaUno, newRegistro("F-1", func(r *registros.Registro) { r.FechaEvento = fecha("2026-06-16") }))
	paso, err = pasos.RecordPaso(t.Context(), empresaUno, caso, paso, envio.Respuesta{Resultado: envio.Aceptado})
	if err != nil || paso.Coincidencia == nil || completed() != 0 {
		t.Fatalf("after the end of the search next is %+v, %v; %d ends", paso, err, completed())
	}
	paso, err = pasos.RecordPaso(t.Context(), empresaUno, caso, paso, envio.Respuesta{Resultado: envio.Aceptado})
	if err != nil || paso != (registros.Paso{}) || completed() != 1 {
		t.Fatalf("after the last one next is %+v, %v; %d ends", paso, err, completed())
	}
	pasos.Job = b.runningJob(t)
	paso, err = pasos.NextPaso(t.Context(), empresaUno, caso)
	job = pasos.Job
	if err != nil || paso != (registros.Paso{}) || completed() != 1 {
		t.Errorf("later on next is %+v, %v; %d ends", paso, err, completed())
	}
}

// runningJob is a job as a worker has it.
func (b bundle) runningJob(t *testing.T) *rivertype.JobRow {
	t.Helper()
	job := &rivertype.JobRow{}
	err := b.admin.QueryRow(t.Context(), `
		INSERT INTO river_job (kind, args, state, attempt, attempted_at, max_attempts) VALUES ('prueba', '{}', 'running', 1, now(), 25)
		RETURNING id, attempted_at`).Scan(&job.ID, &job.AttemptedAt)
	if err != nil {
		t.Fatal(err)
	}
	return job
}

// The deliveries of many Casos at once share their transactions, and each is told its own
// steps, one after the other; a Caso that is not there fails alone.
func TestPasos_manyAtOnceEachItsOwn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	casos := map[registros.CasoID]string{}
	for n := range 30 {
		folio := fmt.Sprintf("F-%d", n)
		curp := fmt.Sprintf("PEXA9001%02dHDFRXN06", n)
		for _, each := range []string{folio, folio + "-otro"} {
			b.save(t, empresaUno, newRegistro(each, func(r *registros.Registro) { r.CURP = curp; r.Nombre = "" }))
		}
		casos[b.open(t, empresaUno, newReporte(func(r *registros.Reporte) {
			r.ID = fmt.Sprintf("%02d%s", n, reporteUno[2:])
			r.Persona.CURP = curp
		}))] = folio
	}
	casos[uuid.New()] = ""
	var deliveries sync.WaitGroup
	for caso, folio := range casos {
		deliveries.Go(func() {
			if folio == "" {
				if _, err := b.pasos().NextPaso(t.Context(), empresaUno, caso); err == nil {
					t.Error("a caso that is not there has steps")
				}
				return
			}
			told, want := b.told(t, empresaUno, caso), []string{"2:" + folio, "2:" + folio + "-otro", "fin"}
			slices.Sort(told)
			if !slices.Equal(told, want) {
				t.Errorf("told %v, want %v", told, want)
			}
		})
	}
	deliveries.Wait()
	if n := b.count(t, "casos WHERE estado = 'monitoreo'"); n != 30 {
		t.Errorf("%d casos in monitoring", n)
	}
	if n := b.count(t, "coincidencias WHERE estado = 'notificada'"); n != 60 {
		t.Errorf("%d coincidencias told", n)
	}
}

var (
	apartado = envio.Respuesta{Resultado: envio.Apartado, Detalle: "La plataforma contestó con error 10 veces; se reintentará.", Esperar: 24 * time.Hour}
	seguir   = envio.Respuesta{Resultado: envio.MasTarde, Detalle: apartado.Detalle, Esperar: 5 * time.Minute, Seguir: true}
)

func (b bundle) exec(t *testing.T, statement string) {
	t.Helper()
	_, err := b.admin.Exec(t.Context(), statement)
	if err != nil {
		t.Fatal(err)
	}
}

// What is set aside is told after its time, in its place, and what follows it meanwhile.
func TestPasos_pastAMatchThatIsSetAside(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil))
	caso := b.open(t, empresaUno, newReporte(nil))
	b.step(t, caso, apartado)
	pendientes := b.hallazgos(t, registros.Filtro{Estado: registros.CoincidenciaPendiente})
	if len(pendientes) != 2 || pendientes[0].Detalle != apartado.Detalle {
		t.Fatalf("pending %+v, want the one that is set aside among them, with its reason", pendientes)
	}
	if got, want := b.told(t, empresaUno, caso), []string{"2:A", "fin"}; !slices.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
	b.save(t, empresaUno, newRegistro("B", func(r *registros.Registro) { r.FechaEvento = fecha("2026-06-16") }))
	if got, want := b.told(t, empresaUno, caso), []string{"3:B"}; !slices.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
	if all, err := b.store.ListActividades(t.Context(), empresaUno); err != nil || all[0].Pendientes != 0 || !all[0].PendienteDesde.IsZero() {
		t.Errorf("activity %+v, %v; what is set aside waits for nobody here", all, err)
	}
	b.exec(t, `UPDATE coincidencias SET apartada_hasta = now() WHERE apartada_hasta IS NOT NULL`)
	b.loseJobs(t)
	sweep(t, b.store.EnqueueForgotten)
	if n := b.count(t, `river_job WHERE kind = 'deliver_caso'`); n != 1 {
		t.Errorf("%d deliveries after its time, want 1", n)
	}
	if got, want := b.told(t, empresaUno, caso), []string{"1:A"}; !slices.Equal(got, want) {
		t.Errorf("after its time told %v, want %v", got, want)
	}
	if n := b.count(t, `coincidencias WHERE apartada_hasta IS NOT NULL`); n != 0 {
		t.Errorf("%d are still set aside", n)
	}
}

func TestPasos_pastAnEndThatIsSetAside(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caso := b.open(t, empresaUno, newReporte(nil))
	b.step(t, caso, apartado)
	if s := b.situacion(t); s.Estado != registros.CasoMonitoreo || s.Finalizacion != registros.FinalizacionRechazada {
		t.Errorf("the caso is %+v, want it in monitoring after an end that was refused", s)
	}
	b.save(t, empresaUno, newRegistro("B", func(r *registros.Registro) { r.FechaEvento = fecha("2026-06-16") }))
	if got, want := b.told(t, empresaUno, caso), []string{"3:B"}; !slices.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
	if all, err := b.store.ListActividades(t.Context(), empresaUno); err != nil || all[0].FinalesRechazados != 0 {
		t.Errorf("activity %+v, %v; it is tried again by itself", all, err)
	}
	for _, again := range []envio.Respuesta{apartado, accepted} {
		b.exec(t, `UPDATE casos SET fin_apartado_hasta = now()`)
		b.loseJobs(t)
		sweep(t, b.store.EnqueueForgotten)
		if n := b.count(t, `river_job WHERE kind = 'deliver_caso'`); n != 1 {
			t.Errorf("%d deliveries after its time, want 1", n)
		}
		b.step(t, caso, again)
	}
	if s := b.situacion(t); s.Estado != registros.CasoMonitoreo || s.Finalizacion != registros.FinalizacionNotificada {
		t.Errorf("after it was taken the caso is %+v", s)
	}
	b.loseJobs(t)
	sweep(t, b.store.EnqueueForgotten)
	if n := b.count(t, `river_job WHERE kind = 'deliver_caso'`); n != 0 {
		t.Errorf("%d deliveries with nothing left to tell", n)
	}
	// An end that an operator skips is not tried again by itself.
	b.exec(t, `UPDATE casos SET finalizacion = 'rechazada', busqueda_finalizada_en = NULL, fin_apartado_hasta = now()`)
	b.step(t, caso, rejected)
	if all, err := b.store.ListActividades(t.Context(), empresaUno); err != nil || all[0].FinalesRechazados != 1 {
		t.Errorf("activity %+v, %v; want one end that was refused", all, err)
	}
}

// A step that may be passed comes first again in the next turn, and its delivery does not end.
func TestPasos_passedInOneTurn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil))
	caso := b.open(t, empresaUno, newReporte(nil))
	b.save(t, empresaUno, newRegistro("B", func(r *registros.Registro) { r.FechaEvento = fecha("2026-06-16") }))
	job := b.runningJob(t)
	pasos := postgres.Pasos{Store: b.store, Job: job}
	var told []string
	turn := func(answers ...envio.Respuesta) {
		t.Helper()
		paso, err := pasos.NextPaso(t.Context(), empresaUno, caso)
		for _, r := range answers {
			if err != nil || paso == (registros.Paso{}) {
				t.Fatalf("told %v, then %+v, %v", told, paso, err)
			}
			name := "fin"
			if c := paso.Coincidencia; c != nil {
				name = strconv.Itoa(int(c.Fase)) + ":" + string(c.Registro.Folio)
			}
			told = append(told, name)
			paso, err = pasos.RecordPaso(t.Context(), empresaUno, caso, paso, r)
		}
		if err != nil || paso != (registros.Paso{}) {
			t.Fatalf("told %v, then %+v, %v; want nothing more", told, paso, err)
		}
	}
	turn(seguir, accepted, seguir, accepted)
	if want := []string{"1:A", "2:A", "fin", "3:B"}; !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
	if n := b.count(t, "river_job WHERE id = $1", job.ID); n != 1 {
		t.Fatal("the delivery ended although it passed steps")
	}
	told = nil
	turn(accepted, accepted)
	if want := []string{"1:A", "fin"}; !slices.Equal(told, want) {
		t.Errorf("in the next turn told %v, want %v", told, want)
	}
	if n := b.count(t, "river_job WHERE id = $1", job.ID); n != 0 {
		t.Error("the delivery did not end with its last step")
	}
}

// When the platform is back, deliveries that wait go on, and what is set aside is told, of that
// institution alone.
func TestStore_WakeEntregas(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var casos []registros.CasoID
	for _, empresa := range []tenant.EmpresaID{empresaUno, empresaDos} {
		b.save(t, empresa, newRegistro("A", nil))
		caso := b.open(t, empresa, newReporte(nil))
		casos = append(casos, caso)
		for _, r := range []envio.Respuesta{apartado, accepted, apartado} {
			paso, err := b.pasos().NextPaso(t.Context(), empresa, caso)
			if err == nil {
				_, err = b.pasos().RecordPaso(t.Context(), empresa, caso, paso, r)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	b.exec(t, `UPDATE river_job SET state = 'scheduled', scheduled_at = now() + interval '5 minutes' WHERE kind = 'deliver_caso'`)
	err := b.store.WakeEntregas(t.Context(), empresaUno)
	if err != nil {
		t.Fatal(err)
	}
	const due = `river_job WHERE kind = 'deliver_caso' AND state = 'available' AND scheduled_at <= now() AND args->>'caso_id' = $1`
	if woken, other := b.count(t, due, casos[0].String()), b.count(t, due, casos[1].String()); woken != 1 || other != 0 {
		t.Errorf("%d deliveries woken, %d of the other institution", woken, other)
	}
	if got, want := b.told(t, empresaUno, casos[0]), []string{"1:A", "fin"}; !slices.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
	if got := b.told(t, empresaDos, casos[1]); len(got) != 0 {
		t.Errorf("of the other institution told %v", got)
	}
}
