package cli

import (
	"path/filepath"
	"testing"

	"github.com/enlace-iis/enlace/services/integracion/integraciontest"
	"github.com/enlace-iis/enlace/services/integracion/internal/secreto/secretotest"
)

// Whatever was sealed with an old key is sealed with the new one, in as many parts as it
// takes; then the old one can be forgotten, and not before.
func TestSecretos_anOldKeyCanBeForgotten(t *testing.T) {
	t.Setenv("SESSION_FILE", filepath.Join(t.TempDir(), "sesion.json"))
	old, fresh := secretotest.NewKey("old"), secretotest.NewKey("new")
	serve := func(options integraciontest.Options) *integraciontest.Servicio {
		servicio := integraciontest.Start(t, options)
		servicio.Setenv(t)
		return servicio
	}
	servicio := serve(integraciontest.Options{EncryptionKeys: old})
	clave := servicio.CreateUsuario(operadora)
	mustRun(t, clave, "sesion", "abrir", "--usuario", operadora, "--clave-stdin")
	mustRun(t, "", "empresas", "crear", "--id", empresa, "--nombre", "LABORATORIO")
	mustRun(t, "clave", "claves", "salida", "--id-empresa", empresa, "--url", "https://pui.example.mx/api", "--clave-stdin")
	for range 201 {
		servicio.IssueApiKey(empresa, "eventos")
	}
	mustRun(t, "", "usuarios", "crear", "--usuario", "operador")
	servicio.ActivateTOTP("operador")
	const sealed = 203.0

	for _, step := range []struct {
		keys                                string
		recifrados, alDia, quedan, sinLlave float64
	}{
		{old, 0, sealed, 0, 0},
		{fresh, 0, 0, 0, sealed},
		{fresh + "," + old, sealed, sealed, 0, 0},
		{fresh, 0, sealed, 0, 0},
	} {
		servicio.Stop()
		servicio = serve(integraciontest.Options{EncryptionKeys: step.keys, Database: &servicio.Database})
		mustRun(t, clave, "sesion", "abrir", "--usuario", operadora, "--clave-stdin")
		done := mustRun(t, "", "secretos", "recifrar")
		for name, want := range map[string]float64{"recifrados": step.recifrados, "al_dia": step.alDia, "quedan": step.quedan, "sin_llave": step.sinLlave} {
			if done[name] != want {
				t.Errorf("with the keys %d: %s is %v, want %v", len(step.keys), name, done[name], want)
			}
		}
	}
	entries := mustRun(t, "", "bitacora", "listar")["asientos"].([]any)
	found := false
	for _, each := range entries {
		entry := each.(map[string]any)
		found = found || entry["accion"] == "totp_recifrado" && entry["recurso"] == "operador" && entry["actor"] == operadora
	}
	if !found {
		t.Errorf("nobody sealed the operator's second factor again: %v", entries)
	}
}
