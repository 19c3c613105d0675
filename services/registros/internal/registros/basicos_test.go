package registros

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"

	"github.com/enlace-iis/enlace/services/internal/manual"
)

const curpPrueba = "PEXA900115HDFRXN06"

// gather adds Registros that arrived in this order.
func gather(regs ...Registro) *Basicos {
	b := &Basicos{}
	for i := range regs {
		b.Add(&regs[i], int64(i+1))
	}
	return b
}

// Phase 1 tells the newest value of each basic field, once, and never an event.
func TestRule02_basicData(t *testing.T) {
	t.Parallel()
	b := gather(
		Registro{Folio: "old", FechaEvento: optionalDay("2026-06-13"), Persona: manual.Persona{Nombre: "NOMBRE", Telefono: "4444444444", Domicilio: manual.Direccion{Calle: "UNO", Numero: "1"}}},
		Registro{Folio: "new", TipoEvento: "Toma de muestra", FechaEvento: optionalDay("2026-06-14"), Persona: manual.Persona{Telefono: "5555555555", Domicilio: manual.Direccion{Calle: "DOS"}}},
	)
	got, tells := b.Datos(manual.Persona{CURP: curpPrueba})
	want := Registro{Folio: "new", Persona: manual.Persona{CURP: curpPrueba, Nombre: "NOMBRE", Telefono: "5555555555", Domicilio: manual.Direccion{Calle: "DOS"}}}
	if got != want || !tells {
		t.Errorf("told %t: %+v, want %+v", tells, got, want)
	}
	known := manual.Persona{CURP: curpPrueba, Nombre: " nombre ", Telefono: "55 5555-5555", Domicilio: manual.Direccion{Calle: "dos"}}
	if _, tells := b.Datos(known); tells {
		t.Error("the platform knows all of it, written otherwise, and is told again")
	}
	if _, tells := gather().Datos(manual.Persona{CURP: curpPrueba}); tells {
		t.Error("nothing was found, and is told")
	}
	fromCURP := gather(Registro{Folio: "F", FechaEvento: optionalDay("2026-06-14"), Persona: manual.Persona{SexoAsignado: "H", LugarNacimiento: "CDMX"}})
	if _, tells := fromCURP.Datos(manual.Persona{CURP: curpPrueba}); tells {
		t.Error("what follows from the CURP is told")
	}
}

// The newest is so by the day of its event, then by arrival, whatever the order of reading
// and however often it was put aside meanwhile.
func TestBasicos_inAnyOrderAndPortions(t *testing.T) {
	t.Parallel()
	type arrived struct {
		registro Registro
		revision int64
	}
	day := optionalDay("2026-06-14")
	regs := []arrived{
		{Registro{Folio: "A", FechaEvento: day, Persona: manual.Persona{Nombre: "PRIMERO", Correo: "a@example.com", SexoAsignado: "M"}}, 1},
		{Registro{Folio: "B", FechaEvento: day, Persona: manual.Persona{Nombre: "SEGUNDO", FechaNacimiento: optionalDay("1990-01-15")}}, 2},
		{Registro{Folio: "C", FechaEvento: optionalDay("2026-06-13"), Persona: manual.Persona{Nombre: "TARDE", PrimerApellido: "PRIMER", SegundoApellido: "OTRO"}}, 3},
		{Registro{Folio: "D", FechaEvento: optionalDay("2026-06-12"), Persona: manual.Persona{SegundoApellido: "VIEJO", LugarNacimiento: "JALISCO", Telefono: "5555555555"}}, 4},
	}
	want := Registro{
		Folio: "B",
		Persona: manual.Persona{
			CURP:            curpPrueba,
			Nombre:          "SEGUNDO",
			PrimerApellido:  "PRIMER",
			SegundoApellido: "OTRO",
			FechaNacimiento: optionalDay("1990-01-15"),
			LugarNacimiento: "JALISCO",
			SexoAsignado:    "M",
			Telefono:        "5555555555",
			Correo:          "a@example.com",
		},
	}
	for range 50 {
		rand.Shuffle(len(regs), func(i, j int) { regs[i], regs[j] = regs[j], regs[i] })
		var b Basicos
		for _, r := range regs {
			b.Add(&r.registro, r.revision)
			text, err := json.Marshal(b)
			if err != nil {
				t.Fatal(err)
			}
			b = Basicos{}
			err = json.Unmarshal(text, &b)
			if err != nil {
				t.Fatal(err)
			}
		}
		if got, _ := b.Datos(manual.Persona{CURP: curpPrueba}); got != want {
			t.Fatalf("read as %v: %+v, want %+v", regs, got, want)
		}
	}
}

