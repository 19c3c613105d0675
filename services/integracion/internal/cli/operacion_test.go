package cli

import (
	"slices"
	"strings"
	"testing"
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
	// The clave that was set has begun one, which may still run.
	if len(asked) != 1 || !slices.Contains([]any{"pedida", "en_curso"}, asked[0].(map[string]any)["estado"]) {
		t.Errorf("got %v, want one pedida or en_curso", asked)
	}
	if again := mustRun(t, "", "reportes", "reenviar"); again["reportes"] != 0.0 {
		t.Errorf("told again = %v", again)
	}
	reviewed := mustRun(t, "", "reportes", "sin-abrir", "--id-empresa", empresa)
	wantKeys(t, reviewed, "id_empresa", "revisados", "quedan")
	if all := reviewed["revisados"].([]any); len(all) != 0 || reviewed["quedan"] != false {
		t.Errorf("reviewed = %v", reviewed)
	}
	var acciones []string
	for _, each := range mustRun(t, "", "bitacora", "listar", "--id-empresa", empresa)["asientos"].([]any) {
		asiento := each.(map[string]any)
		if actor := asiento["actor"].(string); actor == operadora || strings.HasPrefix(actor, "consola:") {
			acciones = append(acciones, asiento["accion"].(string))
		}
	}
	want := "empresa_creada clave_salida entrega_pausada entrega_reanudada resincronizacion_pedida sin_abrir_revisados bitacora_vista"
	if got := strings.Join(acciones, " "); got != want {
		t.Errorf("bitacora = %s, want %s", got, want)
	}
	_, err := run(t, "", "resincronizar", "--id-empresa", "NADA010101AB1")
	if err == nil {
		t.Error("an unknown institution was asked for")
	}
}
