package evidencia

import (
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"github.com/enlace-iis/enlace/services/internal/manual"
)

// pagina writes a page to print, which people read; what can be checked is the file in one of
// the other formats, whose ends and signature it names.
type pagina struct {
	out     io.Writer
	llave   string
	seccion string
}

var paginas = template.Must(template.New("").Funcs(template.FuncMap{"hora": hora}).Parse(`
{{- define "encabezado" -}}
<!DOCTYPE html>
<html lang="es">
<head>
<meta charset="utf-8">
<title>Evidencia de {{.IDEmpresa}}</title>
<style>
@page { size: A4 landscape; margin: 12mm }
body { font: 10pt/1.35 system-ui, sans-serif; margin: 0 auto; max-width: 270mm; color: #111 }
h1 { font-size: 16pt } h2 { font-size: 12pt; margin-top: 8mm }
table { border-collapse: collapse; width: 100% }
thead { display: table-header-group } tr { break-inside: avoid }
th, td { text-align: left; vertical-align: top; border-bottom: 1px solid #bbb; padding: 1mm 2mm; overflow-wrap: anywhere }
dt { font-weight: 600 } dd { margin: 0 0 1mm; overflow-wrap: anywhere }
code { font: 8pt/1.3 ui-monospace, monospace }
</style>
</head>
<body>
<h1>Evidencia de {{.Nombre}}</h1>
<dl>
<dt>Institución</dt><dd>{{.IDEmpresa}}</dd>
<dt>Periodo</dt><dd>{{if .Desde}}desde {{hora .Desde}}{{else}}desde el principio{{end}}, {{if .Hasta}}hasta antes de {{hora .Hasta}}{{else}}hasta que se generó{{end}}</dd>
<dt>Generada</dt><dd>{{hora .GeneradaEn}} por Enlace {{.Programa}}</dd>
<dt>Asientos de la Bitácora</dt><dd>{{.Primero}} a {{.Ultimo}} de su cadena</dd>
<dt>Hash de la cadena antes y después</dt><dd><code>{{.Anterior}}<br>{{.Hash}}</code></dd>
</dl>
<p>Horas de la Ciudad de México. Esta página es para leer. Lo que se comprueba es el archivo JSON Lines o CSV de la misma
evidencia, con <code>integracion evidencia verificar</code> y la llave pública: sus hashes deben ser los de aquí.</p>
{{end -}}
{{- define "seccion" -}}
<h2>{{.}}</h2>
<table>
<thead><tr><th>Núm.</th><th>Cuándo</th><th>Qué</th><th>Quién</th><th>Reporte</th><th>Recurso</th><th>Resultado</th><th>Datos</th><th>Hash</th></tr></thead>
<tbody>
{{end -}}
{{- define "linea" -}}
<tr><td>{{.Numero}}</td><td>{{hora .En}}</td><td>{{.Accion}} ({{.Tipo}})</td><td>{{.Actor}}</td><td>{{.Reporte}}</td><td>{{.Recurso}}</td><td>{{.Status}} {{.Motivo}}</td><td>{{.Datos}}</td><td><code>{{.Hash}}</code></td></tr>
{{end -}}
{{- define "fin" -}}
</tbody>
</table>
{{end -}}
{{- define "pie" -}}
<h2>Firma</h2>
<dl>
<dt>Búsquedas y coincidencias</dt><dd>{{.Hallazgos}}, hash final <code>{{.HashHallazgos}}</code></dd>
<dt>Asientos</dt><dd>{{.Asientos}}</dd>
<dt>Llave pública (Ed25519)</dt><dd><code>{{.Llave}}</code></dd>
<dt>Firma de esta página</dt><dd><code>{{.Firma}}</code></dd>
</dl>
</body>
</html>
{{end -}}
`))

func (w *pagina) write(name string, value any) error {
	err := paginas.ExecuteTemplate(w.out, name, value)
	if err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

func (w *pagina) encabezado(e encabezado) error {
	w.llave = e.Llave
	return w.write(tipoEncabezado, e)
}

func (w *pagina) linea(l linea) error {
	seccion := "Bitácora"
	if l.deRegistros() {
		seccion = "Búsquedas y coincidencias"
	}
	err := w.enter(seccion)
	if err != nil {
		return err
	}
	return w.write("linea", map[string]any{
		"Numero": l.Numero, "En": l.texto("ocurrido_en"), "Tipo": l.texto("tipo"), "Accion": l.texto("accion"), "Actor": l.texto("actor"),
		"Reporte": l.texto("reporte_id"), "Recurso": l.texto("recurso"), "Status": l.texto("status"), "Motivo": l.texto("motivo"),
		"Datos": strings.Trim(l.texto("datos"), "{}"), "Hash": l.Hash.String()[:16],
	})
}

// enter ends the table before and begins that of a section.
func (w *pagina) enter(seccion string) error {
	if w.seccion == seccion {
		return nil
	}
	if w.seccion != "" {
		err := w.write("fin", nil)
		if err != nil {
			return err
		}
	}
	w.seccion = seccion
	if seccion == "" {
		return nil
	}
	return w.write("seccion", seccion)
}

func (w *pagina) pie(p pie) error {
	err := w.enter("")
	if err != nil {
		return err
	}
	return w.write("pie", struct {
		pie
		Llave string
	}{p, w.llave})
}

// hora writes an instant, given as text or as what may be none, for a person.
func hora(given any) string {
	text, is := given.(string)
	if optional, may := given.(*string); may {
		text, is = *optional, true
	}
	instant, err := time.Parse(time.RFC3339Nano, text)
	if !is || err != nil {
		return text
	}
	return manual.EnMexico(instant).Format("2006-01-02 15:04:05")
}
