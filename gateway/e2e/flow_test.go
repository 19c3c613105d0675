package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

func TestFlow_aReportMeetsRecordsBeforeAndAfterIt(t *testing.T) {
	t.Parallel()
	i := system.NewInstitucion(t)
	id := harness.ReporteID(1)
	i.Post(t, "/cliente/registros/lote", []any{
		harness.Registro("A-1", harness.CurpUno, harness.Day(-3)), harness.Registro("A-2", harness.CurpUno, harness.Day(-2)), harness.Registro("B-1", harness.CurpDos, harness.Day(-2)),
	}).Want(t, http.StatusOK)

	i.Activate(t, map[string]any{"id": id, "curp": harness.CurpUno, "fecha_desaparicion": harness.Day(-10)})
	harness.Eventually(t, "the end of the search", func() bool { return slices.Contains(i.Told(id), "fin") })

	var saved struct{ Creados, Coincidencias int }
	i.Post(t, "/cliente/registros", harness.Registro("A-3", harness.CurpUno, harness.Day(0))).Want(t, http.StatusCreated).Into(t, &saved)
	if saved.Coincidencias != 1 {
		t.Errorf("the write found %d coincidencias, want 1", saved.Coincidencias)
	}
	want := []string{"1:", "2:" + harness.Day(-3), "2:" + harness.Day(-2), "fin", "3:" + harness.Day(0)}
	harness.Eventually(t, "the notification of phase 3", func() bool { return len(i.Told(id)) == len(want) })
	if got := i.Told(id); !slices.Equal(got, want) {
		t.Errorf("the platform was told %v, want %v", got, want)
	}

	harness.Eventually(t, "the record of the last notification", func() bool {
		return !slices.ContainsFunc(i.Coincidencias(t), func(c harness.Coincidencia) bool { return c.Estado != "notificada" })
	})
	coincidencias := i.Coincidencias(t)
	if len(coincidencias) != 4 || coincidencias[0].Folio != "A-3" || coincidencias[0].Fase != "3" {
		t.Errorf("coincidencias = %+v, want 4 with A-3 first", coincidencias)
	}
	casos := i.Casos(t)
	if len(casos) != 1 || casos[0].Estado != "monitoreo" || casos[0].Coincidencias != 4 || casos[0].FinalizadaEn == nil {
		t.Errorf("casos = %+v", casos)
	}
	avisos := i.Avisos(t)
	if len(avisos) != 1 || avisos[0].Tipo != "activacion" || avisos[0].ReporteID != id {
		t.Errorf("avisos = %+v", avisos)
	}
}

// What the platform asks of an institution that is loading is taken and waits: nothing is told
// before the records are there, and all of it then (m:251, m:273).
func TestFlow_anInitialLoad(t *testing.T) {
	t.Parallel()
	i := system.NewCargando(t)
	id, ended := harness.ReporteID(6), harness.ReporteID(7)
	for _, reporte := range []string{id, ended} {
		i.Activate(t, map[string]any{"id": reporte, "curp": harness.CurpUno, "fecha_desaparicion": harness.Day(-10)})
	}
	harness.Eventually(t, "the casos", func() bool { return len(i.Casos(t)) == 2 })
	var saved struct{ Creados, Coincidencias int }
	i.Post(t, "/cliente/registros/lote", []any{
		harness.Registro("A-1", harness.CurpUno, harness.Day(-3)), harness.Registro("A-2", harness.CurpUno, harness.Day(-2)),
	}).Want(t, http.StatusOK).Into(t, &saved)
	if saved.Creados != 2 || saved.Coincidencias != 0 {
		t.Errorf("the load was answered with %+v", saved)
	}
	i.Deactivate(t, ended)

	var first, again struct {
		ID string `json:"id_empresa"`
		En string `json:"carga_terminada_en"`
	}
	i.Post(t, "/institucion/carga-terminada", nil).Want(t, http.StatusOK).Into(t, &first)
	i.Post(t, "/institucion/carga-terminada", nil).Want(t, http.StatusOK).Into(t, &again)
	if first.ID != i.ID || first.En == "" || again != first {
		t.Errorf("finished %+v, again %+v", first, again)
	}
	i.Post(t, "/cliente/registros", harness.Registro("A-3", harness.CurpUno, harness.Day(0))).Want(t, http.StatusCreated)
	want := []string{"1:", "2:" + harness.Day(-3), "2:" + harness.Day(-2), "fin", "3:" + harness.Day(0)}
	harness.Eventually(t, "all of it", func() bool { return len(i.Told(id)) >= len(want) })
	if got := i.Told(id); !slices.Equal(got, want) {
		t.Errorf("the platform was told %v, want %v", got, want)
	}
	if got := i.Told(ended); len(got) > 0 {
		t.Errorf("of a report that ended while the institution was loading was told %v", got)
	}
}

