//go:build linux && upgrade

package upgrade

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/fleet"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

func TestUpgrade(t *testing.T) {
	f := fleet.New(t, system)
	l := fleet.NewLoad(t, f)
	p := newPersona(t, f)
	l.Start()
	for _, step := range []struct {
		name string
		take func(t *testing.T)
	}{
		{"the earlier programs on their schema", func(*testing.T) {}},
		{"the earlier programs on the present schema", migrate},
		{"the present programs on their schema", func(t *testing.T) { replace(t, f, present) }},
		{"the earlier programs again", func(t *testing.T) { replace(t, f, earlier) }},
		{"the present programs again", func(t *testing.T) { replace(t, f, present) }},
	} {
		t.Run(step.name, func(t *testing.T) {
			step.take(t)
			p.report(t)
		})
	}
	l.End()
	l.Account(t, f)
}

// replace restarts everything with other programs, one replica of each at once, so that those
// of both revisions work side by side meanwhile.
func replace(t *testing.T, f *fleet.Fleet, programs string) {
	err := system.UseBinaries(programs)
	if err != nil {
		t.Fatal(err)
	}
	f.RestartHalves(t, stack.Registros, stack.Integracion, stack.Gateway)
}

// migrate brings both databases to the present schema beneath the programs that run.
func migrate(t *testing.T) {
	err := system.UseBinaries(present)
	if err != nil {
		t.Fatal(err)
	}
	for _, service := range []string{stack.Registros, stack.Integracion} {
		err = system.Migrate(t.Context(), service)
		if err != nil {
			t.Fatal(err)
		}
	}
}

// persona is somebody who is reported missing again at every step, and of whom an institution
// keeps a record more at each.
type persona struct {
	institucion *harness.Institucion
	reportes    []string
}

func newPersona(t *testing.T, f *fleet.Fleet) *persona {
	p := &persona{institucion: system.NewInstitucion(t)}
	p.institucion.BaseURL = f.Balancer.URL
	return p
}

// report holds that a new report is searched for and told to its end, that the new record
// also reaches the reports of all earlier steps, and that the lists have all of them.
func (p *persona) report(t *testing.T) {
	n := len(p.reportes)
	p.institucion.Post(t, "/cliente/registros", harness.Registro(fmt.Sprintf("P-%d", n), harness.CurpUno, harness.Day(-1))).
		Want(t, http.StatusCreated)
	id := harness.ReporteID(1_000_000 + n)
	p.institucion.Activate(t, map[string]any{"id": id, "curp": harness.CurpUno, "fecha_desaparicion": harness.Day(-2)})
	p.reportes = append(p.reportes, id)
	harness.Eventually(t, "the end of the new search", func() bool { return slices.Contains(p.institucion.Told(id), harness.Fin) })
	for m, earlier := range p.reportes {
		harness.Eventually(t, fmt.Sprintf("the news of step %d about report %d", n, m), func() bool { return p.news(earlier) == n-m })
	}
	if casos, avisos := len(p.institucion.Casos(t)), len(p.institucion.Avisos(t)); casos != n+1 || avisos != n+1 {
		t.Errorf("after %d reports there are %d casos and %d notices", n+1, casos, avisos)
	}
}

// news counts the matches that were found for a report after its search had ended.
func (p *persona) news(reporteID string) int {
	count := 0
	for _, step := range p.institucion.Told(reporteID) {
		if strings.HasPrefix(step, "3:") {
			count++
		}
	}
	return count
}
