package grpcapi_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

func TestSaveLote_bounds(t *testing.T) {
	t.Parallel()
	s := setup(t)
	client := registrosv1.NewRegistroServiceClient(s.conn)

	answer, err := client.SaveLote(s.uno, &registrosv1.SaveLoteRequest{Registros: lote(5000)})
	if err != nil {
		t.Fatal(err)
	}
	if answer.GetTotal() != 5000 || answer.GetCreados() != 5000 {
		t.Errorf("answer = %v", answer)
	}
	_, err = client.SaveLote(s.uno, &registrosv1.SaveLoteRequest{Registros: lote(5001)})
	if !errs.Is(err, errores.LoteExcedido) {
		t.Errorf("5001 records: %v", err)
	}
	_, err = client.SaveLote(s.uno, &registrosv1.SaveLoteRequest{})
	if !errs.Is(err, errores.LoteVacio) {
		t.Errorf("no record: %v", err)
	}
	again, err := client.SaveRegistros(s.uno, &registrosv1.SaveRegistrosRequest{Registros: lote(5000)})
	if err != nil {
		t.Fatal(err)
	}
	if again.GetSinCambios() != 5000 || len(again.GetRegistros()) != 5000 {
		t.Errorf("all or nothing: %d unchanged, %d listed, want 5000", again.GetSinCambios(), len(again.GetRegistros()))
	}
	_, err = client.SaveRegistros(s.uno, &registrosv1.SaveRegistrosRequest{Registros: lote(5001)})
	if !errs.Is(err, errores.LoteExcedido) {
		t.Errorf("5001 records, all or nothing: %v", err)
	}
}

func TestSaveRegistros_isAllOrNothing(t *testing.T) {
	t.Parallel()
	s := setup(t)
	client := registrosv1.NewRegistroServiceClient(s.conn)
	bad := registro("B")
	bad.Curp = "SHORT"

	_, err := client.SaveRegistros(s.uno, &registrosv1.SaveRegistrosRequest{Registros: []*registrosv1.Registro{registro("A"), bad}})
	if !errs.Is(err, errores.Validacion) {
		t.Fatalf("error = %v", err)
	}
	answer, err := client.SaveRegistros(s.uno, &registrosv1.SaveRegistrosRequest{Registros: lote(1)})
	if err != nil {
		t.Fatal(err)
	}
	if answer.GetCreados() != 1 || answer.GetRegistros()[0].GetResultado() != "creado" {
		t.Errorf("answer = %v", answer)
	}
	again, err := client.SaveRegistros(s.uno, &registrosv1.SaveRegistrosRequest{Registros: []*registrosv1.Registro{registro("A")}})
	if err != nil {
		t.Fatal(err)
	}
	if again.GetCreados() != 1 {
		t.Errorf("the refused call had written its first record: %v", again)
	}
}

func TestSaveLote_takesEachRecordOnItsOwn(t *testing.T) {
	t.Parallel()
	s := setup(t)
	client := registrosv1.NewRegistroServiceClient(s.conn)
	bad := registro("B")
	bad.FechaEvento = "2026-13-01"
	records := []*registrosv1.Registro{registro("A"), bad, registro("A")}

	verdict, err := client.ValidateRegistros(s.uno, &registrosv1.ValidateRegistrosRequest{Registros: records})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.SaveLote(s.uno, &registrosv1.SaveLoteRequest{Registros: records})
	if err != nil {
		t.Fatal(err)
	}
	if answer.GetCreados() != 1 || answer.GetRechazados() != 2 || answer.GetTotal() != 3 {
		t.Errorf("answer = %v", answer)
	}
	if verdict.GetValidos() != 1 || verdict.GetInvalidos() != 2 {
		t.Errorf("validar disagrees: %v", verdict)
	}
	if len(verdict.GetObservaciones()) != len(answer.GetObservaciones()) {
		t.Errorf("validar observes %d, lote %d", len(verdict.GetObservaciones()), len(answer.GetObservaciones()))
	}
}

// At midnight in Quintana Roo it is 23:00 in Mexico City.
func TestSaveLote_theFutureIsOfNoZone(t *testing.T) {
	t.Parallel()
	s := setupAt(t, time.Date(2026, 6, 15, 5, 30, 0, 0, time.UTC))
	client := registrosv1.NewRegistroServiceClient(s.conn)
	today, tomorrow := registro("A"), registro("B")
	today.FechaEvento, tomorrow.FechaEvento = "2026-06-15", "2026-06-16"

	answer, err := client.SaveLote(s.uno, &registrosv1.SaveLoteRequest{Registros: []*registrosv1.Registro{today, tomorrow}})
	if err != nil {
		t.Fatal(err)
	}
	first := answer.GetObservaciones()[0]
	if answer.GetCreados() != 1 || answer.GetRechazados() != 1 || first.GetIndice() != 1 || first.GetCodigo() != "fecha_futura" {
		t.Errorf("answer = %v", answer)
	}
	captured, err := registrosv1.NewCapturaServiceClient(s.conn).CaptureRegistro(s.integracion,
		&registrosv1.CaptureRegistroRequest{EmpresaId: "LAB010101AB1", Registro: today})
	if err != nil || len(captured.GetObservaciones()) > 0 {
		t.Errorf("an event: %v, %v", captured, err)
	}
}

// The fields that could not be read come from whoever read them; each costs its own record.
func TestSaveLote_unreadableFieldsCostTheirRecordAlone(t *testing.T) {
	t.Parallel()
	s := setup(t)
	client := registrosv1.NewRegistroServiceClient(s.conn)
	unread := registro("B")
	unread.Ilegibles = []*registrosv1.Ilegible{{Campo: "estudio", Codigo: "campo_desconocido"}}

	answer, err := client.SaveLote(s.uno, &registrosv1.SaveLoteRequest{Registros: []*registrosv1.Registro{registro("A"), unread}})
	if err != nil {
		t.Fatal(err)
	}
	if answer.GetCreados() != 1 || answer.GetRechazados() != 1 {
		t.Errorf("answer = %v", answer)
	}
	first := answer.GetResumen()[0]
	if first.GetCodigo() != "campo_desconocido" || first.GetCampo() != "estudio" || first.GetTotal() != 1 {
		t.Errorf("summary = %v", answer.GetResumen())
	}
	_, err = client.SaveRegistros(s.uno, &registrosv1.SaveRegistrosRequest{Registros: []*registrosv1.Registro{unread}})
	refusal, ok := errors.AsType[*errs.Error](err)
	if !ok || len(refusal.Fields) != 1 || refusal.Fields[0].Puntero != "/registros/0/estudio" {
		t.Errorf("error = %v", err)
	}
}

func TestSaveRegistros_boundsWhatItTells(t *testing.T) {
	t.Parallel()
	s := setup(t)
	records := lote(100)
	for _, r := range records {
		for i := range 100 {
			r.Ilegibles = append(r.Ilegibles, &registrosv1.Ilegible{Campo: fmt.Sprint("ajeno_", i), Codigo: "campo_desconocido"})
		}
	}
	_, err := registrosv1.NewRegistroServiceClient(s.conn).SaveRegistros(s.uno, &registrosv1.SaveRegistrosRequest{Registros: records})
	refusal, ok := errors.AsType[*errs.Error](err)
	if !ok || len(refusal.Fields) != 5000 || !strings.HasSuffix(refusal.Message, " Otros 5000 errores no se muestran.") {
		t.Errorf("%d places, %v", len(refusal.Fields), err)
	}
}
