package grpcapi

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// A list fills the same messages again with each chunk.
func TestFilled_aRowHasAllFieldsAndNothingOfTheChunkBefore(t *testing.T) {
	day, _ := manual.ParseFecha("2001-02-03")
	now := time.Now()
	caso := registros.Caso{
		ID: uuid.New(),
		Reporte: registros.Reporte{ID: "R", FechaDesaparicion: day, Persona: manual.Persona{
			CURP: "C", Nombre: "N", PrimerApellido: "P", SegundoApellido: "S", FechaNacimiento: day, LugarNacimiento: "SONORA", SexoAsignado: "X",
		}},
		Estado: registros.CasoCerrado, Finalizacion: registros.FinalizacionNotificada, Coincidencias: 1,
		AbiertoEn: now, FinalizadaEn: now, CerradoEn: now, ActualizadoEn: now,
	}
	wantFilled(t, filled(fillCaso), filled(fillCaso), caso)
	wantFilled(t, filled(fillCoincidencia), filled(fillCoincidencia), registros.Coincidencia{
		ID: uuid.New(), CasoID: uuid.New(), ReporteID: "R", Fase: manual.FaseContinua,
		Registro: registros.Registro{Folio: "F", TipoEvento: "T", FechaEvento: day, Persona: manual.Persona{CURP: "C"}},
		Estado:   registros.CoincidenciaNotificada, DetectadaEn: now, NotificadaEn: now, Detalle: "D",
	})
}

func wantFilled[T any, M proto.Message](t *testing.T, used, fresh func([]T) []M, full T) {
	t.Helper()
	message := used([]T{full})[0].ProtoReflect()
	fields := message.Descriptor().Fields()
	for i := range fields.Len() {
		if !message.Has(fields.Get(i)) {
			t.Errorf("%s is not filled", fields.Get(i).FullName())
		}
	}
	var empty T
	got, want := used([]T{empty})[0], fresh([]T{empty})[0]
	if !proto.Equal(got, want) {
		t.Errorf("after another row: %v, want %v", got, want)
	}
}
