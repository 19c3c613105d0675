package registros

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/services/internal/manual"
)

// exportacion makes rows as the systems and spreadsheets of laboratories write them.
type exportacion struct{ *rand.Rand }

func (x exportacion) pick(values ...string) string { return values[x.IntN(len(values))] }

// written gives a text in one of the cases that people use, with stray spaces.
func (x exportacion) written(s string) string {
	switch x.IntN(4) {
	case 0:
		return strings.ToUpper(s)
	case 1:
		return strings.ToLower(s)
	case 2:
		return " " + s + "  "
	default:
		return s
	}
}

// or gives the value or, now and then, what stands in a column without one.
func (x exportacion) or(value string) string {
	if x.IntN(5) == 0 {
		return x.pick("", " ", "N/A", "n/a", "NA", "S/D", "SIN DATO", "Sin datos", "NO TIENE", "no aplica", "NULL", "-", ".", "0000-00-00", "S/N")
	}
	return value
}

func (x exportacion) direccion() manual.Direccion {
	return manual.Direccion{
		Direccion:          x.or("Av. Juárez N° 5 & 7, 2° piso"),
		Calle:              x.or(x.written(x.pick("Calle 5 de Mayo", "Prol. Paseo de la Reforma #1015; Torre \"A\"", "C/ Niños Héroes"))),
		Numero:             x.or(x.pick("12", "S/N", "5½", "Mz. 4 Lt. 2", "km 3+200")),
		Colonia:            x.or(x.written(x.pick("Centro", "San Ángel", strings.Repeat("Ampliación ", 6), "Pabellón de VIH"))),
		CodigoPostal:       x.or(x.pick("06000", "6000", "1000", "600", "C.P. 06000", "00000")),
		MunicipioOAlcaldia: x.or(x.written(x.pick("Cuauhtémoc", "Álvaro Obregón", "Mérida"))),
		EntidadFederativa:  x.or(x.written(x.pick("Ciudad de México", "YUCATÁN", "Edo. de Méx.", "Entregado", "14"))),
	}
}

// row is a record whose required fields are right.
func (x exportacion) row(i int) Entrada {
	e := Entrada{
		Folio: x.pick("LAB-", "", "2026/") + strconv.Itoa(i),
		CURP:  x.written(x.pick("PEXA900115HDFRXN06", "LOXM851203MQTPXR00", "XEXX010101HNEXXXA4", "SA06EIMBDR5OVM72NY", "TEST010101HDFABC01")),
		TipoEvento: x.written(x.pick("Toma de muestra", "Entrega de resultados", "Registro de paciente", "Recepción de muestra N° 3",
			"Facturación & pago", "Biometría hemática", "Prueba VIH: resultado positivo", "Toma de muestra "+x.orden(), "Folio "+x.orden())),
		FechaEvento: x.pick("2026-01-05", "2026-01-05T13:45:00", "2026-01-05 13:45", "2026-01-05T13:45:00.000Z", "2026-01-05T23:45:00-06:00",
			" 2026-01-05 ", "2026-01-05 23:45:00-0600", "2026-01-05 23:45:00.123 -06", "1900-01-01", hoy.String()),
		DescripcionLugarEvento: x.or(x.written(x.pick("Sucursal Centro", "Suc. \"Norte\"; 2° piso", "Laboratorio Molecular", "Clínica de VIH", "Área\tde toma"))),
		DireccionEvento:        x.direccion(),
		Nombre:                 x.or(x.written(x.pick("José Ángel", "Zoë", "Nguyễn Thị", "O’Brien", "王小明", "JUAN 2", "María de los Ángeles 🌷"))),
		PrimerApellido:         x.or(x.written(x.pick("Muñoz", "D'Angelo", "Müller-Lüdenscheidt", "Çelik", "Иванов", "X"))),
		SegundoApellido:        x.or(x.written(x.pick("Peña", "de la O", "Łukasiewicz", strings.Repeat("larguísimo ", 6)))),
		FechaNacimiento:        x.or(x.pick("1990-01-15", "15/01/1990", "1990-01-15 00:00:00", "32888", "1990-02-30")),
		LugarNacimiento:        x.or(x.written(x.pick("CDMX", "Distrito Federal", "Estado de México", "Extranjero", "Marte", "Michoacan de Ocampo"))),
		SexoAsignado:           x.or(x.written(x.pick("H", "M", "F", "Masculino", "Femenino", "Hombre", "1", "Indistinto"))),
		Telefono:               x.or(x.pick("5512345678", "55.1234.5678", "(55) 1234-5678 ext. 12", "5512345678/5587654321", "044 55 1234 5678", "1")),
		Correo:                 x.or(x.pick("usuario@ejemplo.mx", "USUARIO@EJEMPLO.MX", "usuario@ejemplo", "niño@ejemplo.mx", "notiene@", "a..b@ejemplo.mx")),
		Domicilio:              x.direccion(),
	}
	if x.IntN(5) == 0 { // latin-1 in a field that may be left out: it came, and nothing of it is kept
		e.Nombre, e.Domicilio.Calle = "", ""
		e.Ilegibles = []Ilegible{{Campo: "nombre", Codigo: CodigoUTF8}, {Campo: "domicilio/calle", Codigo: CodigoUTF8}}
	}
	return e
}

