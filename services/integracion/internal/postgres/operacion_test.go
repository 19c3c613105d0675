package postgres

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/integracion/internal/seguimiento"
	"github.com/enlace-iis/enlace/services/internal/envio"
)

func TestStore_SetPausa_keepsDeliveriesBack(t *testing.T) {
	t.Parallel()
	store, _ := activeReporte(t)
	first, err := store.SetPausa(t.Context(), empresaA, true)
	must(t, err)
	again, err := store.SetPausa(t.Context(), empresaA, true)
	must(t, err)
	if first.EntregaPausadaEn.IsZero() || !again.EntregaPausadaEn.Equal(first.EntregaPausadaEn) {
		t.Errorf("paused since %v, then since %v", first.EntregaPausadaEn, again.EntregaPausadaEn)
	}
	wantBlocked(t, store, anEnvio(empresaA, "c1"), entregas.EntregaPausada)
	resumed, err := store.SetPausa(t.Context(), empresaA, false)
	must(t, err)
	if !resumed.EntregaPausadaEn.IsZero() {
		t.Errorf("still paused since %v", resumed.EntregaPausadaEn)
	}
	wantBlocked(t, store, anEnvio(empresaA, "c1"), entregas.SinBloqueo)
	_, err = store.SetPausa(t.Context(), "NADA010101AB1", true)
	wantMotivo(t, err, errores.NoEncontrado)
}

// decide ends the attempt at an Envío with an outcome.
func decide(t *testing.T, store *Store, e entregas.Envio, clase envio.Resultado) {
	t.Helper()
	inicio := begin(t, store, e)
	must(t, store.EndIntento(t.Context(), e, inicio.Intento, entregas.Fin{
		Desenlace: entregas.Desenlace{Resultado: clase, Status: 400, Motivo: "m", Detalle: "d"},
	}))
}

func TestStore_ReopenEnvio(t *testing.T) {
	t.Parallel()
	store, _ := activeReporte(t)
	rejected, accepted := uuid.NewString(), uuid.NewString()
	decide(t, store, anEnvio(empresaA, rejected), envio.Rechazado)
	decide(t, store, anEnvio(empresaA, accepted), envio.Aceptado)

	for range 2 { // repeating is harmless
		must(t, store.ReopenEnvio(t.Context(), anEnvio(empresaA, rejected)))
	}
	inicio := begin(t, store, anEnvio(empresaA, rejected))
	if inicio.Bloqueo != entregas.SinBloqueo || inicio.Intento.Numero != 2 {
		t.Errorf("after the reopening: %+v, want a second attempt at the same envio", inicio)
	}
	wantMotivo(t, store.ReopenEnvio(t.Context(), anEnvio(empresaA, accepted)), errores.Conflicto)
	wantMotivo(t, store.ReopenEnvio(t.Context(), anEnvio(empresaA, uuid.NewString())), errores.NoEncontrado)
	wantMotivo(t, store.ReopenEnvio(t.Context(), anEnvio(empresaB, rejected)), errores.NoEncontrado)

	fin := entregas.Envio{EmpresaID: empresaA, Tipo: entregas.EnvioFinalizacion, Clave: reporteID + "/1", ReporteID: reporteID, Ciclo: 1}
	wantMotivo(t, store.ReopenEnvio(t.Context(), fin), errores.NoEncontrado)
	decide(t, store, fin, envio.Rechazado)
	must(t, store.ReopenEnvio(t.Context(), fin))
	wantBlocked(t, store, fin, entregas.SinBloqueo)

	_, err := store.SaveDesactivacion(t.Context(), empresaA, reporteID)
	must(t, err)
	wantMotivo(t, store.ReopenEnvio(t.Context(), anEnvio(empresaA, rejected)), errores.Conflicto)
}

