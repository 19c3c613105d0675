//go:build linux

package comandos

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

func TestPipe_printsOneJSONObject(t *testing.T) {
	c := newConsola(t)
	c.open(t)
	created := c.pipe(t, "", "empresas", "crear", "--id", "PIP010101AB1", "--nombre", "Laboratorio de la tubería")
	var answer struct {
		Empresas []struct {
			URLBase string `json:"url_base"`
			Usuario string
			Clave   string
		}
	}
	err := json.Unmarshal([]byte(created.stdout), &answer)
	if err != nil || created.status != 0 || created.stderr != "" || len(answer.Empresas) != 1 || answer.Empresas[0].Usuario != "PUI" || answer.Empresas[0].Clave == "" {
		t.Fatalf("created %+v: %v", created, err)
	}
	if want := system.Addresses().BaseURL + "/i/PIP010101AB1"; answer.Empresas[0].URLBase != want {
		t.Errorf("base %s, want %s", answer.Empresas[0].URLBase, want)
	}
	listed := c.pipe(t, "", "empresas", "listar", "--estado", "activa")
	if !strings.HasPrefix(listed.stdout, `{"empresas":[{"id_empresa":"`) || strings.Contains(listed.stdout, "\x1b") || strings.Count(listed.stdout, "\n") != 1 {
		t.Errorf("listed %q", listed.stdout)
	}
	table := c.pipe(t, "", "empresas", "listar", "--salida", "tabla")
	if !strings.HasPrefix(table.stdout, "ID EMPRESA ") || strings.Contains(table.stdout, "\x1b") {
		t.Errorf("table %q", table.stdout)
	}
}

// What each command ends with, and what it says of it: one line, nothing on standard output.
func TestPipe_statusByKind(t *testing.T) {
	c, stranger := newConsola(t), newConsola(t)
	c.open(t)
	tests := []struct {
		name   string
		who    *consola
		stdin  string
		args   []string
		status int
		want   string
	}{
		{"unknown command", c, "", []string{"empresas", "crea"}, 2, `empresas no tiene el comando "crea"; ¿quiso decir crear?`},
		{"unknown flag", c, "", []string{"empresas", "listar", "--todo"}, 2, "empresas listar no tiene la opción --todo; tiene --estado, --help y --salida."},
		{"unknown value", c, "", []string{"empresas", "listar", "--estado", "dormida"}, 2, `--estado no admite "dormida": use activa o suspendida.`},
		{"no RFC", c, "", []string{"empresas", "crear", "--id", "X", "--nombre", "X"}, 2, "El id de la institución debe ser su RFC con homoclave, en mayúsculas."},
		{"unknown institution", c, "", []string{"empresas", "mostrar", "--id-empresa", "NAD010101AB1"}, 3, "No existe esa institución."},
		{"no session", stranger, "", []string{"empresas", "listar"}, 3, "No hay sesión; ábrala con integracion sesion abrir."},
		{"wrong clave", stranger, "otra clave", []string{"sesion", "abrir", "--usuario", stranger.usuario, "--clave-stdin"}, 3, "El usuario, la clave o el código no es correcto."},
		{
			"service away", stranger, "clave", []string{"sesion", "abrir", "--usuario", "u", "--clave-stdin", "--destino", "dns:///127.0.0.1:1"}, 4,
			"integracion no contesta en dns:///127.0.0.1:1;",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := tt.who.pipe(t, tt.stdin, tt.args...)
			if o.status != tt.status || o.stdout != "" || strings.Count(o.stderr, "\n") != 1 || !strings.Contains(o.stderr, tt.want) {
				t.Errorf("%+v, want status %d and %q", o, tt.status, tt.want)
			}
		})
	}
}

// An operator joins thirty institutions from one file; a wrong line keeps all of them out.
func TestPipe_thirtyInstitutionsFromAFile(t *testing.T) {
	c := newConsola(t)
	c.open(t)
	var file strings.Builder
	file.WriteString("id_empresa,nombre\n")
	for n := range 30 {
		fmt.Fprintf(&file, "ARC0101%02dAB1,Laboratorio %d\n", n+1, n+1)
	}
	path := filepath.Join(t.TempDir(), "laboratorios.csv")
	write := func(content string) {
		err := os.WriteFile(path, []byte(content), 0o600)
		if err != nil {
			t.Fatal(err)
		}
	}
	write(file.String() + "no es un RFC,Laboratorio 31\n")
	refused := c.pipe(t, "", "empresas", "crear", "--archivo", path)
	if refused.status != 2 || !strings.Contains(refused.stderr, "Línea 32: El id de la institución debe ser su RFC") {
		t.Errorf("refused %+v", refused)
	}
	write(file.String())
	for _, simulate := range []bool{true, false} {
		args := []string{"empresas", "crear", "--archivo", path}
		if simulate {
			args = append(args, "--simular")
		}
		o := c.pipe(t, "", args...)
		if o.status != 0 || strings.Count(o.stdout, `"url_base":`) != 30 {
			t.Errorf("simulate %v: %+v", simulate, o)
		}
	}
	write("id_empresa,nombre\nARC010101AB1,Laboratorio 1\n")
	again := c.pipe(t, "", "empresas", "crear", "--archivo", path)
	if again.status != 3 || !strings.Contains(again.stderr, "Ya existe la institución ARC010101AB1") {
		t.Errorf("again %+v", again)
	}
}

