//go:build linux

package fleet

import (
	"net/http"
	"slices"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// shownFailures bounds the failures that are printed: the first ones tell.
const shownFailures = 20

// Account holds, once the load has ended, that every request was answered, all that was
// accepted is there, and the platform was told each match once.
func (l *Load) Account(t *testing.T, f *Fleet) {
	t.Helper()
	failed := slices.Concat(l.failures, f.Balancer.Failed())
	for _, failure := range failed[:min(shownFailures, len(failed))] {
		t.Error(failure)
	}
	t.Run("nothing is lost", func(t *testing.T) { l.checkRegistros(t) })
	t.Run("each match is told once", func(t *testing.T) { l.checkReportes(t) })
	t.Logf("%d records, %d reports", len(l.aceptados), len(l.reportes))
	t.Logf("%d requests, %d failed", l.requests.Load(), len(failed))
}

// checkRegistros sends every accepted record again: each is there, as it was sent. That it
// is there once is the key of its table.
func (l *Load) checkRegistros(t *testing.T) {
	if len(l.aceptados) == 0 {
		t.Fatal("no record was accepted")
	}
	for chunk := range slices.Chunk(l.aceptados, 5000) {
		var answer struct {
			SinCambios int `json:"sin_cambios"`
		}
		l.Institucion.Post(t, "/cliente/registros/lote", chunk).Want(t, http.StatusOK).Into(t, &answer)
		if answer.SinCambios != len(chunk) {
			t.Errorf("%d of %d accepted records are there", answer.SinCambios, len(chunk))
		}
	}
}

// checkReportes holds that each report has its Caso and its matches, and that the platform
// took each step once and in order.
func (l *Load) checkReportes(t *testing.T) {
	if len(l.reportes) == 0 {
		t.Fatal("no report was accepted")
	}
	harness.Eventually(t, "the last step of every report", func() bool {
		all := l.Institucion.LlegadasPorReporte()
		return !slices.ContainsFunc(l.reportes, func(id string) bool { return len(harness.Tomadas(all[id])) < 4 })
	})
	all := l.Institucion.LlegadasPorReporte()
	for _, id := range l.reportes {
		if steps := harness.Tomadas(all[id]); !isComplete(steps) {
			t.Errorf("%s was told %v", id, steps)
		}
	}
	abiertos := map[string]int{}
	for _, caso := range l.Institucion.Casos(t) {
		abiertos[caso.ReporteID]++
	}
	notificadas := map[string]int{}
	for _, match := range l.Institucion.Coincidencias(t) {
		if match.Estado == "notificada" {
			notificadas[match.ReporteID]++
		}
	}
	for _, id := range l.reportes {
		if abiertos[id] != 1 || notificadas[id] != 3 {
			t.Errorf("%s has %d casos and %d told matches", id, abiertos[id], notificadas[id])
		}
	}
}

// isComplete wants each step once and in order. The later record was found by the search or
// after it, as the moment would have it.
func isComplete(steps []string) bool {
	phases := make([]byte, len(steps))
	for i, step := range steps {
		phases[i] = step[0]
	}
	matches := slices.Sorted(slices.Values(steps[1:]))
	yesterday, today := "2:"+harness.Day(-1), harness.Day(0)
	switch string(phases) {
	case "122f":
		return slices.Equal(matches, []string{yesterday, "2:" + today, harness.Fin})
	case "12f3":
		return slices.Equal(matches, []string{yesterday, "3:" + today, harness.Fin})
	default:
		return false
	}
}
