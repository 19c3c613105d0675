package cuentas

import (
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

// The actor of the evidence is a name: none may pass for another, or for who is no operator.
func TestUsuarios_names(t *testing.T) {
	t.Parallel()
	usuarios := &Usuarios{Store: newMemory(), Hasher: &plainHasher{}}
	for _, name := range []string{
		"", "PUI", "pui", "Pui", "sistema", "SISTEMA", "Sistema", "desconocido", "consola", "plataforma", "integracion", "registros", "gateway",
		"simulador", "Simulador", "sistema.", "sis-tema", "_pui_", "p.u.i", "...", "-",
		"(desconocido)", "consola:root", "con espacio", "ana@lab", "ana\n", "ana\x00", strings.Repeat("a", maxUsuario+1),
		"sistemа", // with a Cyrillic letter
		"ｓｉｓｔｅｍａ", "ﬁn", "ana\u200b", "ſistema", "pu\u0131", "anaé", "ana\u0301",
	} {
		_, err := usuarios.Create(t.Context(), name, "")
		if !errs.Is(err, errores.Validacion) {
			t.Errorf("%q: got %v, want %s", name, err, errores.Validacion)
		}
	}
	for _, name := range []string{"operador", "Operadora-2", "ana.lopez", "a", "_ana_", "sistemas", "puig", "0", strings.Repeat("a", maxUsuario)} {
		_, err := usuarios.Create(t.Context(), name, "")
		if err != nil {
			t.Errorf("%q: got %v, want it created", name, err)
		}
	}
}
