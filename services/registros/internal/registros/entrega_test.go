package registros

import (
	"testing"

	"github.com/enlace-iis/enlace/services/internal/manual"
)

func TestAvance_Next(t *testing.T) {
	t.Parallel()
	coincidencia := func(fase manual.Fase) *Coincidencia { return &Coincidencia{Fase: fase} }
	tests := []struct {
		name   string
		avance Avance
		want   string
	}{
		{"not searched yet", Avance{Estado: CasoEnBusqueda, Pendiente: coincidencia(manual.FaseBasicos)}, ""},
		{"phase 1", Avance{Estado: CasoEnBusqueda, Buscado: true, Pendiente: coincidencia(manual.FaseBasicos)}, "1"},
		{"phase 2", Avance{Estado: CasoEnBusqueda, Buscado: true, Pendiente: coincidencia(manual.FaseHistorica)}, "2"},
		{"nothing found", Avance{Estado: CasoEnBusqueda, Buscado: true}, "end"},
		{"phase 3 waits for the end", Avance{Estado: CasoEnBusqueda, Buscado: true, Pendiente: coincidencia(manual.FaseContinua)}, "end"},
		{"phase 3", Avance{Estado: CasoMonitoreo, Buscado: true, Finalizacion: FinalizacionNotificada, Pendiente: coincidencia(manual.FaseContinua)}, "3"},
		{"phase 3 after a refused end", Avance{Estado: CasoMonitoreo, Buscado: true, Finalizacion: FinalizacionRechazada, Pendiente: coincidencia(manual.FaseContinua)}, "3"},
		{"phase 2 of a date that came after the end", Avance{Estado: CasoMonitoreo, Buscado: true, Finalizacion: FinalizacionNotificada, Pendiente: coincidencia(manual.FaseHistorica)}, "2"},
		{"all told", Avance{Estado: CasoMonitoreo, Buscado: true, Finalizacion: FinalizacionNotificada}, ""},
		{"closed", Avance{Estado: CasoCerrado, Buscado: true, Pendiente: coincidencia(manual.FaseHistorica)}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.avance.Finalizacion == "" {
				tt.avance.Finalizacion = FinalizacionPendiente
			}
			var got string
			switch next := tt.avance.Next(); {
			case next.Finish != nil:
				got = "end"
			case next.Coincidencia != nil:
				got = next.Coincidencia.Fase.String()
			}
			if got != tt.want {
				t.Errorf("next is %q, want %q", got, tt.want)
			}
		})
	}
}
