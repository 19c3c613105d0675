package evidencia

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
)

// writer writes the parts of a file in one of the formats.
type writer interface {
	encabezado(e encabezado) error
	linea(l linea) error
	pie(p pie) error
}

// Formato is how a file is written.
type Formato struct {
	// Nombre is how it is chosen, and how the file's name ends.
	Nombre string
	// Tipo is its media type; the text is UTF-8.
	Tipo string
	new  func(out io.Writer) writer
}

// Formatos are all of them, the usual one first.
var Formatos = []Formato{
	{"jsonl", "application/jsonl", func(out io.Writer) writer { return &jsonl{out: out} }},
	{"csv", "text/csv", func(out io.Writer) writer { return &tabla{out: csv.NewWriter(out)} }},
	{"html", "text/html", func(out io.Writer) writer { return &pagina{out: out} }},
}

// columnas are the fields of a line, in all formats.
var columnas = slices.Concat([]string{"numero"}, bitacora.Campos, []string{"hash"})

// What tells in a CSV the first and the last line from the others, in the column tipo; in
// JSON Lines they are the only field.
const (
	tipoEncabezado = "encabezado"
	tipoPie        = "firma"
)

// jsonl writes a JSON object a line. A line says the same thing in one way only.
type jsonl struct {
	out  io.Writer
	line []byte
}

func (w *jsonl) encabezado(e encabezado) error { return w.named(tipoEncabezado, e) }
func (w *jsonl) pie(p pie) error               { return w.named(tipoPie, p) }

func (w *jsonl) named(name string, value any) error {
	text, err := plainJSON(value)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.out, "{%q:%s}\n", name, text)
	return err
}

func (w *jsonl) linea(l linea) error {
	w.line = append(appendLinea(w.line[:0], l), '\n')
	_, err := w.out.Write(w.line)
	return err
}

func appendLinea(to []byte, l linea) []byte {
	to = append(to, `{"numero":`...)
	to = strconv.AppendInt(to, l.Numero, 10)
	for i, campo := range bitacora.Campos {
		to = append(append(append(to, `,"`...), campo...), `":`...)
		to = appendTexto(to, campo, l.Textos[i])
	}
	return append(append(append(to, `,"hash":"`...), l.Hash.String()...), `"}`...)
}

// sinComillas are the fields that are no text in JSON.
var sinComillas = map[string]bool{"status": true, "duracion_ms": true, "datos": true}

func appendTexto(to []byte, campo, texto string) []byte {
	switch {
	case texto == "":
		return append(to, "null"...)
	case sinComillas[campo]:
		return append(to, texto...)
	case plain(texto):
		return append(append(append(to, '"'), texto...), '"')
	default:
		quoted, _ := json.Marshal(texto) // a text always can be
		return append(to, quoted...)
	}
}

// plain tells a text that stands in JSON as it is, as nearly all do.
func plain(texto string) bool {
	for i := range len(texto) {
		c := texto[i]
		if c < ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

func plainJSON(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	if err != nil {
		return nil, fmt.Errorf("write evidence: %w", err)
	}
	return bytes.TrimRight(out.Bytes(), "\n"), nil
}

// tabla writes CSV: the same columns in each line, with the first and the last one as JSON in
// the column datos.
type tabla struct {
	out *csv.Writer
}

func (w *tabla) encabezado(e encabezado) error {
	err := w.out.Write(columnas)
	if err != nil {
		return err
	}
	return w.named(tipoEncabezado, e)
}

func (w *tabla) pie(p pie) error {
	err := w.named(tipoPie, p)
	if err != nil {
		return err
	}
	w.out.Flush()
	return w.out.Error()
}

func (w *tabla) named(name string, value any) error {
	text, err := plainJSON(value)
	if err != nil {
		return err
	}
	row := make([]string, len(columnas))
	row[slices.Index(columnas, "tipo")], row[slices.Index(columnas, "datos")] = name, string(text)
	return w.out.Write(row)
}

func (w *tabla) linea(l linea) error {
	row := make([]string, 0, len(columnas))
	row = append(row, strconv.FormatInt(l.Numero, 10))
	for _, texto := range l.Textos {
		row = append(row, cell(texto))
	}
	return w.out.Write(append(row, l.Hash.String()))
}

// formula begins what a spreadsheet would run: a request id is whatever its client chose.
// The quote that keeps it from that is among them, so that it can be taken away again.
const formula = "'=+-@\t\r"

func cell(texto string) string {
	if strings.IndexAny(texto, formula) == 0 {
		return "'" + texto
	}
	return texto
}

func uncell(texto string) string { return strings.TrimPrefix(texto, "'") }
