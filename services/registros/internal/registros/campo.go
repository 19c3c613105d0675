package registros

import (
	"fmt"
	"strings"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/salud"
)

// campo is a field of the record or of an address, with the words and bounds
// of its rule (contract.md 4.1).
type campo struct {
	// nombre is the field's name on the wire.
	nombre      string
	obligatorio bool
	// maximo is the greatest number of characters, where the rule has one.
	maximo int
	// namesHealth tells whether a text says something of a person's health; nil where nobody
	// looks.
	namesHealth func(string) bool
	// withoutHealth gives a text without what it says of that; nil where the text is replaced by
	// a neutral one.
	withoutHealth func(string) string
	// tipo says what was expected where something else came.
	tipo string
	// sinNumero: "S/N" is said of a house without a number, and does not mean that nothing
	// was given.
	sinNumero bool
	// forma says what a right value looks like, where the rule is a pattern
	// or a list.
	forma string
}

var (
	campoFolio = campo{nombre: "folio", obligatorio: true, maximo: manual.MaxFolio}
	campoCURP  = campo{
		nombre: "curp", obligatorio: true,
		forma: errores.FormaCURP,
	}
	campoTipoEvento = campo{
		nombre: "tipo_evento", obligatorio: true, maximo: manual.MaxTipoEvento, namesHealth: salud.InActo,
	}
	campoFechaEvento            = campo{nombre: "fecha_evento", obligatorio: true}
	campoDescripcionLugarEvento = campo{
		nombre: "descripcion_lugar_evento", maximo: manual.MaxDescripcionLugarEvento, namesHealth: salud.InLugar,
		withoutHealth: salud.WithoutLugar,
	}
	campoNombre          = campo{nombre: "nombre", maximo: manual.MaxNombre}
	campoPrimerApellido  = campo{nombre: "primer_apellido", maximo: manual.MaxNombre}
	campoSegundoApellido = campo{nombre: "segundo_apellido", maximo: manual.MaxNombre}
	campoFechaNacimiento = campo{nombre: "fecha_nacimiento"}
	campoLugarNacimiento = campo{
		nombre: "lugar_nacimiento",
		forma: "El lugar de nacimiento debe ser un valor de la lista de la plataforma: una entidad federativa " +
			"(CDMX para la Ciudad de México, MÉXICO para el estado), FORÁNEO o DESCONOCIDO.",
	}
	campoSexoAsignado = campo{
		nombre: "sexo_asignado",
		forma:  "El sexo asignado debe ser H o HOMBRE, M o MUJER, o X (otro).",
	}
	campoTelefono = campo{
		nombre: "telefono",
		forma: fmt.Sprintf("El teléfono debe tener de %d a %d dígitos; puede llevar espacios, puntos, +, -, paréntesis y una extensión.",
			manual.MinTelefono, manual.MaxTelefono),
	}
	campoCorreo = campo{
		nombre: "correo",
		forma: fmt.Sprintf("El correo debe ser una dirección como usuario@ejemplo.mx, de hasta %d caracteres y sin acentos ni ñ.",
			manual.MaxCorreo),
	}
)

var (
	campoDireccion    = parteDeDireccion("direccion", manual.MaxDireccion)
	campoCalle        = parteDeDireccion("calle", manual.MaxCalle)
	campoNumero       = parteDeDireccion("numero", manual.MaxNumero)
	campoColonia      = parteDeDireccion("colonia", manual.MaxColonia)
	campoCodigoPostal = campo{
		nombre: "codigo_postal",
		forma:  "El código postal debe tener 5 dígitos.",
	}
	campoMunicipioOAlcaldia = parteDeDireccion("municipio_o_alcaldia", manual.MaxMunicipioOAlcaldia)
	campoEntidadFederativa  = campo{
		nombre: "entidad_federativa", maximo: manual.MaxEntidadFederativa,
		forma: "La entidad federativa debe ser una de las 32, por su nombre o su abreviatura usual.",
	}
)

func parteDeDireccion(nombre string, maximo int) campo {
	return campo{
		nombre: nombre, maximo: maximo, sinNumero: nombre == "numero" || nombre == "direccion",
		namesHealth: salud.InDireccion, withoutHealth: salud.WithoutDireccion,
	}
}

// obligatorios are the fields that a record cannot be kept without.
var obligatorios = []string{campoFolio.nombre, campoCURP.nombre, campoTipoEvento.nombre, campoFechaEvento.nombre}

const (
	// maxAusente is longer than any of the words for nothing, their accents included.
	maxAusente = 20
	// inicialesAusente begin those words, so that most values need no closer look.
	inicialesAusente = "NnSs-.0"
)

// meansNothing tells whether a value is one of the usual words for nothing with which
// exports fill a column (contract.md 4.1).
func (f *campo) meansNothing(s string) bool {
	if len(s) > maxAusente || strings.IndexByte(inicialesAusente, s[0]) < 0 {
		return false
	}
	var buf [4 * maxAusente]byte
	switch string(manual.AppendFolded(buf[:0], s)) {
	case "n/a", "na", "s/d", "sin dato", "sin datos", "no tiene", "no aplica", "null", "-", ".", "0000-00-00", "0000-00-00 00:00:00":
		return true
	case sinNumero:
		return !f.sinNumero
	default:
		return false
	}
}

// sinNumero is what stands for the number of a house that has none.
const sinNumero = "s/n"

// saysNoPlace tells whether an address says no more than that.
func saysNoPlace(d manual.Direccion) bool {
	for _, part := range []*string{&d.Numero, &d.Direccion} {
		if strings.EqualFold(*part, sinNumero) {
			*part = ""
		}
	}
	return d.IsZero()
}
