package bench

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// registro is a record as institutions have them: narrow with what is required alone, wide, of
// some 900 bytes, with every field.
type registro struct {
	Folio       string `json:"folio"`
	CURP        string `json:"curp"`
	TipoEvento  string `json:"tipo_evento"`
	FechaEvento string `json:"fecha_evento"`
	Datos
}

// Datos are the optional fields.
type Datos struct {
	DescripcionLugarEvento string     `json:"descripcion_lugar_evento,omitempty"`
	DireccionEvento        *direccion `json:"direccion_evento,omitempty"`
	Nombre                 string     `json:"nombre,omitempty"`
	PrimerApellido         string     `json:"primer_apellido,omitempty"`
	SegundoApellido        string     `json:"segundo_apellido,omitempty"`
	FechaNacimiento        string     `json:"fecha_nacimiento,omitempty"`
	LugarNacimiento        string     `json:"lugar_nacimiento,omitempty"`
	SexoAsignado           string     `json:"sexo_asignado,omitempty"`
	Telefono               string     `json:"telefono,omitempty"`
	Correo                 string     `json:"correo,omitempty"`
	Domicilio              *direccion `json:"domicilio,omitempty"`
}

type direccion struct {
	Direccion         string `json:"direccion"`
	Calle             string `json:"calle"`
	Numero            string `json:"numero"`
	Colonia           string `json:"colonia"`
	CodigoPostal      string `json:"codigo_postal"`
	MunicipioAlcaldia string `json:"municipio_o_alcaldia"`
	EntidadFederativa string `json:"entidad_federativa"`
}

// newRegistro is the n-th record of an institution. Two of three are of persons whom it did not
// know, the third of one who comes again.
func newRegistro(n int, wide bool) registro {
	who := n
	if n%3 == 2 {
		who = int(scatter(uint32(n)) % uint32(n))
	}
	return registroOf(newPersona(who), n, wide)
}

// registroOf is the n-th record, if it is of somebody else.
func registroOf(p persona, n int, wide bool) registro {
	r := registro{
		Folio: fmt.Sprintf("LAB-%010d", n), CURP: p.curp, TipoEvento: "Toma de muestra en sucursal",
		FechaEvento: time.Date(2025, 1, 1+n%300, 0, 0, 0, 0, time.UTC).Format(time.DateOnly),
	}
	if wide {
		r.Datos = p.datos(n)
	}
	return r
}

// newRegistros are the n records from a number on.
func newRegistros(from, n int, wide bool) []registro {
	all := make([]registro, n)
	for k := range all {
		all[k] = newRegistro(from+k, wide)
	}
	return all
}

// changed is what of the records comes again: half of it with another content.
func changed(records []registro) []registro {
	again := make([]registro, len(records))
	copy(again, records)
	for k := 0; k < len(again); k += 2 {
		again[k].TipoEvento = "Entrega de resultados en sucursal"
	}
	return again
}

// datos is what the column of that name keeps of it.
func (r registro) datos(tb testing.TB) []byte {
	tb.Helper()
	return encode(tb, r.Datos)
}

// huella is as long as the one that registros keeps.
func (r registro) huella(tb testing.TB) []byte {
	tb.Helper()
	sum := sha256.Sum256(encode(tb, r))
	return sum[:]
}

// body is a batch on the wire.
func body(tb testing.TB, records []registro) []byte {
	tb.Helper()
	return encode(tb, map[string]any{"registros": records})
}