// What adds to the basic data is a value that neither the report nor any Coincidencia gave.
func TestConocido_Learn(t *testing.T) {
	t.Parallel()
	reporte := manual.Persona{CURP: curpPrueba, Nombre: "NOMBRE", Telefono: "55 5555-5555", Domicilio: manual.Direccion{Calle: "UNO", Numero: "5", Colonia: "CENTRO"}}
	told := []manual.Persona{
		{CURP: curpPrueba, Telefono: "4444444444"},
		{CURP: curpPrueba, Correo: "a@example.com", Domicilio: manual.Direccion{Calle: "DOS", Numero: "7"}},
	}
	tests := []struct {
		name string
		p    manual.Persona
		adds bool
	}{
		{"nothing is given", manual.Persona{}, false},
		{"the report's, written otherwise", manual.Persona{Nombre: " nombre ", Telefono: "5555555555"}, false},
		{"from the report and from what was told", manual.Persona{Nombre: "NOMBRE", Telefono: "4444444444", Correo: "A@example.com"}, false},
		{"from the CURP", manual.Persona{SexoAsignado: "H", LugarNacimiento: "CDMX"}, false},
		{"a part of an address", manual.Persona{Domicilio: manual.Direccion{Calle: "UNO", Numero: "5"}}, false},
		{"what the platform cannot be told", manual.Persona{Nombre: "李雷", Telefono: "no", Correo: "sin arroba"}, false},
		{"a first value", manual.Persona{PrimerApellido: "PRIMERO"}, true},
		{"another value", manual.Persona{Telefono: "3333333333"}, true},
		{"a date of birth", manual.Persona{FechaNacimiento: optionalDay("1990-01-15")}, true},
		{"parts of two addresses", manual.Persona{Domicilio: manual.Direccion{Calle: "UNO", Numero: "7"}}, true},
		{"a new value beside known ones", manual.Persona{Nombre: "NOMBRE", Telefono: "4444444444", Correo: "b@example.com"}, true},
	}
	for _, tt := range tests {
		c := NewConocido(reporte)
		for _, p := range told {
			if !c.Learn(p) {
				t.Fatalf("%+v adds nothing", p)
			}
		}
		tt.p.CURP = curpPrueba
		if got := c.Learn(tt.p); got != tt.adds {
			t.Errorf("%s: got %t, want %t", tt.name, got, tt.adds)
		}
		if c.Learn(tt.p) {
			t.Errorf("%s: it adds a second time", tt.name)
		}
	}
}

// However many addresses were told, a comparison stays bounded; beyond that one is told again.
func TestConocido_Learn_isBounded(t *testing.T) {
	t.Parallel()
	c := NewConocido(manual.Persona{CURP: curpPrueba})
	address := func(n int) manual.Persona {
		return manual.Persona{Domicilio: manual.Direccion{Calle: "CALLE " + strconv.Itoa(n)}}
	}
	for n := range 2 * MaxConocidas {
		if !c.Learn(address(n)) {
			t.Fatalf("address %d is known", n)
		}
	}
	if len(c.domicilios) != MaxConocidas || c.Learn(address(7)) {
		t.Errorf("got %d addresses kept, want the first %d", len(c.domicilios), MaxConocidas)
	}
}

// Each basic field adds by itself.
func TestConocido_Learn_everyField(t *testing.T) {
	t.Parallel()
	completa := newEntradaCompleta()
	r, _ := validateOne(0, &completa, hoy)
	whole := reflect.ValueOf(r.Persona)
	for i := range whole.NumField() {
		if name := whole.Type().Field(i).Name; name != "CURP" {
			var p manual.Persona
			reflect.ValueOf(&p).Elem().Field(i).Set(whole.Field(i))
			if !NewConocido(manual.Persona{}).Learn(p) {
				t.Errorf("%s adds nothing", name)
			}
		}
	}
}
