package golden

import (
	"flag"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

var generated = flag.Int("registros", 5_000, "how many records are generated")

const (
	// batchSize leaves room for all that there is to tell of a batch.
	batchSize = 1_000
	// reportedOf is of how many generated records a report is made for one. The whole way to
	// the platform and back is gone for each, so they are few, and the oddest.
	reportedOf = 400
)

// A verdict is what validar and lote have in common.
type verdict struct {
	Total, Validos, Invalidos int
	Creados, Actualizados     int
	SinCambios                int `json:"sin_cambios"`
	Rechazados                int
	Observaciones             []observacion
	Resumen                   []conteo
	Omitidas                  int `json:"observaciones_omitidas"`
}

type conteo struct {
	Gravedad, Codigo, Campo string
	Total                   int
}

type observacion struct {
	Indice                             int
	Folio                              *string
	Gravedad, Puntero, Codigo, Mensaje string
}

// Whatever comes: validar says what lote does, and what lote stores the platform takes.
func TestRegistros_validarAndLoteAgree_andThePlatformTakesWhatIsStored(t *testing.T) {
	t.Parallel()
	i := &institucion{Institucion: system.NewInstitucion(t), system: system}
	g := newGenerator()
	var odd []string // CURPs of stored records that were doubted
	stored, refused := 0, 0
	for range *generated / batchSize {
		batch := make([]map[string]any, batchSize)
		for n := range batch {
			batch[n] = g.registro()
		}
		lote := i.agree(t, batch)
		stored += lote.Total - lote.Rechazados
		refused += lote.Rechazados
		odd = append(odd, doubted(batch, lote)...)
	}
	t.Logf("%d stored, %d refused, %d doubted", stored, refused, len(odd))
	reported := *generated / reportedOf
	if stored < *generated/4 || refused < *generated/20 || len(odd) < reported {
		t.Fatal("too few of a kind; the test would prove nothing")
	}
	g.Shuffle(len(odd), func(a, b int) { odd[a], odd[b] = odd[b], odd[a] })
	i.report(t, odd[:reported])
}

// agree has a batch validated, stored, and validated again, and compares.
func (i *institucion) agree(t *testing.T, batch []map[string]any) verdict {
	t.Helper()
	var before, lote, after verdict
	i.Post(t, "/cliente/registros/validar", batch).Want(t, http.StatusOK).Into(t, &before)
	i.Post(t, "/cliente/registros/lote", batch).Want(t, http.StatusOK).Into(t, &lote)
	i.Post(t, "/cliente/registros/validar", batch).Want(t, http.StatusOK).Into(t, &after)
	if before.Validos != lote.Creados+lote.Actualizados+lote.SinCambios || before.Invalidos != lote.Rechazados || lote.Total != len(batch) {
		t.Fatalf("validar counts %d and %d of %d, lote %d, %d, %d and %d", before.Validos, before.Invalidos, before.Total,
			lote.Creados, lote.Actualizados, lote.SinCambios, lote.Rechazados)
	}
	// A difference is only worked out when there is one: that is slow.
	if !reflect.DeepEqual(before.Observaciones, lote.Observaciones) {
		t.Fatalf("validar and lote differ (-validar +lote):\n%.2000s", cmp.Diff(before.Observaciones, lote.Observaciones))
	}
	if !reflect.DeepEqual(before.Resumen, lote.Resumen) || counted(lote) != len(lote.Observaciones) || lote.Omitidas != 0 {
		t.Fatalf("%d told and %d left out, but %v (-validar +lote):\n%.2000s", len(lote.Observaciones), lote.Omitidas, lote.Resumen,
			cmp.Diff(before.Resumen, lote.Resumen))
	}
	if !reflect.DeepEqual(before, after) {
		t.Fatalf("what is stored changes the verdict (-before +after):\n%.2000s", cmp.Diff(before, after))
	}
	return lote
}

// counted is how many observations the summary speaks of.
func counted(v verdict) int {
	n := 0
	for _, each := range v.Resumen {
		n += each.Total
	}
	return n
}

// doubted gives the CURPs of records that were stored with a warning of their texts.
func doubted(batch []map[string]any, lote verdict) []string {
	refused := map[int]bool{}
	for _, o := range lote.Observaciones {
		refused[o.Indice] = refused[o.Indice] || o.Gravedad == "error"
	}
	var curps []string
	for _, o := range lote.Observaciones {
		isOdd := o.Codigo == "texto_no_admitido_por_la_plataforma" || o.Codigo == "campo_descartado"
		curp, _ := batch[o.Indice]["curp"].(string)
		if isOdd && !refused[o.Indice] && len(curp) == 18 && !slices.Contains(curps, curp) {
			curps = append(curps, curp)
		}
	}
	return curps
}

// report makes the platform ask for some CURPs, and waits until it took all there is to
// tell of them.
func (i *institucion) report(t *testing.T, curps []string) {
	t.Helper()
	for n, curp := range curps {
		i.Activate(t, map[string]any{
			"id": fmt.Sprintf("PROPIEDAD-550e8400-e29b-41d4-a716-%012d", n), "curp": curp, "fecha_desaparicion": "2015-01-01",
		})
	}
	harness.Eventually(t, "the end of all searches", func() bool {
		casos := i.Casos(t)
		return len(casos) == len(curps) && !slices.ContainsFunc(casos, func(c harness.Caso) bool { return c.FinalizadaEn == nil })
	})
	coincidencias := i.Coincidencias(t)
	for _, c := range coincidencias {
		if c.Estado != "notificada" {
			t.Errorf("the coincidencia of folio %q in phase %s is %s: %s", c.Folio, c.Fase, c.Estado, detail(c))
		}
	}
	t.Logf("%d coincidencias were told", len(coincidencias))
	if len(coincidencias) < len(curps) {
		t.Errorf("only %d coincidencias for %d reports", len(coincidencias), len(curps))
	}
}

func detail(c harness.Coincidencia) string {
	if c.Detalle == nil {
		return ""
	}
	return *c.Detalle
}
