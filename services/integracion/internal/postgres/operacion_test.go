package postgres

import (
	"testing"

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
