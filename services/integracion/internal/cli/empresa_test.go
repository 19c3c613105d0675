package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/terminal"
)

func TestEmpresas(t *testing.T) {
	settings(t)
	answer := mustRun(t, "", "empresas", "crear", "--id", empresa, "--nombre", "LABORATORIO", "--pui-url", "https://pui.example.mx/api/",
		"--sitio-descripcion", "Sucursal Centro", "--sitio-codigo-postal", "06000")
	wantKeys(t, answer, "simulado", "empresas")
	created := answer["empresas"].([]any)[0].(map[string]any)
	wantKeys(t, created, "id_empresa", "url_base", "usuario", "clave")
	if created["usuario"] != "PUI" || !strings.HasSuffix(created["url_base"].(string), "/i/"+empresa) || !manual.IsClave(created["clave"].(string)) {
		t.Errorf("created %v", created)
	}
	_, err := run(t, "", "empresas", "crear", "--id", empresa, "--nombre", "LABORATORIO")
	wantStatus(t, err, 3, "Ya existe la institución "+empresa)

	shown := mustRun(t, "", "empresas", "mostrar", "--id-empresa", empresa)
	sitio := shown["sitio"].(map[string]any)
	if shown["pui_url"] != "https://pui.example.mx/api" || sitio["descripcion"] != "Sucursal Centro" || sitio["codigo_postal"] != "06000" || sitio["calle"] != nil {
		t.Errorf("shown %v", shown)
	}
	listed := mustRun(t, "", "empresas", "listar", "--estado", "activa")
	if diff := cmp.Diff([]any{shown}, listed["empresas"]); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	changed := mustRun(t, "", "empresas", "cambiar", "--id-empresa", empresa, "--institucion-id", "OTRO12345", "--quitar-sitio", "--tipo-evento-neutro", "Servicio al público")
	if changed["institucion_id"] != "OTRO12345" || changed["sitio"] != nil || changed["tipo_evento_neutro"] != "Servicio al público" || changed["nombre"] != "LABORATORIO" {
		t.Errorf("changed = %v", changed)
	}
	_, err = run(t, "", "empresas", "cambiar", "--id-empresa", empresa, "--institucion-id", "otro")
	wantStatus(t, err, 2, "El institucion_id debe tener de 4 a 13")
	for command, estado := range map[string]string{"suspender": "suspendida", "reanudar": "activa"} {
		if got := mustRun(t, "", "empresas", command, "--id-empresa", empresa); got["estado"] != estado {
			t.Errorf("%s: %v", command, got)
		}
	}
}

// people does a command for a person, and gives what is read.
func people(t *testing.T, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	root := terminal.Program{Name: "integracion"}.Command()
	err := Run(t.Context(), root, &terminal.Terminal{In: strings.NewReader(""), Out: &out, Err: &out}, append(args, "--salida", "tabla"))
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return out.String()
}

func wantText(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, each := range want {
		if !strings.Contains(text, each) {
			t.Errorf("%q is missing in\n%s", each, text)
		}
	}
}

func TestEmpresas_joiningIsGuided(t *testing.T) {
	servicio := settings(t)
	wantText(t, people(t, "empresas", "crear", "--id", empresa, "--nombre", "LABORATORIO"),
		"URL base  ", "usuario   PUI", "clave     ", "portal de la plataforma", "integracion claves salida --id-empresa "+empresa)
	wantText(t, people(t, "empresas", "mostrar", "--id-empresa", empresa),
		"✓ hay clave para que entre la plataforma", "○ hay una llave (api-keys emitir)")
	servicio.IssueApiKey(empresa)
	wantText(t, people(t, "empresas", "mostrar", "--id-empresa", empresa), "✓ hay una llave (api-keys emitir)", "○ la plataforma activó un reporte")
	wantText(t, people(t, "empresas", "listar"), "ID EMPRESA", empresa+"  LABORATORIO  activa")
}

func TestEmpresas_fromAFile(t *testing.T) {
	settings(t)
	file := func(content string) string {
		path := filepath.Join(t.TempDir(), "laboratorios.csv")
		err := os.WriteFile(path, []byte(content), 0o600)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	const good = "\ufeffid_empresa;nombre;sitio_calle;sin_carga;tipo_evento_neutro\r\nLAB010101AB1;Uno, S.A.;Reforma;Sí;Servicio\r\n\r\nLAB020202CD2;Dos;;no;\r\n"
	simulated := mustRun(t, "", "empresas", "crear", "--archivo", file(good), "--simular")
	if simulated["simulado"] != true || len(simulated["empresas"].([]any)) != 2 {
		t.Errorf("simulated %v", simulated)
	}
	refused := map[string]string{
		"id_empresa,nombre\nLAB010101AB1,Uno\n\nno es un RFC,Dos\n": "Línea 4: El id de la institución debe ser su RFC",
		"id_empresa,nombre\nLAB010101AB1,Uno,de más\n":              "La línea 2 de ",
		"rfc,nombre\nLAB010101AB1,Uno\n":                            `tiene una columna "rfc"; use id_empresa, nombre, institucion_id, pui_url, tipo_evento_neutro, sin_carga, sitio_descripcion`,
		"id_empresa,nombre,sin_carga\nLAB010101AB1,Uno,quizá\n":     `laboratorios.csv: en sin_carga va "sí", "no" o nada.`,
		"id_empresa,nombre\nLAB010101AB1,Compa\xf1\xeda\n":          "no es UTF-8",
		"":                    "está vacío o no es CSV",
		"id_empresa,nombre\n": "de 1 a 100 instituciones",
	}
	for content, want := range refused {
		_, err := run(t, "", "empresas", "crear", "--archivo", file(content))
		wantStatus(t, err, 2, want)
	}
	_, err := run(t, "", "empresas", "crear", "--archivo", filepath.Join(t.TempDir(), "nada.csv"))
	wantStatus(t, err, 2, "No se puede leer")
	if listed := mustRun(t, "", "empresas", "listar")["empresas"].([]any); len(listed) != 0 {
		t.Fatalf("something was kept: %v", listed)
	}
	created := mustRun(t, "", "empresas", "crear", "--archivo", file(good))
	if created["simulado"] != false || len(created["empresas"].([]any)) != 2 {
		t.Errorf("created %v", created)
	}
	first := mustRun(t, "", "empresas", "mostrar", "--id-empresa", "LAB010101AB1")
	if first["nombre"] != "Uno, S.A." || first["sitio"].(map[string]any)["calle"] != "Reforma" || first["tipo_evento_neutro"] != "Servicio" {
		t.Errorf("the first is %v", first)
	}
	if second := mustRun(t, "", "empresas", "mostrar", "--id-empresa", "LAB020202CD2"); second["sitio"] != nil {
		t.Errorf("the second is %v", second)
	}
}
