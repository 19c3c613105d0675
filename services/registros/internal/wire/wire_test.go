package wire_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
	"github.com/enlace-iis/enlace/services/registros/internal/wire"
)

// A record of which each field says its own name arrives whole, each in its place. What the
// gateway could not read is never kept, and so never written.
func TestRegistro(t *testing.T) {
	direccion := manual.Direccion{
		Direccion: "direccion", Calle: "calle", Numero: "numero", Colonia: "colonia", CodigoPostal: "codigo_postal",
		MunicipioOAlcaldia: "municipio_o_alcaldia", EntidadFederativa: "entidad_federativa",
	}
	wrote := wire.Registro(&registros.Registro{
		Folio: "folio", TipoEvento: "tipo_evento", FechaEvento: manual.MustParseFecha("2026-01-02"),
		DescripcionLugarEvento: "descripcion_lugar_evento", DireccionEvento: direccion,
		Persona: manual.Persona{
			CURP: "curp", Nombre: "nombre", PrimerApellido: "primer_apellido", SegundoApellido: "segundo_apellido",
			FechaNacimiento: manual.MustParseFecha("1990-03-04"), LugarNacimiento: "lugar_nacimiento",
			SexoAsignado: "sexo_asignado", Telefono: "telefono", Correo: "correo", Domicilio: direccion,
		},
	})
	if wrote.GetFechaEvento() != "2026-01-02" || wrote.GetFechaNacimiento() != "1990-03-04" {
		t.Errorf("dates %s and %s", wrote.GetFechaEvento(), wrote.GetFechaNacimiento())
	}
	wantNames(t, wrote.ProtoReflect())
}

func wantNames(t *testing.T, m protoreflect.Message) {
	t.Helper()
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		field, name := fields.Get(i), string(fields.Get(i).Name())
		switch value := m.Get(field); {
		case name == "ilegibles":
		case !m.Has(field):
			t.Errorf("%s is left out", field.FullName())
		case field.Message() != nil:
			wantNames(t, value.Message())
		case !strings.HasPrefix(name, "fecha_") && value.String() != name:
			t.Errorf("%s says %q", field.FullName(), value)
		}
	}
}
