package errores

import "slices"

// What who reads the records of a batch and who judges them must say alike (contract.md 2 and 4).
const (
	// MaxObservaciones is how many observations an answer tells.
	MaxObservaciones = 5000
	// OtrosCampos stands for the fields that are only counted.
	OtrosCampos = "*"
	// MaxNombreAjeno is how many characters of a name that a client made up are repeated.
	MaxNombreAjeno = 64
)

// The rules that a field may break, as clients read them in its codigo, where more than one
// place holds them. Clients program against these texts: one may be added, never changed.
const (
	Requerido           = "requerido"
	Longitud            = "longitud"
	Formato             = "formato"
	ValorNoAdmitido     = "valor_no_admitido"
	CaracterNoPermitido = "caracter_no_permitido"
	FechaInvalida       = "fecha_invalida"
	Repetido            = "repetido"

	CampoDesconocido = "campo_desconocido"
	CampoRepetido    = "campo_repetido"
	TipoIncorrecto   = "tipo_incorrecto"
	UTF8             = "utf8"
)

// TakesInteger tells a field of a record in which an integer is taken as it is written:
// exports and spreadsheets make numbers of them.
func TakesInteger(campo string) bool {
	return slices.Contains([]string{"folio", "telefono", "codigo_postal", "numero"}, campo)
}
