package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/services/integracion/internal/secreto"
)

func TestSecretos_anOldKeyCanBeForgotten(t *testing.T) {
	servicio := settings(t)
	old, fresh := os.Getenv("ENCRYPTION_KEYS"), secreto.NewKey("new")
	mustRun(t, "", "empresas", "crear", "--id", empresa, "--nombre", "LABORATORIO")
	mustRun(t, "clave", "claves", "salida", "--id-empresa", empresa, "--url", "https://pui.example.mx/api", "--clave-stdin")
	mustRun(t, "", "api-keys", "emitir", "--id-empresa", empresa, "--nombre", "X", "--ambitos", "eventos")
	mustRun(t, "", "usuarios", "crear", "--usuario", "operador")
	servicio.ActivateTOTP("operador")
	t.Setenv("ENCRYPTION_KEYS", fresh)
	_, err := run(t, "", "secretos", "recifrar")
	if err == nil || !strings.Contains(err.Error(), `key "prueba" is not configured`) {
		t.Errorf("without the old key: %v", err)
	}

	t.Setenv("ENCRYPTION_KEYS", fresh+","+old)
	done := mustRun(t, "", "secretos", "recifrar")
	wantKeys(t, done, "recifrados", "al_dia")
	if done["recifrados"] != 3.0 || done["al_dia"] != 0.0 {
		t.Errorf("first run: %v", done)
	}
	entries := mustRun(t, "", "bitacora", "listar")["asientos"].([]any)
	if last := entries[len(entries)-1].(map[string]any); last["accion"] != "totp_recifrado" || last["recurso"] != "operador" {
		t.Errorf("the last entry about operators is %v", last)
	}
	t.Setenv("ENCRYPTION_KEYS", fresh)
	done = mustRun(t, "", "secretos", "recifrar")
	if done["recifrados"] != 0.0 || done["al_dia"] != 3.0 {
		t.Errorf("second run, the old key forgotten: %v", done)
	}
}
