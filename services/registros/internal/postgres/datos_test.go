package postgres

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// laboratorio is the institution of the tests that look at statements.
const laboratorio = "LAB010101AB1"

// What is written of a Registro is what encoding/json reads, by the names in the structs.
func TestAppendDatos_isReadAsItWas(t *testing.T) {
	address := manual.Direccion{
		Direccion: "Avenida \"Uno\" 1", Calle: "Uno", Numero: "1-B", Colonia: "Centro\\Sur",
		CodigoPostal: "06000", MunicipioOAlcaldia: "Cuauhtémoc", EntidadFederativa: "CDMX",
	}
	day, _ := manual.ParseFecha("1990-01-15")
	persona := manual.Persona{
		Nombre: "NOMBRE", PrimerApellido: "PEÑA", SegundoApellido: "SEGUNDO", FechaNacimiento: day, LugarNacimiento: "CDMX",
		SexoAsignado: "H", Telefono: "5555555555", Correo: "a@example.com", Domicilio: address,
	}
	for name, r := range map[string]registros.Registro{
		"nothing": {}, "some of it": {Persona: manual.Persona{Telefono: "5555555555"}},
		"everything": {DescripcionLugarEvento: "Sucursal\u2028<centro>", DireccionEvento: address, Persona: persona},
	} {
		written := appendDatos(nil, &r)
		want, err := json.Marshal(datos{r.DescripcionLugarEvento, r.DireccionEvento, r.Persona})
		if err != nil {
			t.Fatal(err)
		}
		var got, standard any
		if json.Unmarshal(written, &got) != nil || json.Unmarshal(want, &standard) != nil || !reflect.DeepEqual(got, standard) {
			t.Errorf("%s: %s, want %s", name, written, want)
		}
		var stored datos
		var read registros.Registro
		err = json.Unmarshal(written, &stored)
		if stored.fill(&read); err != nil || read != r {
			t.Errorf("%s: %+v, want %+v: %v", name, read, r, err)
		}
	}
}
