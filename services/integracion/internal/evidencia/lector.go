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

// lector reads a file a line at a time; io.EOF follows the last one. With errIlegible the
// answer tells the line, and reading can go on.
type lector interface {
	next() (parte, error)
}

// maxLinea bounds a line.
const maxLinea = 1 << 20

// newLector finds out which format a file has.
func newLector(file io.Reader) (lector, error) {
	in := bufio.NewReaderSize(file, piece)
	begin, err := in.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read evidence: %w", err)
	}
	switch {
	case bytes.HasPrefix(begin, []byte(`{"`+tipoEncabezado+`":`)):
		scanner := bufio.NewScanner(in)
		scanner.Buffer(nil, maxLinea)
		return &jsonlLector{in: scanner}, nil
	case bytes.HasPrefix(begin, []byte("numero,")):
		rows := csv.NewReader(in)
		rows.FieldsPerRecord = -1
		rows.ReuseRecord = true
		return &tablaLector{in: rows}, nil
	case bytes.HasPrefix(bytes.TrimLeftFunc(begin, unicode.IsSpace), []byte("<")):
		return nil, errPagina
	default:
		return nil, errNoEsEvidencia
	}
}

type jsonlLector struct {
	in   *bufio.Scanner
	fila int
}

func (r *jsonlLector) next() (parte, error) {
	if !r.in.Scan() {
		err := r.in.Err()
		if errors.Is(err, bufio.ErrTooLong) {
			return parte{fila: r.fila + 1}, errIlegible
		}
		if err != nil {
			return parte{}, fmt.Errorf("read evidence: %w", err)
		}
		return parte{}, io.EOF
	}
	r.fila++
	text := r.in.Bytes()
	p := parte{fila: r.fila}
	var named map[string]json.RawMessage
	err := json.Unmarshal(text, &named)
	if err != nil {
		return p, errIlegible
	}
	switch {
	case named[tipoEncabezado] != nil && len(named) == 1:
		p.encabezado = exact[encabezado](named[tipoEncabezado])
	case named[tipoPie] != nil && len(named) == 1:
		p.pie = exact[pie](named[tipoPie])
	default:
		p.linea = readLinea(named, text)
	}
	return p.checked()
}

func (p parte) checked() (parte, error) {
	if p.encabezado == nil && p.pie == nil && p.linea == nil {
		return p, errIlegible
	}
	return p, nil
}

// exact reads what was written so and not otherwise; nil if it was not.
func exact[T any](text []byte) *T {
	value := new(T)
	err := json.Unmarshal(text, value)
	if err != nil {
		return nil
	}
	again, err := plainJSON(value)
	if err != nil || !bytes.Equal(again, text) {
		return nil
	}
	return value
}

// readLinea reads a line that is written as appendLinea does; nil if it is not.
func readLinea(named map[string]json.RawMessage, text []byte) *linea {
	l := &linea{Textos: make([]string, len(bitacora.Campos))}
	for i, campo := range bitacora.Campos {
		l.Textos[i] = textoOf(campo, named[campo])
	}
	numero, err := strconv.ParseInt(string(named["numero"]), 10, 64)
	hash, ok := bitacora.ParseHash(textoOf("hash", named["hash"]))
	l.Numero, l.Hash = numero, hash
	if err != nil || !ok || !bytes.Equal(appendLinea(nil, *l), text) {
		return nil
	}
	return l
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

type tablaLector struct {
	in   *csv.Reader
	fila int
}

func (r *tablaLector) next() (parte, error) {
	row, err := r.in.Read()
	if errors.Is(err, io.EOF) {
		return parte{}, err
	}
	if len(row) > 0 {
		r.fila, _ = r.in.FieldPos(0)
	}
	p := parte{fila: r.fila}
	if _, broken := errors.AsType[*csv.ParseError](err); broken {
		return p, errIlegible
	}
	if err != nil {
		return p, fmt.Errorf("read evidence: %w", err)
	}
	if r.fila == 1 && slices.Equal(row, columnas) {
		return r.next()
	}
	if len(row) != len(columnas) {
		return p, errIlegible
	}
	return p.ofRow(row)
}

func (p parte) ofRow(row []string) (parte, error) {
	datos := []byte(row[slices.Index(columnas, "datos")])
	switch tipo := row[slices.Index(columnas, "tipo")]; tipo {
	case tipoEncabezado:
		p.encabezado = exact[encabezado](datos)
		return p.checked()
	case tipoPie:
		p.pie = exact[pie](datos)
		return p.checked()
	}
	l := &linea{Textos: make([]string, len(bitacora.Campos))}
	for i := range l.Textos {
		l.Textos[i] = uncell(row[i+1])
		if cell(l.Textos[i]) != row[i+1] {
			return p, errIlegible
		}
	}
	numero, err := strconv.ParseInt(row[0], 10, 64)
	hash, ok := bitacora.ParseHash(row[len(row)-1])
	if err != nil || !ok {
		return p, errIlegible
	}
	l.Numero, l.Hash = numero, hash
	p.linea = l
	return p, nil
}
