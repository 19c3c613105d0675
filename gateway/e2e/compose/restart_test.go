//go:build compose

package compose

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// load is how many records are sent while a part restarts, and pause what lies between two.
const (
	load  = 150
	pause = 100 * time.Millisecond
)

// A part, all replicas of it at once, is restarted while records of a missing person arrive.
// Some requests may fail; each record that was acknowledged is a match that is told.
func TestRestart_losesNothing(t *testing.T) {
	for n, service := range []string{"registros", "integracion", "gateway", "postgres"} {
		t.Run(service, func(t *testing.T) {
			i := newInstitucion(t, fmt.Sprintf("LAB010101RS%d", n))
			id := harness.ReporteID(1000 + n)
			i.Activate(t, map[string]any{"id": id, "curp": harness.CurpUno, "fecha_desaparicion": harness.Day(-10)})
			harness.Eventually(t, "the end of the search", func() bool { return slices.Contains(i.Told(id), harness.Fin) })

			restarted := make(chan error, 1)
			acknowledged := send(t, i, func() {
				_, err := set.compose(context.Background(), "", "restart", service)
				restarted <- err
			})
			err := <-restarted
			if err != nil {
				t.Fatal(err)
			}
			harness.Within(t, 3*time.Minute, "the match of every record that was acknowledged", func() bool {
				return len(untold(t, i, acknowledged)) == 0
			})
			pass("%s restarted under load: %d records acknowledged and told, %d requests failed",
				service, len(acknowledged), load-len(acknowledged))
		})
	}
}

// send posts the records one after the other, begins the restart in the middle, and gives the
// folios that were acknowledged.
func send(t *testing.T, i *harness.Institucion, restart func()) []string {
	t.Helper()
	var acknowledged []string
	key := http.Header{"X-Api-Key": {i.ApiKey}}
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for n := range load {
		if n == load/5 {
			go restart()
		}
		folio := fmt.Sprintf("A-%d", n)
		status, err := harness.Status(t.Context(), i.BaseURL+"/cliente/registros", key, harness.Registro(folio, harness.CurpUno, harness.Day(0)))
		if err == nil && status == http.StatusCreated {
			acknowledged = append(acknowledged, folio)
		}
		<-ticker.C
	}
	if len(acknowledged) < load/5 {
		t.Fatalf("only %d of %d records were acknowledged, fewer than before the restart", len(acknowledged), load)
	}
	return acknowledged
}

// untold are the folios without a match of which the platform was told.
func untold(t *testing.T, i *harness.Institucion, folios []string) []string {
	t.Helper()
	res := i.Get(t, "/cliente/coincidencias")
	if res.Status != http.StatusOK {
		return folios // not all is back
	}
	var all []harness.Coincidencia
	res.Into(t, &all)
	told := map[string]bool{}
	for _, c := range all {
		told[c.Folio] = told[c.Folio] || c.Estado == "notificada"
	}
	return slices.DeleteFunc(slices.Clone(folios), func(folio string) bool { return told[folio] })
}
