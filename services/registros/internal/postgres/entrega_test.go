package postgres_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/riverqueue/river/rivertype"

	"github.com/enlace-iis/enlace/services/internal/envio"
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
