//go:build compose

package compose

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// What was there at the backup is there after the restoration, what came later is not, and
// the set serves again.
func TestBackup_isRestored(t *testing.T) {
	i := newInstitucion(t, "LAB010101BK1")
	id := harness.ReporteID(3000)
	i.Activate(t, map[string]any{"id": id, "curp": harness.CurpUno, "fecha_desaparicion": harness.Day(-10)})
	harness.Eventually(t, "the end of the search", func() bool { return slices.Contains(i.Told(id), harness.Fin) })
	i.Post(t, "/cliente/registros", harness.Registro("antes", harness.CurpUno, harness.Day(0))).Want(t, http.StatusCreated)
	harness.Eventually(t, "the match of before", func() bool { return len(untold(t, i, []string{"antes"})) == 0 })

	output, err := set.make("backup")
	if err != nil {
		t.Fatal(err)
	}
	folder := strings.Fields(string(output))
	if _, err := os.Stat(set.dotenv(t)["BACKUP_DIR"]); err != nil || len(folder) == 0 {
		t.Fatalf("no backup: %v, %s", err, output)
	}
	i.Post(t, "/cliente/registros", harness.Registro("despues", harness.CurpUno, harness.Day(0))).Want(t, http.StatusCreated)
	harness.Eventually(t, "the match of later", func() bool { return len(untold(t, i, []string{"despues"})) == 0 })

	output, err = set.make("restore", "BACKUP="+folder[len(folder)-1])
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	set.openSesion(t)
	var reenviados struct{ Reportes int }
	set.operate(t, "", &reenviados, "reportes", "reenviar")
	if !strings.Contains(string(output), "reportes reenviar") || reenviados.Reportes == 0 {
		t.Errorf("%d reports were told again, after %s", reenviados.Reportes, output)
	}
	harness.Eventually(t, "the match of before, again", func() bool { return len(untold(t, i, []string{"antes"})) == 0 })
	if len(untold(t, i, []string{"despues"})) == 0 {
		t.Error("what came after the backup is there")
	}
	i.Post(t, "/cliente/sandbox/ping", nil).Want(t, http.StatusOK)
	pass("backed up and restored: what was there is there")
}
