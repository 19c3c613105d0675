package clients

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

const document = "../../../proto/openapi/openapi.json"

// incompleta is a CURP without its last digit.
const incompleta = "PEXA900115HDFRXN0"

// TestTypeScript generates the types of the contract, compiles typescript/recorrido.ts with
// them as strictly as the compiler can, and lets it do an institution's round.
func TestTypeScript(t *testing.T) {
	t.Parallel()
	node := harness.NewNode(t, "typescript")
	contract, err := filepath.Abs(document)
	if err != nil {
		t.Fatal(err)
	}
	node.Run(t, nil, "node_modules/.bin/openapi-typescript", contract, "-o", "enlace.d.ts")
	node.Run(t, nil, "node_modules/.bin/tsc")

	i := system.NewInstitucion(t)
	i.Post(t, "/cliente/registros", harness.Registro("A-1", harness.CurpDos, harness.Day(-3))).Want(t, http.StatusCreated)
	id := harness.ReporteID(2)
	i.Activate(t, map[string]any{"id": id, "curp": harness.CurpUno, "fecha_desaparicion": harness.Day(-10)})
	harness.Eventually(t, "the end of the search", func() bool {
		casos := i.Casos(t)
		return len(casos) == 1 && casos[0].FinalizadaEn != nil
	})
	registros := harness.Encode(t, []any{
		harness.Registro("A-1", harness.CurpDos, harness.Day(-2)),
		harness.Registro("A-2", harness.CurpUno, harness.Day(-1)),
		harness.Registro("A-3", incompleta, harness.Day(-1)),
	})
	output := node.Run(t, []string{"BASE_URL=" + i.BaseURL, "API_KEY=" + i.ApiKey, "REGISTROS=" + string(registros)}, "node", "hecho/recorrido.js")

	var saw visto
	err = json.Unmarshal(output, &saw)
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	want := visto{
		Empresa:       i.ID,
		Lote:          lote{Creados: 1, Actualizados: 1, Rechazados: 1},
		Errores:       []string{"/registros/2/curp"},
		Casos:         [][]string{{id, "monitoreo"}},
		Coincidencias: [][]string{{"A-2", "3", harness.Day(-1)}},
		Avisos:        [][]string{{id, "activacion"}},
		Problema:      problema{Status: http.StatusUnauthorized, Codigo: "credencial_invalida"},
	}
	if diff := cmp.Diff(want, saw); diff != "" {
		t.Errorf("the client saw (-want +got):\n%s", diff)
	}
}

// visto is what recorrido.ts prints.
type visto struct {
	Empresa       string
	Lote          lote
	Errores       []string
	Casos         [][]string
	Coincidencias [][]string
	Avisos        [][]string
	Problema      problema
}

type lote struct{ Creados, Actualizados, Rechazados int }

type problema struct {
	Status int
	Codigo string
}
