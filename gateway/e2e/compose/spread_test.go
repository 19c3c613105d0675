//go:build compose

package compose

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// scraped is how long Prometheus may take to see what has happened.
const scraped = 3 * time.Minute

// reportes is how many reports are open while records arrive: enough work for every replica.
const reportes = 20

// An institution sends a batch, the platform reports its persons missing, each match is told;
// and every replica of both services has had its part of calls and jobs, as its metrics say.
func TestReplicas_shareCallsAndJobs(t *testing.T) {
	i := newInstitucion(t, "LAB010101RE1")
	var lote []any
	for n := range reportes {
		lote = append(lote, harness.Registro(fmt.Sprintf("R-%d", n), curp(n), harness.Day(-3)))
	}
	began := time.Now()
	i.Post(t, "/cliente/registros/lote", lote).Want(t, http.StatusOK)
	for n := range reportes {
		i.Activate(t, map[string]any{"id": harness.ReporteID(n), "curp": curp(n), "fecha_desaparicion": harness.Day(-10)})
	}
	want := []string{"1:", "2:" + harness.Day(-3), harness.Fin}
	for n := range reportes {
		harness.Eventually(t, "the end of a search", func() bool { return slices.Equal(i.Told(harness.ReporteID(n)), want) })
	}
	pass("%d reports answered in %s", reportes, time.Since(began).Round(time.Second))
	harness.Eventually(t, "the record of the last notification", func() bool {
		all := i.Coincidencias(t)
		return len(all) == 2*reportes && !slices.ContainsFunc(all, func(c harness.Coincidencia) bool { return c.Estado != "notificada" })
	})

	for _, tt := range []struct {
		what, query string
		replicas    int
	}{
		{"calls of registros", `sum by (instance) (grpc_server_calls_total{job="registros"}) > 0`, 3},
		{"calls of integracion", `sum by (instance) (grpc_server_calls_total{job="integracion"}) > 0`, 2},
		{"deliveries of registros", `sum by (instance) (grpc_client_calls_total{job="registros",rpc=~".*NotifyCoincidencia"}) > 0`, 3},
		{"jobs of integracion", `sum by (instance) (grpc_client_calls_total{job="integracion",rpc=~".*OpenCaso"}) > 0`, 2},
		{"programs that Prometheus reaches", `up == 1`, 7},
	} {
		var shares []string
		harness.Within(t, scraped, tt.what+" on every replica", func() bool {
			shares = query(t, tt.query)
			return len(shares) == tt.replicas
		})
		pass("%s by replica: %v", tt.what, shares)
	}
}

// curp makes the n-th of as many CURPs as a test needs.
func curp(n int) string { return fmt.Sprintf("CRAS%06dHDFABCA1", n) }

// query asks Prometheus and gives the values that it finds, in order.
func query(t *testing.T, promQL string) []string {
	t.Helper()
	var answer struct {
		Data struct {
			Result []struct {
				Value [2]any
			}
		}
	}
	harness.Call(t, http.MethodGet, set.prometheusURL+"/api/v1/query?query="+url.QueryEscape(promQL), nil, nil).
		Want(t, http.StatusOK).Into(t, &answer)
	var values []string
	for _, r := range answer.Data.Result {
		values = append(values, fmt.Sprint(r.Value[1]))
	}
	slices.Sort(values)
	return values
}

func portOf(t *testing.T, address string) string {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Port()
}
