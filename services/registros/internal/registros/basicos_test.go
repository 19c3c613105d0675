package registros

import (
	"encoding/json"
	"math/rand/v2"
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
