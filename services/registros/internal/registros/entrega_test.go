package registros

import (
	"context"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
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
		{"the end is set aside", Avance{Estado: CasoMonitoreo, Buscado: true, Finalizacion: FinalizacionRechazada}, ""},
		{"its time has come", Avance{Estado: CasoMonitoreo, Buscado: true, Finalizacion: FinalizacionRechazada, FinDebido: true, Pendiente: coincidencia(manual.FaseContinua)}, "end"},
		{"a match of phase 1 was passed", Avance{Estado: CasoEnBusqueda, Buscado: true, Tras: Lugar{Fase: manual.FaseBasicos}}, "end"},
		{"the end was passed", Avance{Estado: CasoEnBusqueda, Buscado: true, Tras: Paso{Finish: &Reporte{}}.Lugar(), Pendiente: coincidencia(manual.FaseContinua)}, "3"},
		{"all was passed", Avance{Estado: CasoEnBusqueda, Buscado: true, Tras: Lugar{Fase: manual.FaseContinua}}, ""},
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

// guion is storage that gives its steps in turn, and a platform that answers in turn.
type guion struct {
	pasos    []Paso
	answers  []envio.Respuesta
	recorded int
}

func (g *guion) NextPaso(context.Context, tenant.EmpresaID, CasoID) (Paso, error) {
	return g.pasos[0], nil
}

func (g *guion) RecordPaso(context.Context, tenant.EmpresaID, CasoID, Paso, envio.Respuesta) (Paso, error) {
	g.recorded++
	return g.pasos[g.recorded], nil
}

func (g *guion) Notify(context.Context, tenant.EmpresaID, Coincidencia) (envio.Respuesta, error) {
	return g.answers[g.recorded], nil
}

func (g *guion) Finish(context.Context, tenant.EmpresaID, Reporte) (envio.Respuesta, error) {
	return g.answers[g.recorded], nil
}

func TestEntrega_Drain(t *testing.T) {
	t.Parallel()
	var (
		accepted = envio.Respuesta{Resultado: envio.Aceptado}
		later    = envio.Respuesta{Resultado: envio.MasTarde, Esperar: 7 * time.Second}
		aside    = envio.Respuesta{Resultado: envio.Apartado, Esperar: 24 * time.Hour}
		pass     = envio.Respuesta{Resultado: envio.MasTarde, Esperar: 3 * time.Minute, Seguir: true}
		passLong = envio.Respuesta{Resultado: envio.MasTarde, Esperar: 5 * time.Minute, Seguir: true}
	)
	match := Paso{Coincidencia: &Coincidencia{Fase: manual.FaseBasicos}}
	behind := Paso{Coincidencia: &Coincidencia{Fase: manual.FaseHistorica}, Tras: match.Lugar()}
	end := Paso{Finish: &Reporte{}, Tras: behind.Lugar()}
	tests := []struct {
		name    string
		pasos   []Paso
		answers []envio.Respuesta
		pause   time.Duration
		drained bool
	}{
		{"all taken", []Paso{match, match, {}}, []envio.Respuesta{accepted, accepted}, 0, true},
		{"one must wait", []Paso{match, match}, []envio.Respuesta{later}, 7 * time.Second, false},
		{"one is set aside", []Paso{match, match, {}}, []envio.Respuesta{aside, accepted}, 0, true},
		{"one is passed", []Paso{match, behind, {}}, []envio.Respuesta{pass, accepted}, 3 * time.Minute, false},
		{"the first that was passed says when", []Paso{match, behind, end, {}}, []envio.Respuesta{pass, passLong, accepted}, 3 * time.Minute, false},
		{"what follows must wait for it", []Paso{match, behind, behind}, []envio.Respuesta{pass, later}, 3 * time.Minute, false},
		{"what follows must wait longer", []Paso{match, behind, behind}, []envio.Respuesta{{Resultado: envio.MasTarde, Esperar: time.Second, Seguir: true}, later}, 7 * time.Second, false},
		{"nothing follows", []Paso{match, {}}, []envio.Respuesta{pass}, 3 * time.Minute, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := &guion{pasos: tt.pasos, answers: tt.answers}
			pause, drained, err := Entrega{Store: g, Plataforma: g, Budget: time.Minute}.Drain(t.Context(), "LAB010101AB1", CasoID{})
			if err != nil || pause != tt.pause || drained != tt.drained || g.recorded != len(tt.answers) {
				t.Errorf("pause %v, drained %v, %d steps, %v; want %v, %v, %d", pause, drained, g.recorded, err, tt.pause, tt.drained, len(tt.answers))
			}
		})
	}
}