func TestStore_SkipEnvio(t *testing.T) {
	t.Parallel()
	store, _ := activeReporte(t)
	waiting, accepted, busy := anEnvio(empresaA, uuid.NewString()), anEnvio(empresaA, uuid.NewString()), anEnvio(empresaA, uuid.NewString())
	stuck(t, store, waiting)
	decide(t, store, accepted, envio.Aceptado)
	begin(t, store, busy)

	for range 2 { // repeating is harmless
		must(t, store.SkipEnvio(t.Context(), waiting))
	}
	inicio, err := store.BeginIntento(t.Context(), waiting, time.Minute, true)
	must(t, err)
	if inicio.Bloqueo != entregas.YaDecidido || inicio.Estado != entregas.EnvioRechazado || inicio.Detalle == "" {
		t.Errorf("after it was skipped: %+v, want it refused, with a reason", inicio)
	}
	wantMotivo(t, store.SkipEnvio(t.Context(), accepted), errores.Conflicto)
	wantMotivo(t, store.SkipEnvio(t.Context(), busy), errores.Conflicto)
	wantMotivo(t, store.SkipEnvio(t.Context(), anEnvio(empresaA, uuid.NewString())), errores.NoEncontrado)
	wantMotivo(t, store.SkipEnvio(t.Context(), anEnvio(empresaB, waiting.Clave)), errores.NoEncontrado)
	must(t, store.ReopenEnvio(t.Context(), waiting))
	wantBlocked(t, store, waiting, entregas.SinBloqueo)
}

// stuck ends an attempt that makes an Envío a stuck one for a day.
func stuck(t *testing.T, store *Store, e entregas.Envio) {
	t.Helper()
	end(t, store, e, begin(t, store, e).Intento, entregas.Fin{
		Desenlace: entregas.Desenlace{Resultado: envio.Apartado, Status: 500, Motivo: "servidor", Detalle: "d"},
		Pausa:     24 * time.Hour, Atascado: true,
	})
}

// What is stuck is listed, told again at once if the platform is back or an operator asks, and
// stuck no more once it was taken.
func TestStore_stuckEnvios(t *testing.T) {
	t.Parallel()
	store, _ := activeReporte(t)
	a, b := anEnvio(empresaA, uuid.NewString()), anEnvio(empresaA, uuid.NewString())
	stuck(t, store, a)
	stuck(t, store, b)
	listed := func() (total int) {
		t.Helper()
		all, err := store.ListPendientes(t.Context(), 0)
		must(t, err)
		for _, p := range all {
			if p.Tipo == seguimiento.PendienteAtascados && p.EmpresaID == empresaA && !p.Fecha.IsZero() {
				total += p.Total
			}
		}
		return total
	}
	claves, err := store.ListReabribles(t.Context(), empresaA, seguimiento.ReintentablesAtascadas)
	must(t, err)
	if listed() != 2 || len(claves) != 2 || !slices.Contains(claves, a.Clave) {
		t.Errorf("%d need somebody, %v can be told again, want both", listed(), claves)
	}
	inicio, err := store.BeginIntento(t.Context(), a, time.Minute, true)
	must(t, err)
	if inicio.Bloqueo != entregas.AunNo || !inicio.Atascado || inicio.Esperar < 23*time.Hour {
		t.Errorf("on its day: %+v", inicio)
	}
	must(t, store.WakeEnvios(t.Context(), empresaB))
	wantBlocked(t, store, a, entregas.AunNo)
	must(t, store.WakeEnvios(t.Context(), empresaA))
	decide(t, store, a, envio.Aceptado)
	must(t, store.ReopenEnvio(t.Context(), b))
	if got := listed(); got != 0 {
		t.Errorf("%d need somebody after one was taken and the other retried", got)
	}
	deactivate(t, store, empresaA)
}

func TestStore_ReadHistoria(t *testing.T) {
	t.Parallel()
	store, _ := activeReporte(t)
	e := anEnvio(empresaA, uuid.NewString())
	var fila uuid.UUID
	for _, d := range []entregas.Desenlace{
		{Status: 500, Motivo: "servidor"}, {Status: 404, Motivo: "direccion"}, {Motivo: "red"}, {Status: 429, Motivo: "limite"},
		{Status: 503, Motivo: entregas.MotivoAcceso}, {Status: 599, Motivo: "servidor"},
	} {
		d.Resultado = envio.MasTarde
		inicio := begin(t, store, e)
		fila = inicio.Intento.EnvioID
		end(t, store, e, inicio.Intento, entregas.Fin{Desenlace: d})
	}
	h, err := store.ReadHistoria(t.Context(), empresaA, fila)
	must(t, err)
	if h.Respuestas != 3 || h.Primera <= h.Ultima || h.Ultima <= 0 || h.Vecino {
		t.Errorf("got %+v, want 3 answers, one after the other", h)
	}
	stuck := anEnvio(empresaA, uuid.NewString())
	inicio := begin(t, store, stuck)
	end(t, store, stuck, inicio.Intento, entregas.Fin{Desenlace: entregas.Desenlace{Resultado: envio.Apartado, Status: 500, Motivo: "servidor"}, Atascado: true})
	for id, want := range map[uuid.UUID]bool{fila: true, inicio.Intento.EnvioID: false} {
		h, err := store.ReadHistoria(t.Context(), empresaA, id)
		must(t, err)
		if h.Vecino != want {
			t.Errorf("beside a stuck step %t, want %t", h.Vecino, want)
		}
	}
	none, err := store.ReadHistoria(t.Context(), empresaB, fila)
	must(t, err)
	if none != (entregas.Historia{}) {
		t.Errorf("of another institution %+v", none)
	}
}

