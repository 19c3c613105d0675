package registros

import "github.com/enlace-iis/enlace/services/internal/manual"

// campo is a field of the record or of an address, with the words and bounds
// of its rule (contract.md 4.1).
type campo struct {
	// nombre is the field's name on the wire.
	nombre      string
	obligatorio bool
	// maximo is the greatest number of characters, where the rule has one.
	maximo int
	// tipo says what was expected where something else came.
	tipo string
	// forma says what a right value looks like, where the rule is a pattern
	// or a list.
	forma string
}

const (
	maxFolio = 64
	// The institutions' mail may be longer than what the platform takes
	// (manual.MaxCorreo): then it is stored and not notified.
	maxCorreo = 254
)

var (
	campoFolio = campo{nombre: "folio", obligatorio: true, maximo: maxFolio}
	campoCURP  = campo{
		nombre: "curp", obligatorio: true,
		forma: "La CURP debe tener 18 caracteres con la estructura oficial.",
	}
	campoTipoEvento             = campo{nombre: "tipo_evento", obligatorio: true, maximo: manual.MaxTipoEvento}
	campoFechaEvento            = campo{nombre: "fecha_evento", obligatorio: true}
	campoDescripcionLugarEvento = campo{nombre: "descripcion_lugar_evento", maximo: manual.MaxDescripcionLugarEvento}
	campoNombre                 = campo{nombre: "nombre", maximo: manual.MaxNombre}
	campoPrimerApellido         = campo{nombre: "primer_apellido", maximo: manual.MaxNombre}
	campoSegundoApellido        = campo{nombre: "segundo_apellido", maximo: manual.MaxNombre}
	campoFechaNacimiento        = campo{nombre: "fecha_nacimiento"}
	campoLugarNacimiento        = campo{
		nombre: "lugar_nacimiento",
		forma: "El lugar de nacimiento debe ser un valor de la lista de la plataforma: una entidad federativa " +
			"(CDMX para la Ciudad de México, MÉXICO para el estado), FORÁNEO o DESCONOCIDO.",
	}
	campoSexoAsignado = campo{
		nombre: "sexo_asignado",
		forma:  "El sexo asignado debe ser H (hombre), M (mujer) o X (otro).",
	}
	campoTelefono = campo{
		nombre: "telefono",
		forma:  "El teléfono debe tener de 8 a 15 dígitos; puede llevar espacios, +, - y paréntesis.",
	}
	campoCorreo = campo{
		nombre: "correo", maximo: maxCorreo,
		forma: "El correo debe ser una dirección como usuario@ejemplo.mx, con un punto en el dominio.",
	}
)

var (
	campoDireccion    = campo{nombre: "direccion", maximo: manual.MaxDireccion}
	campoCalle        = campo{nombre: "calle", maximo: manual.MaxCalle}
	campoNumero       = campo{nombre: "numero", maximo: manual.MaxNumero}
	campoColonia      = campo{nombre: "colonia", maximo: manual.MaxColonia}
	campoCodigoPostal = campo{
		nombre: "codigo_postal",
		forma:  "El código postal debe tener 5 dígitos.",
	}
	campoMunicipioOAlcaldia = campo{nombre: "municipio_o_alcaldia", maximo: manual.MaxMunicipioOAlcaldia}
	campoEntidadFederativa  = campo{nombre: "entidad_federativa", maximo: manual.MaxEntidadFederativa}
)