func encode(tb testing.TB, value any) []byte {
	tb.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// persona is who a CURP says. The names are nobody's.
type persona struct {
	curp, birth, sex, place string
}

var entidades = [...]struct{ code, name string }{
	{"DF", "CDMX"}, {"JC", "JALISCO"}, {"MC", "MÉXICO"}, {"NL", "NUEVO LEÓN"},
	{"PL", "PUEBLA"}, {"VZ", "VERACRUZ"}, {"SR", "SONORA"}, {"YN", "YUCATÁN"},
}

const (
	alfabeto    = "0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ"
	consonantes = "BCDFGHJKLMNPQRSTVWXYZ"
	vocales     = "AEIOU"
	// births are the days on which they were born, from 1940 on.
	births = 29_220
)

// newPersona is the n-th person, whose CURP is official in every digit: one of its own for
// each n below 2^32, and as far from the one before as two people's are.
func newPersona(n int) persona {
	x := scatter(uint32(n))
	letters := x
	day := time.Date(1940, 1, 1+int(x%births), 0, 0, 0, 0, time.UTC)
	x /= births
	p := persona{birth: day.Format(time.DateOnly), sex: string("HM"[x%2]), place: entidades[x/2%8].name}
	var curp strings.Builder
	for _, from := range []string{consonantes, vocales, consonantes, consonantes} {
		curp.WriteByte(from[letters%uint32(len(from))])
		letters /= uint32(len(from))
	}
	curp.WriteString(day.Format("060102") + p.sex + entidades[x/2%8].code)
	x /= 16
	for range 3 {
		curp.WriteByte(consonantes[x%21])
		x /= 21
	}
	if day.Year() < 2000 {
		curp.WriteByte('0')
	} else {
		curp.WriteByte('A')
	}
	p.curp = curp.String() + checkDigit(curp.String())
	return p
}

// checkDigit is the last digit of a CURP (pui.md 2.2).
func checkDigit(seventeen string) string {
	sum := 0
	for k, c := range seventeen {
		sum += len([]rune(alfabeto[:strings.IndexRune(alfabeto, c)])) * (18 - k)
	}
	return fmt.Sprint((10 - sum%10) % 10)
}

// scatter is one to one: no two numbers have the same.
func scatter(n uint32) uint32 {
	n = (n ^ n>>16) * 0x85ebca6b
	n = (n ^ n>>13) * 0xc2b2ae35
	return n ^ n>>16
}

func (p persona) datos(n int) Datos {
	entidad := "Ciudad de México"
	lives := &direccion{
		Direccion: fmt.Sprintf("Calle Uno número %d, colonia Centro", n%2000), Calle: "Calle Uno", Numero: fmt.Sprint(n % 2000),
		Colonia: "Centro", CodigoPostal: fmt.Sprintf("%05d", 6000+n%9000), MunicipioAlcaldia: "Cuauhtémoc", EntidadFederativa: entidad,
	}
	return Datos{
		DescripcionLugarEvento: fmt.Sprintf("Sucursal %d, planta baja", n%40), Domicilio: lives,
		DireccionEvento: &direccion{
			Direccion: "Avenida Dos número 123, colonia Centro", Calle: "Avenida Dos", Numero: "123",
			Colonia: "Centro", CodigoPostal: "06000", MunicipioAlcaldia: "Cuauhtémoc", EntidadFederativa: entidad,
		},
		Nombre: "NOMBRE", PrimerApellido: "PRIMERO", SegundoApellido: "SEGUNDO",
		FechaNacimiento: p.birth, LugarNacimiento: p.place, SexoAsignado: p.sex,
		Telefono: fmt.Sprintf("55%08d", scatter(uint32(n))%100_000_000), Correo: fmt.Sprintf("correo%d@example.com", n),
	}
}

// TestPersonas holds what the measures rest on: everybody has a CURP of their own, and a right
// one.
func TestPersonas(t *testing.T) {
	t.Parallel()
	if got := checkDigit("PEXA900115HDFRXN0"); got != "6" {
		t.Errorf("check digit %s, want 6", got)
	}
	known := map[string]bool{}
	for n := range 200_000 {
		curp := newPersona(n).curp
		if known[curp] || len(curp) != 18 {
			t.Fatalf("person %d has the CURP %s, which is another's or none", n, curp)
		}
		known[curp] = true
	}
}
