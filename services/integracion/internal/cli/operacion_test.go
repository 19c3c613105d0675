package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/services/integracion/internal/seguimiento"
)

func TestOperacion_withoutRegistros(t *testing.T) {
	settings(t)
	mustRun(t, "", "empresas", "crear", "--id", empresa, "--nombre", "LABORATORIO")
	mustRun(t, "clave-de-salida", "claves", "salida", "--id-empresa", empresa, "--url", "https://pui.example.mx", "--clave-stdin")

	paused := mustRun(t, "", "entregas", "pausar", "--id-empresa", empresa)
	if paused["entrega_pausada_en"] == nil {
		t.Errorf("paused = %v", paused)
	}
	resumed := mustRun(t, "", "entregas", "reanudar", "--id-empresa", empresa)
	if resumed["entrega_pausada_en"] != nil {
		t.Errorf("resumed = %v", resumed)
	}
	asked := mustRun(t, "", "resincronizar")["resincronizaciones"].([]any)
	if len(asked) != 1 || asked[0].(map[string]any)["estado"] != "pedida" {
		t.Errorf("asked = %v, want one pedida", asked)
	}
	if again := mustRun(t, "", "reportes", "reenviar"); again["reportes"] != 0.0 {
		t.Errorf("told again = %v", again)
	}
	var acciones []string
	for _, each := range mustRun(t, "", "bitacora", "listar", "--id-empresa", empresa)["asientos"].([]any) {
		asiento := each.(map[string]any)
		if actor := asiento["actor"].(string); actor == operadora || strings.HasPrefix(actor, "consola:") {
			acciones = append(acciones, asiento["accion"].(string))
		}
	}
	want := "empresa_creada clave_salida entrega_pausada entrega_reanudada resincronizacion_pedida"
	if got := strings.Join(acciones, " "); got != want {
		t.Errorf("bitacora = %s, want %s", got, want)
	}
	_, err := run(t, "", "resincronizar", "--id-empresa", "NADA010101AB1")
	if err == nil {
		t.Error("an unknown institution was asked for")
	}
}

func TestPeriodo(t *testing.T) {
	tests := []struct {
		text string
		days int
		want string // empty: refused
	}{
		{"2026-06-15", 0, "2026-06-15T06:00:00Z"},
		{"2026-06-15", 1, "2026-06-16T06:00:00Z"},
		{"2026-06-15T12:00:00-06:00", 1, "2026-06-15T18:00:00Z"},
		{"15-06-2026", 0, ""},
		{"2026-02-30", 0, ""},
	}
	for _, tt := range tests {
		got, err := parseInstant("--desde", tt.text, tt.days)
		if (err != nil) != (tt.want == "") || err == nil && got.UTC().Format(time.RFC3339) != tt.want {
			t.Errorf("%s + %d: %v, %v, want %s", tt.text, tt.days, got, err, tt.want)
		}
	}
}

// A request id is whatever its client chose; a spreadsheet must not run it.
func TestEvidenciaCSV_noFormulas(t *testing.T) {
	var out bytes.Buffer
	e := evidenciaCSV{Momentos: printed([]seguimiento.Momento{{Tipo: "solicitud", RequestID: `=cmd|"x"`}}, printedMomento)}
	err := e.print(&out)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.HasSuffix(lines[1], `,"'=cmd|""x"""`) {
		t.Errorf("table = %q", lines)
	}
}
