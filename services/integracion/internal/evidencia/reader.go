package evidencia

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
)

// parte is what stands on one line of a file: one of the three.
type parte struct {
	fila       int // in the file, from 1 on
	encabezado *encabezado
	linea      *linea
	pie        *pie
}

// errIlegible tells that a line is none of ours, or not any more.
var errIlegible = errors.New("unreadable line")

// maxLinea bounds a line. No text in a file has a line break.
const maxLinea = 1 << 20

// reader reads a file a line at a time, and takes a line only if it is, to the byte, what the
// writer would write of what it says: nobody signed anything else that stands there.
type reader struct {
	in      *bufio.Reader
	line    []byte
	fila    int
	titulos string // what stands on the first line of a CSV
	parse   func(line []byte) parte
	again   bytes.Buffer
	to      writer // writes again
	flush   func()
}

// newReader finds out which format a file has.
func newReader(file io.Reader) (*reader, error) {
	in := bufio.NewReaderSize(file, piece)
	begin, err := in.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read evidence: %w", err)
	}
	r := &reader{in: in}
	switch {
	case bytes.HasPrefix(begin, []byte(`{"`+tipoEncabezado+`":`)):
		r.parse, r.to, r.flush = parseJSON, &jsonl{out: &r.again}, func() {}
	case bytes.HasPrefix(begin, []byte("numero,")):
		rows := csv.NewWriter(&r.again)
		r.titulos = strings.Join(columnas, ",") + "\n"
		r.parse, r.to, r.flush = newTablaParser(), &tabla{out: rows}, rows.Flush
	case bytes.HasPrefix(bytes.TrimLeftFunc(begin, unicode.IsSpace), []byte("<")):
		return nil, errPagina
	default:
		return nil, errNoEsEvidencia
	}
	return r, nil
}

// next gives the next line; io.EOF follows the last one. With errIlegible the answer tells the
// line, and reading can go on.
func (r *reader) next() (parte, error) {
	text, err := r.text()
	if err == nil && r.fila == 1 && string(text) == r.titulos {
		text, err = r.text()
	}
	if err != nil {
		return parte{fila: r.fila}, err
	}
	p := r.parse(text)
	if !bytes.Equal(text, r.written(p)) {
		p, err = parte{}, errIlegible
	}
	p.fila = r.fila
	return p, err
}

// text gives the next line with its end; of one that is too long it reads past the end.
func (r *reader) text() ([]byte, error) {
	r.line = r.line[:0]
	for {
		read, err := r.in.ReadSlice('\n')
		if len(r.line) <= maxLinea {
			r.line = append(r.line, read...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return nil, fmt.Errorf("read evidence: %w", err)
		case len(r.line) == 0:
			return nil, io.EOF
		}
		r.fila++
		if len(r.line) > maxLinea {
			return nil, errIlegible
		}
		return r.line, nil
	}
}

// written is the line that the writer makes of a parte; nothing if it is none.
func (r *reader) written(p parte) []byte {
	r.again.Reset()
	var err error
	switch {
	case p.encabezado != nil:
		err = r.to.encabezado(*p.encabezado)
	case p.pie != nil:
		err = r.to.pie(*p.pie)
	case p.linea != nil:
		err = r.to.linea(*p.linea)
	}
	if err != nil {
		return nil
	}
	r.flush()
	return bytes.TrimPrefix(r.again.Bytes(), []byte(r.titulos))
}

// parseJSON reads what a line of JSON Lines says.
func parseJSON(line []byte) parte {
	var named map[string]json.RawMessage
	err := json.Unmarshal(line, &named)
	switch {
	case err != nil:
		return parte{}
	case named[tipoEncabezado] != nil:
		return parte{encabezado: parseNamed[encabezado](named[tipoEncabezado])}
	case named[tipoPie] != nil:
		return parte{pie: parseNamed[pie](named[tipoPie])}
	}
	textos := make([]string, len(bitacora.Campos))
	for i, campo := range bitacora.Campos {
		textos[i] = textoOf(campo, named[campo])
	}
	return parte{linea: newLinea(string(named["numero"]), textos, textoOf("hash", named["hash"]))}
}

// parseNamed reads the heading or the signature; nil if it is none.
func parseNamed[T any](text []byte) *T {
	value := new(T)
	err := json.Unmarshal(text, value)
	if err != nil {
		return nil
	}
	return value
}

// newLinea is nil if there is no such number or hash.
func newLinea(numero string, textos []string, hash string) *linea {
	n, err := strconv.ParseInt(numero, 10, 64)
	h, ok := bitacora.ParseHash(hash)
	if err != nil || !ok {
		return nil
	}
	return &linea{Numero: n, Textos: textos, Hash: h}
}

func textoOf(campo string, value json.RawMessage) string {
	if sinComillas[campo] && string(value) != "null" {
		return string(value)
	}
	var texto string
	err := json.Unmarshal(value, &texto)
	if err != nil {
		return "" // and is written otherwise again
	}
	return texto
}

// newTablaParser reads what a line of CSV says. It is handed one line at a time, so that a
// quote that nobody closes ends with its line.
func newTablaParser() func(line []byte) parte {
	var in bytes.Reader
	rows := csv.NewReader(&in)
	rows.FieldsPerRecord = -1
	rows.ReuseRecord = true
	return func(line []byte) parte {
		in.Reset(line)
		row, err := rows.Read()
		if err != nil || len(row) != len(columnas) {
			return parte{}
		}
		return parseRow(row)
	}
}

func parseRow(row []string) parte {
	datos := []byte(row[slices.Index(columnas, "datos")])
	switch row[slices.Index(columnas, "tipo")] {
	case tipoEncabezado:
		return parte{encabezado: parseNamed[encabezado](datos)}
	case tipoPie:
		return parte{pie: parseNamed[pie](datos)}
	}
	textos := make([]string, len(bitacora.Campos))
	for i := range textos {
		textos[i] = uncell(row[i+1])
	}
	return parte{linea: newLinea(row[0], textos, row[len(row)-1])}
}
