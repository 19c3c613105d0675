package app_test

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/integraciontest"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

const (
	empresa = "LAB010101AB1"
	salida  = "clave-hacia-la-plataforma"
	curp    = "HEGG560427MVZRRL04"
)

// newConnected starts a service with one institution that the simulator knows.
func newConnected(t *testing.T, options integraciontest.Options) (*integraciontest.Servicio, *simuladortest.Simulador) {
	t.Helper()
	simulador := simuladortest.Start(t)
	simulador.Register(simuladortest.Institucion{ID: empresa, Clave: salida})
	servicio := integraciontest.Start(t, options)
	servicio.CreateEmpresa(empresa, "LABORATORIO")
	servicio.SetClaveSalida(empresa, simulador.URL, salida)
	return servicio, simulador
}

func listed(n int) map[string]any {
	return map[string]any{"id": fmt.Sprintf("A1B2C3D4E5F6-550e8400-e29b-41d4-a716-%012d", n), "curp": curp, "nombre": nil}
}

// eventually polls until the condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("%s did not come about", what)
		}
		select {
		case <-t.Context().Done():
			t.Fatal("test over")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// count asks, past row-level security, how many rows there are.
func count(t *testing.T, servicio *integraciontest.Servicio, from string) int {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), servicio.Database.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	var n int
	err = conn.QueryRow(t.Context(), `SELECT count(*) FROM `+from).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// registros counts the days from the request, and the platform is told from the activation on.
func TestResincronizacion_theDayOfTheRequest(t *testing.T) {
	t.Parallel()
	r, address := serveRegistros(t, "127.0.0.1:0")
	servicio, simulador := newConnected(t, integraciontest.Options{ResyncInterval: time.Second, RegistrosTarget: address})
	days := map[string]string{}
	var reportes []any
	started := time.Now()
	for n, fields := range []map[string]any{
		{"fecha_registro": "2024-04-20"}, {"fecha_registro": "2003-04-20", "fecha_desaparicion": "1995-11-22"}, {"fecha_registro": 2024, "sexo_asignado": "HOMBRE"},
	} {
		reporte := listed(n)
		maps.Copy(reporte, fields)
		reportes = append(reportes, reporte)
	}
	simulador.SetReportes(empresa, reportes)
	for range reportes {
		opened := next(t, r.opened)
		days[opened.GetReporteId()] = manual.FechaOf(opened.GetActivadoEn().AsTime()).String()
		if opened.GetAvisarDesde().AsTime().Before(started) {
			t.Errorf("%s may be told since %v, before it was activated", opened.GetReporteId(), opened.GetAvisarDesde().AsTime())
		}
	}
	today := manual.FechaOf(started).String()
	for n, want := range []string{"2024-04-20", today, today} {
		if got := days[listed(n)["id"].(string)]; got != want {
			t.Errorf("reporte %d: requested on %s, want %s", n, got, want)
		}
	}
	if n := count(t, servicio, `reportes WHERE fecha_registro IS NOT NULL`); n != 2 {
		t.Errorf("%d have the day on which they were registered, want 2", n)
	}
}

func TestResincronizacion_onSchedule(t *testing.T) {
	t.Parallel()
	servicio, simulador := newConnected(t, integraciontest.Options{ResyncInterval: time.Second})
	simulador.SetReportes(empresa, []any{listed(1), listed(2)})
	eventually(t, "both activations", func() bool { return count(t, servicio, `reportes WHERE estado = 'activo'`) == 2 })
}

func TestResincronizacion_atStart(t *testing.T) {
	t.Parallel()
	first, simulador := newConnected(t, integraciontest.Options{})
	simulador.SetReportes(empresa, []any{listed(1)})
	// While one waits or runs there is no second.
	eventually(t, "the end of the first's own", func() bool {
		return count(t, first, `river_job WHERE kind LIKE 'resync%' AND state <> 'completed'`) == 0
	})
	integraciontest.Start(t, integraciontest.Options{Database: &first.Database})
	eventually(t, "the activation", func() bool { return count(t, first, `reportes WHERE estado = 'activo'`) == 1 })
}
