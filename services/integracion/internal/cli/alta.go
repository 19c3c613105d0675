package cli

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/terminal"
)

// columnasEmpresa are the columns of a file of institutions that are no part of the site.
var columnasEmpresa = []string{"id_empresa", "nombre", "institucion_id", "pui_url", "tipo_evento_neutro", columnaSinCarga}

// columnaSinCarga says "sí" of an institution without an initial load.
const columnaSinCarga = "sin_carga"

// ofSitio begins the columns, and flags, of an institution's own site.
const ofSitio = "sitio"

// columnasAlta are all columns that a file of institutions may have.
func columnasAlta() []string {
	all := slices.Clone(columnasEmpresa)
	for _, field := range camposSitio() {
		all = append(all, ofSitio+"_"+field)
	}
	return all
}

func camposSitio() []string {
	fields := (&integracionv1.NuevoSitio{}).ProtoReflect().Descriptor().Fields()
	names := make([]string, fields.Len())
	for i := range names {
		names[i] = fields.Get(i).TextName()
	}
	return names
}

func neutroFlag(flags *pflag.FlagSet) *string {
	return flags.String("tipo-evento-neutro", "", "`texto` que se notifica en lugar de un evento que nombra un dato de salud; de fábrica, «Atención administrativa»")
}

// sitioFlags declares a flag for each part of a site, and gives the site; nil: none was given.
func sitioFlags(flags *pflag.FlagSet) func() *integracionv1.NuevoSitio {
	given := map[string]*string{}
	for _, field := range camposSitio() {
		name := strings.ReplaceAll(field, "_", "-")
		given[field] = flags.String(ofSitio+"-"+name, "", "`texto` del lugar de los eventos que no dicen el suyo: "+strings.ReplaceAll(field, "_", " "))
	}
	return func() *integracionv1.NuevoSitio {
		sitio := &integracionv1.NuevoSitio{}
		for field, value := range given {
			set(sitio, field, *value)
		}
		if proto.Size(sitio) == 0 {
			return nil
		}
		return sitio
	}
}

// set gives a text field of a message its value, by the field's name.
func set(message proto.Message, field, value string) {
	reflected := message.ProtoReflect()
	reflected.Set(reflected.Descriptor().Fields().ByName(protoreflect.Name(field)), protoreflect.ValueOfString(value))
}

// readEmpresas reads a CSV file with a heading, and the line on which each institution stands.
func readEmpresas(path string) ([]*integracionv1.NuevaEmpresa, []int, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, terminal.Usage("No se puede leer %s: compruebe que existe y es suyo.", path)
	}
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	if !utf8.Valid(content) {
		return nil, nil, terminal.Usage("%s no es UTF-8: guárdelo como CSV UTF-8.", path)
	}
	reader := csv.NewReader(bytes.NewReader(content))
	heading, _, _ := bytes.Cut(content, []byte("\n"))
	if bytes.ContainsRune(heading, ';') { // as spreadsheets write it where the comma is for decimals
		reader.Comma = ';'
	}
	columns, err := reader.Read()
	if err != nil {
		return nil, nil, terminal.Usage("%s está vacío o no es CSV: la primera línea nombra las columnas %s.", path, strings.Join(columnasAlta(), ", "))
	}
	for i, column := range columns {
		columns[i] = strings.TrimSpace(column)
		if !slices.Contains(columnasAlta(), columns[i]) {
			return nil, nil, terminal.Usage("%s tiene una columna %q; use %s.", path, column, strings.Join(columnasAlta(), ", "))
		}
	}
	return readRows(path, reader, columns)
}

func readRows(path string, reader *csv.Reader, columns []string) ([]*integracionv1.NuevaEmpresa, []int, error) {
	var empresas []*integracionv1.NuevaEmpresa
	var lines []int
	for {
		row, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return empresas, lines, nil
		}
		line, _ := reader.FieldPos(0)
		if wrong, is := errors.AsType[*csv.ParseError](err); is {
			return nil, nil, terminal.Usage("La línea %d de %s no tiene las %d columnas de la primera, o le falta una comilla.", wrong.Line, path, len(columns))
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", path, err)
		}
		empresa, ok := empresaOf(columns, row)
		if !ok {
			return nil, nil, terminal.Usage("La línea %d de %s: en %s va \"sí\", \"no\" o nada.", line, path, columnaSinCarga)
		}
		empresas = append(empresas, empresa)
		lines = append(lines, line)
	}
}

// empresaOf reads a row; it reports whether sin_carga says yes or no.
func empresaOf(columns, row []string) (empresa *integracionv1.NuevaEmpresa, ok bool) {
	empresa = &integracionv1.NuevaEmpresa{}
	sitio := &integracionv1.NuevoSitio{}
	for i, column := range columns {
		value := strings.TrimSpace(row[i])
		field, ofSite := strings.CutPrefix(column, ofSitio+"_")
		switch {
		case ofSite:
			set(sitio, field, value)
		case column != columnaSinCarga:
			set(empresa, column, value)
		case strings.EqualFold(value, "sí"), strings.EqualFold(value, "si"):
			empresa.SinCarga = true
		case value != "" && !strings.EqualFold(value, "no"):
			return nil, false
		}
	}
	if proto.Size(sitio) > 0 {
		empresa.Sitio = sitio
	}
	return empresa, true
}

// atLines says of each refused place on which line of the file it is.
func atLines(err error, lines []int) error {
	refusal, found := errors.AsType[*errs.Error](err)
	if !found {
		return err
	}
	for i, field := range refusal.Fields {
		parts := strings.Split(field.Puntero, "/") // "", "empresas", "3", "nombre"
		if len(parts) < 3 {
			continue
		}
		index, err := strconv.Atoi(parts[2])
		if err == nil && index < len(lines) {
			refusal.Fields[i].Mensaje = fmt.Sprintf("Línea %d: %s", lines[index], field.Mensaje)
		}
	}
	return refusal
}
