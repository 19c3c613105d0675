package cli

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/services/integracion/integraciontest"
	"github.com/enlace-iis/enlace/services/internal/terminal"
	"github.com/enlace-iis/enlace/services/registros/registrostest"
)

// printed does a command and gives what it printed, whatever that is.
func printed(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	root := terminal.Program{Name: "integracion"}.Command()
	err := Run(t.Context(), root, &terminal.Terminal{In: strings.NewReader(""), Out: &out, Err: io.Discard}, args)
	return out.String(), err
}

// conRegistros gives the commands both services and an operator's session.
func conRegistros(t *testing.T) {
	t.Helper()
	listener := integraciontest.Listen(t)
	registros := registrostest.Start(t, registrostest.Options{IntegracionTarget: listener.Addr().String()})
	servicio := integraciontest.Start(t, integraciontest.Options{Listener: listener, RegistrosTarget: registros.Target})
	servicio.Setenv(t)
	t.Setenv("SESSION_FILE", filepath.Join(t.TempDir(), "sesion.json"))
	mustRun(t, servicio.CreateUsuario(operadora), "sesion", "abrir", "--usuario", operadora, "--clave-stdin")
	mustRun(t, "", "empresas", "crear", "--id", empresa, "--nombre", "LABORATORIO")
}

func TestEvidencia_exportedAndVerified(t *testing.T) {
	conRegistros(t)
	llave := mustRun(t, "", "evidencia", "llave")["llave"].(map[string]any)
	pem := filepath.Join(t.TempDir(), "llave.pem")
	write(t, pem, people(t, "evidencia", "llave", "--pem"))
	if read(t, pem) != llave["pem"] {
		t.Errorf("--pem is %s", read(t, pem))
	}
	for n, formato := range []string{"jsonl", "csv"} {
		asientos := float64(2 + n) // that it was made, and each export
		path := filepath.Join(t.TempDir(), "evidencia."+formato)
		told := mustRun(t, "", "evidencia", "exportar", "--id-empresa", empresa, "--formato", formato, "--archivo", path)
		if told["archivo"] != path || told["lineas"] != asientos {
			t.Errorf("exported %v", told)
		}
		for _, key := range []string{pem, llave["publica"].(string)} {
			checked := mustRun(t, "", "evidencia", "verificar", path, "--llave", key)
			wantKeys(t, checked, "id_empresa", "nombre", "desde", "hasta", "generada_en", "programa", "hallazgos", "asientos",
				"primero", "ultimo", "anterior", "hash", "llave_id", "llave_dada")
			if checked["asientos"] != asientos || checked["llave_dada"] != true || checked["llave_id"] != llave["id"] || checked["desde"] != nil {
				t.Errorf("%s: %v", formato, checked)
			}
		}
		own := people(t, "evidencia", "verificar", "--archivo", path)
		wantText(t, own, fmt.Sprintf("Está entera: los asientos 1 a %.0f de %s", asientos, empresa), "que trae el archivo")
		_, err := run(t, "", "evidencia", "verificar", path, "--llave", base64.StdEncoding.EncodeToString(make([]byte, 32)))
		wantStatus(t, err, 3, "no lo firmó quien se dice")
		write(t, path, strings.Replace(read(t, path), "empresa_creada", "empresa_borrada", 1))
		_, err = run(t, "", "evidencia", "verificar", path)
		wantStatus(t, err, 3, "fue cambiada: es el asiento 1")
	}
}

func TestEvidencia_toStandardOutput(t *testing.T) {
	conRegistros(t)
	file, err := printed(t, "evidencia", "exportar", "--id-empresa", empresa, "--desde", "2026-01-01")
	if err != nil || !strings.HasPrefix(file, `{"encabezado":{"formato":"enlace.evidencia.v1","id_empresa":"`+empresa) || strings.Count(file, "\n") != 4 {
		t.Errorf("%v: %s", err, file)
	}
	page, err := printed(t, "evidencia", "exportar", "--id-empresa", empresa, "--formato", "html")
	if err != nil || !strings.Contains(page, "Evidencia de LABORATORIO") {
		t.Errorf("%v: %s", err, page)
	}
}

func TestEvidencia_refuses(t *testing.T) {
	settings(t) // without registros
	mustRun(t, "", "empresas", "crear", "--id", empresa, "--nombre", "LABORATORIO")
	folder := t.TempDir()
	none := filepath.Join(folder, "no.jsonl")
	page := filepath.Join(folder, "pagina.html")
	write(t, page, "<!DOCTYPE html>")
	for name, tt := range map[string]struct {
		args   []string
		status int
		want   string
	}{
		"unknown institution": {[]string{"exportar", "--id-empresa", "NAD010101AB1"}, 3, "No existe esa institución."},
		"no period":           {[]string{"exportar", "--id-empresa", empresa, "--desde", "ayer"}, 2, "Debe ser un instante RFC 3339 o un día AAAA-MM-DD."},
		"another format":      {[]string{"exportar", "--id-empresa", empresa, "--formato", "xml"}, 2, `--formato no admite "xml": use jsonl, csv o html.`},
		"registros away":      {[]string{"exportar", "--id-empresa", empresa}, 4, "registros no contesta"},
		"no such folder":      {[]string{"exportar", "--id-empresa", empresa, "--archivo", filepath.Join(folder, "no", "x")}, 2, "No se puede escribir"},
		"no file":             {[]string{"verificar", none}, 2, "No se puede leer " + none},
		"a page":              {[]string{"verificar", page}, 2, "Es la página para imprimir"},
		"two files":           {[]string{"verificar", page, page}, 2, "evidencia verificar admite un solo archivo"},
		"none at all":         {[]string{"verificar"}, 2, "Falta --archivo"},
		"no key":              {[]string{"verificar", page, "--llave", "x"}, 2, `--llave no admite "x"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := run(t, "", append([]string{"evidencia"}, tt.args...)...)
			wantStatus(t, err, tt.status, tt.want)
		})
	}
	_, err := run(t, "", "evidencia", "exportar", "--id-empresa", empresa, "--archivo", none)
	wantStatus(t, err, 4, "registros no contesta")
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 1 {
		t.Errorf("an export that failed left %v, %v", left, err)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	err := os.WriteFile(path, []byte(content), 0o600)
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