// What an operator exports, anybody checks without a service; and whoever changes a line is
// found out.
func TestPipe_evidenceThatAnybodyChecks(t *testing.T) {
	c, auditor := newConsola(t), newConsola(t)
	c.open(t)
	const id = "EVI010101AB1"
	c.pipe(t, "", "empresas", "crear", "--id", id, "--nombre", "Laboratorio de la evidencia")
	llave := filepath.Join(t.TempDir(), "llave.pem")
	var llaves struct{ Llave struct{ Pem string } }
	err := json.Unmarshal([]byte(c.pipe(t, "", "evidencia", "llave").stdout), &llaves)
	if err == nil {
		err = os.WriteFile(llave, []byte(llaves.Llave.Pem), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	exported := c.pipe(t, "", "evidencia", "exportar", "--id-empresa", id)
	if exported.status != 0 || exported.stderr != "" || !strings.HasPrefix(exported.stdout, `{"encabezado":{`) {
		t.Fatalf("exported %+v", exported)
	}
	path := filepath.Join(t.TempDir(), "evidencia.jsonl")
	for _, tt := range []struct {
		file, want string
		status     int
	}{
		{exported.stdout, `"llave_dada":true`, 0},
		{strings.Replace(exported.stdout, "empresa_creada", "empresa_cambiada", 1), "La línea 2 fue cambiada: es el asiento 1", 3},
		{exported.stdout[:strings.Index(exported.stdout, `{"firma"`)], "Falta el final: el archivo está cortado", 3},
		{"nada\n", "El archivo no es evidencia de Enlace", 2},
	} {
		err := os.WriteFile(path, []byte(tt.file), 0o600)
		if err != nil {
			t.Fatal(err)
		}
		// The auditor has no session.
		o := auditor.pipe(t, "", "evidencia", "verificar", path, "--llave", llave)
		if o.status != tt.status || !strings.Contains(o.stdout+o.stderr, tt.want) {
			t.Errorf("%+v, want status %d and %q", o, tt.status, tt.want)
		}
	}
}

// What an institution keeps of a person is seen, erased, and no more there; the Bitácora has who did it.
func TestPipe_aPersonsRights(t *testing.T) {
	c := newConsola(t)
	c.open(t)
	i := system.NewInstitucion(t)
	const curp = harness.CurpDos
	send(t, i, harness.Registro("DER-1", curp, "2024-06-01"), harness.Registro("DER-2", curp, "2024-06-02"))
	whose := []string{"--id-empresa", i.ID}
	for _, step := range []struct{ args, want string }{
		{"registros buscar", `{"registros":[{"folio":"DER-2","curp":"` + curp + `"`},
		{"registros borrar --simular", `{"id_empresa":"` + i.ID + `","simulado":true,"registros":2,"coincidencias":0}`},
		{"registros borrar", `{"id_empresa":"` + i.ID + `","simulado":false,"registros":2,"coincidencias":0}`},
		{"registros buscar", `{"registros":[]}`},
	} {
		o := c.pipe(t, curp+"\n", append(strings.Fields(step.args), whose...)...)
		if o.status != 0 || !strings.HasPrefix(o.stdout, step.want) || o.stderr != "" {
			t.Errorf("%s: %+v, want %s", step.args, o, step.want)
		}
	}
	empty := c.pipe(t, "", append([]string{"registros", "buscar"}, whose...)...)
	if empty.status != 2 || !strings.Contains(empty.stderr, "La entrada estándar está vacía.") {
		t.Errorf("without a CURP: %+v", empty)
	}
	var asientos struct {
		Asientos []struct{ Accion, Actor string }
	}
	system.Operate(t, "", &asientos, "bitacora", "listar", "--id-empresa", i.ID)
	var seen []string
	for _, a := range asientos.Asientos {
		if a.Actor == c.usuario {
			seen = append(seen, a.Accion)
		}
	}
	if want := []string{"registros_buscados", "registros_contados", "borrado_pedido", "registros_borrados", "registros_buscados"}; !slices.Equal(seen, want) {
		t.Errorf("the Bitácora has %v, want %v", seen, want)
	}
}

// What an id_lote was.
func TestPipe_whatALoteWas(t *testing.T) {
	c := newConsola(t)
	c.open(t)
	i := system.NewInstitucion(t)
	sent := send(t, i, harness.Registro("LOT-1", harness.CurpDos, "2024-06-01"))
	o := c.pipe(t, "", "lotes", "mostrar", "--id-empresa", i.ID, "--id-lote", sent)
	if o.status != 0 || !strings.HasPrefix(o.stdout, `{"id_lote":"`+sent+`","id_empresa":"`+i.ID+`","recibido_en":"`) ||
		!strings.HasSuffix(o.stdout, `"total":1,"creados":1,"actualizados":0,"sin_cambios":0,"rechazados":0,"coincidencias":0}`+"\n") {
		t.Errorf("%+v", o)
	}
	unknown := c.pipe(t, "", "lotes", "mostrar", "--id-empresa", i.ID, "--id-lote", "nadie")
	if unknown.status != 3 || !strings.Contains(unknown.stderr, "No existe ese lote.") {
		t.Errorf("%+v", unknown)
	}
}

// send sends a batch and gives its id_lote.
func send(t *testing.T, i *harness.Institucion, registros ...any) string {
	t.Helper()
	var answer struct {
		IDLote string `json:"id_lote"`
	}
	i.Post(t, "/cliente/registros/lote", map[string]any{"registros": registros}).Into(t, &answer)
	return answer.IDLote
}
