package cli

import (
	"strings"
	"testing"
)

func TestUsuarios_changes(t *testing.T) {
	settings(t)
	created := mustRun(t, "", "usuarios", "crear", "--usuario", "operadora")

	changed := mustRun(t, "", "usuarios", "cambiar-clave", "--usuario", "operadora")
	wantKeys(t, changed, "usuario", "clave")
	if changed["clave"] == "" || changed["clave"] == created["clave"] {
		t.Error("the clave did not change")
	}
	chosen := mustRun(t, "una clave elegida\n", "usuarios", "cambiar-clave", "--usuario", "operadora", "--clave-stdin")
	if chosen["clave"] != "una clave elegida" {
		t.Errorf("changed %v", chosen)
	}
	_, err := run(t, "corta", "usuarios", "cambiar-clave", "--usuario", "operadora", "--clave-stdin")
	if err == nil || !strings.Contains(err.Error(), "de 12 a 128") {
		t.Errorf("short clave: %v", err)
	}

	activated := mustRun(t, "", "usuarios", "totp-activar", "--usuario", "operadora")
	wantKeys(t, activated, "usuario", "otpauth_url")
	address, _ := activated["otpauth_url"].(string)
	if !strings.HasPrefix(address, "otpauth://totp/Enlace:operadora?") {
		t.Errorf("activated %v", activated)
	}
	again := mustRun(t, "", "usuarios", "totp-activar", "--usuario", "operadora")
	if again["otpauth_url"] == address {
		t.Error("activating again gave the same secret")
	}
	wantKeys(t, mustRun(t, "", "usuarios", "totp-desactivar", "--usuario", "operadora"), "usuario")
	wantKeys(t, mustRun(t, "", "usuarios", "revocar-tokens", "--usuario", "operadora"), "usuario")

	for _, command := range []string{"cambiar-clave", "totp-activar", "totp-desactivar", "revocar-tokens"} {
		_, err := run(t, "", "usuarios", command, "--usuario", "nadie")
		if err == nil || !strings.Contains(err.Error(), "No existe ese usuario.") {
			t.Errorf("%s of nobody: %v", command, err)
		}
	}
}
