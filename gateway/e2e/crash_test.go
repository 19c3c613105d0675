package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

// Whatever process is killed while records, activations and notifications are under way:
// once it runs again, everything that was acknowledged is told.
func TestCrash_nothingAcknowledgedIsLost(t *testing.T) {
	s, err := harness.StartDurable(system.BinDir, t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := s.Stop(context.Background())
		if err != nil {
			t.Error(err)
		}
	})
	for _, victim := range []string{stack.Registros, stack.Integracion, stack.Gateway, stack.Postgres} {
		t.Run(victim, func(t *testing.T) { crash(t, s, victim) })
	}
}

const (
	// persons is how many reports and records each victim is killed among.
	persons = 30
	// crashes is how often each victim is killed meanwhile.
	crashes = 2
)

// persona is one person's part of the load: a record before the report and one after it,
// each of which may or may not have been acknowledged.
type persona struct {
	reporteID, curp           string
	before, activated, onward bool
}

func crash(t *testing.T, s *harness.System, victim string) {
	i := s.NewInstitucion(t)
	// A platform that takes its time, so that every crash meets deliveries under way.
	i.Plataforma.Fail(simuladortest.Falla{
		InstitucionID: i.ID, Ruta: simuladortest.RutaNotificarCoincidencia, Tipo: simuladortest.FallaLentitud, EsperaMs: 100,
	})
	people := make([]persona, persons)
	var served atomic.Int32
	var working sync.WaitGroup
	working.Go(func() {
		for n := range people {
			people[n] = load(t, i, n)
			served.Store(int32(n + 1))
		}
	})
	for n := range crashes {
		// At a random moment of its own part of the load, but not before anybody was served:
		// without a gateway all others are turned away at once.
		part := persons / crashes
		moment := int32(n*part + 1 + rand.N(part-1))
		harness.Eventually(t, "the load before the crash", func() bool { return served.Load() >= moment })
		restart(t, s, victim)
	}
	working.Wait()
	i.Plataforma.ClearFaults()
	for _, p := range people {
		awaitTold(t, i, p)
	}
	if !slices.ContainsFunc(people, func(p persona) bool { return p.before && p.activated && p.onward }) {
		t.Error("nobody's calls were all acknowledged; the test would prove nothing")
	}
	i.Get(t, "/cliente/casos").Want(t, http.StatusOK)
}

func restart(t *testing.T, s *harness.System, victim string) {
	t.Helper()
	err := s.Kill(victim)
	if err != nil {
		t.Fatal(err)
	}
	err = s.Restart(t.Context(), victim)
	if err != nil {
		t.Fatal(err)
	}
}

// load is what happens to one person, notwithstanding that any of it may fail.
func load(t *testing.T, i *harness.Institucion, n int) persona {
	p := persona{reporteID: harness.ReporteID(n), curp: fmt.Sprintf("CRAS%06dHDFABCA1", n)}
	p.before = tryPost(t, i, harness.Registro(fmt.Sprintf("A-%d", n), p.curp, harness.Day(-1)))
	p.activated = tryActivate(t, i, map[string]any{"id": p.reporteID, "curp": p.curp, "fecha_desaparicion": harness.Day(-2)})
	p.onward = tryPost(t, i, harness.Registro(fmt.Sprintf("B-%d", n), p.curp, harness.Day(0)))
	return p
}

// awaitTold waits for what was acknowledged, and holds that the end of the search was told
// once and no phase before its turn.
func awaitTold(t *testing.T, i *harness.Institucion, p persona) {
	t.Helper()
	if !p.activated {
		return
	}
	told := func(step string) bool { return slices.Contains(i.Told(p.reporteID), step) }
	harness.Eventually(t, "the end of search "+p.reporteID, func() bool { return told(harness.Fin) })
	if p.before {
		harness.Eventually(t, "the earlier match of "+p.reporteID, func() bool {
			return told("1:") && told("2:"+harness.Day(-1))
		})
	}
	if p.onward {
		// Found by the search or afterwards, as the crash would have it.
		harness.Eventually(t, "the later match of "+p.reporteID, func() bool {
			return told("2:"+harness.Day(0)) || told("3:"+harness.Day(0))
		})
	}
	if steps := i.Told(p.reporteID); !slices.IsSortedFunc(steps, byPhase) {
		t.Errorf("%s was told %v, out of order", p.reporteID, steps)
	}
	ends := 0
	for _, l := range i.Llegadas(p.reporteID) {
		// One whose answer reached a process that was killed before it wrote it down is
		// told again; nothing can be done about that, and more than one crash cannot hit it.
		if l.Paso == harness.Fin && l.Efectiva() {
			ends++
		}
	}
	if ends < 1 || ends > 1+crashes {
		t.Errorf("%s: %d times busqueda-finalizada", p.reporteID, ends)
	}
}

// byPhase orders steps as the platform must see them: 1, 2, the end of the search, 3.
func byPhase(a, b string) int { return phase(a) - phase(b) }

func phase(step string) int {
	return slices.Index([]byte("12f3"), step[0])
}

// tryPost and tryActivate tell whether the call was acknowledged; while a process is away
// it may not be.
func tryPost(t *testing.T, i *harness.Institucion, body any) bool {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, i.BaseURL+"/cliente/registros", bytes.NewReader(harness.Encode(t, body)))
	if err != nil {
		t.Error(err)
		return false
	}
	req.Header = http.Header{"X-Api-Key": {i.ApiKey}, "Content-Type": {"application/json"}}
	res, err := impatient.Do(req)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode < 300
}

// impatient does not spend the test on a request that a crash left without an answer.
var impatient = &http.Client{Timeout: 10 * time.Second, Transport: harness.Recorder.Transport(http.DefaultTransport)}

func tryActivate(t *testing.T, i *harness.Institucion, reporte map[string]any) bool {
	t.Helper()
	control := i.Plataforma.URL + "/control/instituciones/" + i.ID + "/activar"
	res, err := impatient.Post(control, "application/json", bytes.NewReader(harness.Encode(t, reporte)))
	if err != nil {
		return false
	}
	defer func() { _ = res.Body.Close() }()
	var llamada struct{ Status int }
	err = json.NewDecoder(res.Body).Decode(&llamada)
	return err == nil && llamada.Status == http.StatusOK
}