// orden is the number of an order: hexadecimal, or a UUID.
func (x exportacion) orden() string {
	if x.IntN(2) == 0 {
		return fmt.Sprintf("%X", x.Uint64()>>24)
	}
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", x.Uint32(), x.IntN(1<<16), x.IntN(1<<12), x.IntN(1<<16), x.Uint64()>>16)
}

// spoil makes one of the required fields, or the form of the record, wrong.
func (x exportacion) spoil(e *Entrada) {
	switch x.IntN(5) {
	case 0:
		e.CURP = x.pick("", "PEXA900115", "N/A")
	case 1:
		e.FechaEvento = x.pick("", "05/01/2026", "2026-13-01", "2099-01-01")
	case 2:
		if x.IntN(2) == 0 {
			e.TipoEvento, e.Ilegibles = "", []Ilegible{{Campo: "tipo_evento", Codigo: CodigoUTF8}}
			break
		}
		e.TipoEvento = x.pick("", " ", strings.Repeat("Toma ", 101))
	case 3:
		e.Folio = " "
	default:
		e.Ilegibles = []Ilegible{{Campo: x.pick("diagnostico", "domicilio/pais"), Codigo: CodigoCampoDesconocido}}
	}
}

// Of 50,000 rows that look like real ones, none is rejected but for what is required; whatever
// is stored can be told, and sending it again changes nothing.
func TestValidateLote_exportsOfLaboratories(t *testing.T) {
	t.Parallel()
	for seed := range uint64(10) {
		checkExport(t, exportacion{rand.New(rand.NewPCG(1, 2+seed))})
	}
}

func checkExport(t *testing.T, x exportacion) {
	t.Helper()
	entradas := make([]Entrada, 5000)
	spoilt := map[int]bool{}
	for i := range entradas {
		entradas[i] = x.row(i)
		if x.IntN(50) == 0 {
			spoilt[i] = true
			x.spoil(&entradas[i])
		}
	}
	lote, again := validated(entradas...), validated(entradas...)
	if lote.Rechazados != len(spoilt) || len(lote.Validos) != len(entradas)-len(spoilt) {
		t.Errorf("%d rejected of %d that are wrong", lote.Rechazados, len(spoilt))
	}
	for n := range lote.Validos {
		valido := &lote.Validos[n]
		if spoilt[valido.Indice] {
			t.Errorf("the record %d is wrong and was let in", valido.Indice)
		}
		if n%10 == 0 { // it takes longer than all else together
			checkRegistro(t, &valido.Registro)
		}
		if valido.Registro.Huella() != again.Validos[n].Registro.Huella() {
			t.Errorf("the record %d is another one the second time", valido.Indice)
		}
	}
	if !slices.Equal(lote.Resumen, again.Resumen) || lote.Omitidas != again.Omitidas || !slices.Equal(lote.Observaciones, again.Observaciones) {
		t.Error("the second time something else is told")
	}
	total := lote.Omitidas + len(lote.Observaciones)
	t.Logf("%d let in, %d rejected, %d observations of %d kinds", len(lote.Validos), lote.Rechazados, total, len(lote.Resumen))
	if total < 2*len(entradas) {
		t.Error("the rows look better than real ones")
	}
}

// What is kept of sex and birthplace never contradicts a CURP of the official structure.
func TestValidateLote_exportsAreToldByTheirCURP(t *testing.T) {
	t.Parallel()
	x := exportacion{rand.New(rand.NewPCG(3, 4))}
	entradas := make([]Entrada, 500)
	for i := range entradas {
		entradas[i] = x.row(i)
	}
	official := 0
	for _, valido := range validated(entradas...).Validos {
		curp := manual.ReadCURP(valido.Registro.CURP)
		if !curp.Oficial {
			continue
		}
		official++
		r := valido.Registro
		if r.SexoAsignado != "" && r.SexoAsignado != curp.Sexo || r.LugarNacimiento != "" && r.LugarNacimiento != curp.Lugar {
			t.Errorf("stored against the CURP: %+v", r)
		}
	}
	if official == 0 {
		t.Error("no row had an official CURP")
	}
}