// What was answered 300 is told again only when it is asked for.
func TestStore_ReopenEnvio_of300(t *testing.T) {
	t.Parallel()
	store, _ := activeReporte(t)
	e, other := anEnvio(empresaA, uuid.NewString()), anEnvio(empresaA, uuid.NewString())
	varias := entregas.Fin{Desenlace: entregas.Desenlace{Resultado: envio.Aceptado, Status: 300, Motivo: "coincidencias_multiples"}}
	end(t, store, e, begin(t, store, e).Intento, varias)
	decide(t, store, other, envio.Aceptado)
	wantReabribles := func(want ...string) {
		t.Helper()
		claves, err := store.ListReabribles(t.Context(), empresaA, seguimiento.ReintentablesMultiples)
		must(t, err)
		if !slices.Equal(claves, want) {
			t.Errorf("%v can be told again, want %v", claves, want)
		}
	}
	wantReabribles(e.Clave)
	for range 2 { // repeating is harmless
		must(t, store.ReopenEnvio(t.Context(), e))
	}
	wantReabribles()
	end(t, store, e, begin(t, store, e).Intento, varias)
	wantReabribles(e.Clave)
	deactivate(t, store, empresaA)
	wantReabribles()
}

func TestStore_ListSeguidos(t *testing.T) {
	t.Parallel()
	store, _ := activeReporte(t)
	_, err := store.SaveDesactivacion(t.Context(), empresaA, reporteID)
	must(t, err)
	_, err = store.SaveActivacion(t.Context(), empresaA, solicitud(nil))
	must(t, err)
	all, err := store.ListSeguidos(t.Context(), empresaA, reporteID)
	must(t, err)
	if len(all) != 2 || all[0].Ciclo != 2 || all[0].Estado != reportes.ReporteActivo || all[1].DesactivadoEn.IsZero() {
		t.Errorf("reportes = %+v", all)
	}
	for _, empty := range []func() ([]seguimiento.Seguido, error){
		func() ([]seguimiento.Seguido, error) { return store.ListSeguidos(t.Context(), empresaB, "") },
		func() ([]seguimiento.Seguido, error) { return store.ListSeguidos(t.Context(), empresaA, "otro") },
	} {
		all, err := empty()
		must(t, err)
		if len(all) != 0 {
			t.Errorf("reportes = %+v, want none", all)
		}
	}
}

// A 300 needs somebody as long as its Reporte is active.
func TestStore_ListPendientes_ofActiveReportes(t *testing.T) {
	t.Parallel()
	store, _ := activeReporte(t)
	e := anEnvio(empresaA, uuid.NewString())
	end(t, store, e, begin(t, store, e).Intento, entregas.Fin{Desenlace: entregas.Desenlace{Resultado: envio.Aceptado, Status: 300, Motivo: "coincidencias_multiples"}})
	varias := func() int {
		t.Helper()
		all, err := store.ListPendientes(t.Context(), 0)
		must(t, err)
		total := 0
		for _, p := range all {
			if p.Tipo == seguimiento.PendienteVarias && p.EmpresaID == empresaA {
				total += p.Total
			}
		}
		return total
	}
	if got := varias(); got != 1 {
		t.Errorf("%d while it is active, want 1", got)
	}
	deactivate(t, store, empresaA)
	if got := varias(); got != 0 {
		t.Errorf("%d after its end, want 0", got)
	}
}