func TestFlow_withoutADisappearanceDate(t *testing.T) {
	t.Parallel()
	i := system.NewInstitucion(t)
	id := harness.ReporteID(2)
	i.Post(t, "/cliente/registros", harness.Registro("A-1", harness.CurpUno, harness.Day(-3))).Want(t, http.StatusCreated)

	i.Activate(t, map[string]any{"id": id, "curp": harness.CurpUno, "fecha_desaparicion": nil})
	harness.Eventually(t, "the end of the search", func() bool { return slices.Contains(i.Told(id), "fin") })
	if got, want := i.Told(id), []string{"1:", "fin"}; !slices.Equal(got, want) {
		t.Fatalf("the platform was told %v, want %v", got, want)
	}

	// The date that was missing starts what had been skipped.
	i.Activate(t, map[string]any{"id": id, "curp": harness.CurpUno, "fecha_desaparicion": harness.Day(-10)})
	want := []string{"1:", "fin", "2:" + harness.Day(-3)}
	harness.Eventually(t, "phase 2", func() bool { return slices.Equal(i.Told(id), want) })
}

func TestFlow_nothingIsToldAfterADeactivation(t *testing.T) {
	t.Parallel()
	i := system.NewInstitucion(t)
	id := harness.ReporteID(3)
	i.Activate(t, map[string]any{"id": id, "curp": harness.CurpUno, "fecha_desaparicion": harness.Day(-10)})
	harness.Eventually(t, "the end of the search", func() bool { return slices.Contains(i.Told(id), "fin") })

	i.Deactivate(t, id)
	before := len(i.Plataforma.Received(simuladortest.Filtro{InstitucionID: i.ID}))
	i.Post(t, "/cliente/registros", harness.Registro("A-1", harness.CurpUno, harness.Day(0))).Want(t, http.StatusCreated)
	harness.Eventually(t, "the closing of the caso", func() bool {
		casos := i.Casos(t)
		return len(casos) == 1 && casos[0].Estado == "cerrado" && casos[0].CerradoEn != nil
	})

	// A new cycle of the same id begins from the start.
	i.Activate(t, map[string]any{"id": id, "curp": harness.CurpUno, "fecha_desaparicion": harness.Day(-10)})
	want := []string{"fin", "1:", "2:" + harness.Day(0), "fin"}
	harness.Eventually(t, "the new cycle", func() bool { return len(i.Told(id)) >= len(want) })
	if got := i.Told(id); !slices.Equal(got, want) {
		t.Errorf("the platform was told %v, want %v (%d requests before)", got, want, before)
	}
	var tipos []string
	for _, a := range i.Avisos(t) {
		tipos = append(tipos, a.Tipo)
	}
	if want := []string{"activacion", "desactivacion", "activacion"}; !slices.Equal(tipos, want) {
		t.Errorf("avisos = %v, want %v", tipos, want)
	}
}

