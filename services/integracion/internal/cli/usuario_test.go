package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/enlace-iis/enlace/services/integracion/integraciontest"
)

func TestUsuarios(t *testing.T) {
	settings(t)
	created := mustRun(t, "", "usuarios", "crear", "--usuario", "otra")
	wantKeys(t, created, "usuario", "clave")
	changed := mustRun(t, "", "usuarios", "cambiar-clave", "--usuario", "otra")
	wantKeys(t, changed, "usuario", "clave")
	if changed["clave"] == "" || changed["clave"] == created["clave"] {
		t.Error("the clave did not change")
	}
	chosen := mustRun(t, "una clave elegida\n", "usuarios", "cambiar-clave", "--usuario", "otra", "--clave-stdin")
	if chosen["clave"] != "una clave elegida" {
		t.Errorf("changed %v", chosen)
	}
	_, err := run(t, "corta", "usuarios", "cambiar-clave", "--usuario", "otra", "--clave-stdin")
	wantStatus(t, err, 2, "de 12 a 128")
	for _, command := range []string{"revocar-tokens", "quitar-segundo-factor"} {
		if got := mustRun(t, "", "usuarios", command, "--usuario", "otra"); got["usuario"] != "otra" || got["estado"] != "activo" {
			t.Errorf("%s: %v", command, got)
		}
	}
	if gone := mustRun(t, "", "usuarios", "baja", "--usuario", "otra"); gone["estado"] != "baja" {
		t.Errorf("gone %v", gone)
	}
	if listed := mustRun(t, "", "usuarios", "listar")["usuarios"].([]any); len(listed) != 2 {
		t.Errorf("listed %v", listed)
	}
	for _, command := range []string{"cambiar-clave", "revocar-tokens", "quitar-segundo-factor", "baja"} {
		_, err := run(t, "", "usuarios", command, "--usuario", "nadie")
		wantStatus(t, err, 3, "No existe ese usuario.")
	}
}

// Without a session, the first operator is added where integracion's settings are, and nowhere
// else.
func TestUsuarios_theFirstNeedsNoSession(t *testing.T) {
	integraciontest.Start(t, integraciontest.Options{}).Setenv(t)
	t.Setenv("SESSION_FILE", filepath.Join(t.TempDir(), "sesion.json"))
	first := mustRun(t, "", "usuarios", "crear", "--usuario", "primera")
	_, err := run(t, "", "usuarios", "crear", "--usuario", "segunda")
	wantStatus(t, err, 3, "Ya hay operadores")
	mustRun(t, first["clave"].(string), "sesion", "abrir", "--usuario", "primera", "--clave-stdin")
	mustRun(t, "", "usuarios", "crear", "--usuario", "segunda")
	mustRun(t, "", "sesion", "cerrar")
	for _, name := range []string{"DATABASE_URL", "ENCRYPTION_KEYS", "HASH_SECRET"} {
		err := os.Unsetenv(name)
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err = run(t, "", "usuarios", "crear", "--usuario", "otra")
	wantStatus(t, err, 3, "No hay sesión; ábrala con integracion sesion abrir. Solo el primer operador")
}
