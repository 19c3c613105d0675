package clients

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

const (
	// persons is how many CURPs they are about, and sought for how many of these the platform
	// asks. All that is known of them is told one by one, so they are few.
	persons = 50
	sought  = 5
	// secret stands in a column that no institution may send.
	secret = "COLUMNA-RESERVADA"
)

// header is how a laboratory calls its columns.
var header = []string{
	"Folio", " CURP", "Tipo_Evento", "Fecha de toma", "descripcion_lugar_evento", "nombre", "primer_apellido", "segundo_apellido",
	"fecha_nacimiento", "lugar_nacimiento", "sexo_asignado", "telefono", "correo", "domicilio/calle", "domicilio/numero",
	"domicilio/codigo_postal", "domicilio/entidad_federativa", "direccion_evento/direccion", "resultado",
}

// An export is a file as the systems and spreadsheets of laboratories write it.
type export struct {
	*rand.Rand
	rows [][]string
	// wrong has the field that costs a row its place, by the row's number in a spreadsheet.
	wrong map[int]string
	// good counts the other rows by CURP.
	good map[string]int
}

// newExport makes one in which, now and then, a row is wrong in what is required.
func newExport(rows int) *export {
	x := &export{Rand: rand.New(rand.NewPCG(5, 12)), wrong: map[int]string{}, good: map[string]int{}}
	for n := range rows {
		row := x.row(n)
		curp := personOf(n)
		x.rows = append(x.rows, row)
		if x.IntN(50) > 0 {
			x.good[curp]++
			continue
		}
		x.wrong[n+2] = x.spoil(row)
	}
	return x
}

func personOf(n int) string { return fmt.Sprintf("PRUE%02d0615HDFRXN%02d", n%persons, n%persons) }

func (x *export) pick(values ...string) string { return values[x.IntN(len(values))] }

// written gives a text in one of the cases that people use, with stray spaces.
func (x *export) written(text string) string {
	return x.pick(strings.ToUpper(text), strings.ToLower(text), " "+text+"  ", text)
}

// or gives the value or, now and then, what stands in a column without one.
func (x *export) or(value string) string {
	if x.IntN(5) > 0 {
		return value
	}
	return x.pick("", " ", "N/A", "n/a", "NA", "S/D", "SIN DATO", "NO TIENE", "no aplica", "NULL", "-", ".", "0000-00-00", "S/N")
}

func (x *export) row(n int) []string {
	day := fmt.Sprintf("%02d", 1+n/persons%28)
	return []string{
		x.pick("LAB-", "", "2024/") + strconv.Itoa(n),
		x.written(personOf(n)),
		x.written(x.pick("Toma de muestra", "Entrega de resultados", "Registro de paciente", "Recepción de muestra N° 3", "Facturación & pago")),
		x.pick("2024-05-"+day, day+"/05/2024", "2024-05-"+day+"T13:45:00", "2024-05-"+day+" 13:45"),
		x.or(x.written(x.pick("Sucursal Centro", "Suc. \"Norte\"; 2° piso", "Laboratorio Molecular", "Clínica de VIH"))),
		x.or(x.written(x.pick("José Ángel", "Zoë", "Nguyễn Thị", "O’Brien", "王小明", "JUAN 2", "María 🌷"))),
		x.or(x.written(x.pick("Muñoz", "D'Angelo", "Müller-Lüdenscheidt", "Çelik", "Иванов"))),
		x.or(x.written(x.pick("Peña", "de la O", "Łukasiewicz", strings.Repeat("larguísimo ", 6)))),
		x.or(x.pick("1990-01-15", "15/1/1990", "1990-01-15 00:00:00", "32888", "1990-02-30")),
		x.or(x.written(x.pick("CDMX", "Distrito Federal", "Estado de México", "Extranjero", "Marte", "Michoacan de Ocampo"))),
		x.or(x.written(x.pick("H", "M", "F", "Masculino", "Femenino", "1", "Indistinto"))),
		x.or(x.pick("5512345678", "55.1234.5678", "(55) 1234-5678 ext. 12", "5512345678/5587654321", "1")),
		x.or(x.pick("usuario@ejemplo.mx", "USUARIO@EJEMPLO.MX", "usuario@ejemplo", "niño@ejemplo.mx", "a..b@ejemplo.mx")),
		x.or(x.written(x.pick("Calle 5 de Mayo", "Prol. Paseo de la Reforma #1015; Torre \"A\"", "C/ Niños Héroes\nentre 4 y 6"))),
		x.or(x.pick("12", "S/N", "5½", "Mz. 4 Lt. 2")),
		x.or(x.pick("06000", "6000", "1000", "600", "C.P. 06000")),
		x.or(x.written(x.pick("Ciudad de México", "YUCATÁN", "Edo. de Méx."))),
		x.or("Av. Juárez N° 5 & 7, 2° piso"),
		secret,
	}
}

// spoil makes a required field wrong, and names it.
func (x *export) spoil(row []string) string {
	field := x.pick("folio", "curp", "tipo_evento", "fecha_evento")
	switch field {
	case "folio":
		row[0] = " "
	case "curp":
		row[1] = x.pick("", "PEXA900115", "N/A")
	case "tipo_evento":
		row[2] = x.pick("", "   ")
	default:
		row[3] = x.pick("", "31/02/2024", "2024-13-01", harness.Day(400))
	}
	return field
}

// A dialect is how a program writes CSV.
type dialect struct {
	comma  rune
	before string // the mark that Excel puts before UTF-8
	ansi   bool   // Windows-1252, of which the letters from U+00A0 on are enough here
}

// file writes the export as a program would, with an empty line at its end.
func (x *export) file(t *testing.T, d dialect) []byte {
	t.Helper()
	var text bytes.Buffer
	w := csv.NewWriter(&text)
	w.Comma, w.UseCRLF = d.comma, true
	err := w.WriteAll(append([][]string{header}, x.rows...))
	if err != nil {
		t.Fatal(err)
	}
	text.WriteString("\r\n")
	if !d.ansi {
		return append([]byte(d.before), text.Bytes()...)
	}
	var ansi []byte
	for _, r := range text.String() {
		if r > 0xff {
			r = '?'
		}
		ansi = append(ansi, byte(r))
	}
	return ansi
}