func TestFlow_aTestActivationOpensNothing(t *testing.T) {
	t.Parallel()
	i := system.NewInstitucion(t)
	i.Post(t, "/cliente/registros", harness.Registro("A-1", harness.CurpUno, harness.Day(-1))).Want(t, http.StatusCreated)
	llamada := i.Plataforma.ActivateTest(i.ID, map[string]any{"id": harness.ReporteID(4), "curp": harness.CurpUno, "fecha_desaparicion": harness.Day(-10)})
	if llamada.Status != http.StatusOK {
		t.Fatalf("test activation answered %d: %s", llamada.Status, llamada.Cuerpo)
	}
	avisos := i.Avisos(t)
	if len(avisos) != 1 || avisos[0].Tipo != "activacion_prueba" {
		t.Errorf("avisos = %+v", avisos)
	}
	if casos := i.Casos(t); len(casos) != 0 {
		t.Errorf("casos = %+v, want none", casos)
	}
}

func TestFlow_theSameReportAtTwoInstitutions(t *testing.T) {
	t.Parallel()
	one, two := system.NewInstitucion(t), system.NewInstitucion(t)
	id := harness.ReporteID(5)
	one.Post(t, "/cliente/registros", harness.Registro("A-1", harness.CurpUno, harness.Day(-1))).Want(t, http.StatusCreated)
	for _, i := range []*harness.Institucion{one, two} {
		i.Activate(t, map[string]any{"id": id, "curp": harness.CurpUno, "fecha_desaparicion": harness.Day(-10)})
		harness.Eventually(t, "the end of the search", func() bool { return slices.Contains(i.Told(id), "fin") })
	}
	if got := two.Told(id); !slices.Equal(got, []string{"fin"}) {
		t.Errorf("the institution without a record told %v", got)
	}
	if got := one.Told(id); !slices.Equal(got, []string{"1:", "2:" + harness.Day(-1), "fin"}) {
		t.Errorf("the institution with the record told %v", got)
	}
	if all := two.Coincidencias(t); len(all) != 0 {
		t.Errorf("another institution's coincidencias are seen: %+v", all)
	}
}

func TestFlow_aBatchOf5000(t *testing.T) {
	t.Parallel()
	i := system.NewInstitucion(t)
	batch := make([]any, 5001)
	for n := range batch {
		batch[n] = harness.Registro(fmt.Sprintf("F-%05d", n), harness.CurpDos, harness.Day(-1))
	}
	var result struct{ Total, Creados, Rechazados int }
	i.Post(t, "/cliente/registros/lote", batch[:5000]).Want(t, http.StatusOK).Into(t, &result)
	if result.Total != 5000 || result.Creados != 5000 {
		t.Errorf("result = %+v", result)
	}
	var problem struct {
		Codigo  string
		Errores []struct{ Puntero string }
	}
	i.Post(t, "/cliente/registros/lote", batch).Want(t, http.StatusUnprocessableEntity).Into(t, &problem)
	if problem.Codigo != "lote_excedido" {
		t.Errorf("codigo = %s", problem.Codigo)
	}

	for n := range batch {
		batch[n].(map[string]any)["folio"] = fmt.Sprintf("%s-%05d", strings.Repeat("ñ", 58), n)
	}
	var all struct {
		Creados   int
		Registros []struct{ Indice int }
	}
	i.Post(t, "/cliente/registros", batch[:5000]).Want(t, http.StatusCreated).Into(t, &all)
	if all.Creados != 5000 || len(all.Registros) != 5000 {
		t.Errorf("all or nothing: %d created, %d listed, want 5000", all.Creados, len(all.Registros))
	}
	// The largest refusal: it names every record, each by the longest folio.
	for n := range batch {
		batch[n].(map[string]any)["curp"] = "CORTA"
	}
	i.Post(t, "/cliente/registros", batch[:5000]).Want(t, http.StatusUnprocessableEntity).Into(t, &problem)
	if problem.Codigo != "validacion" || len(problem.Errores) != 5000 {
		t.Errorf("codigo %s with %d errors, want validacion with 5000", problem.Codigo, len(problem.Errores))
	}
}
