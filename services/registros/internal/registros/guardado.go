package registros

// Cambio is what a write did to one Registro.
type Cambio string

// The outcomes of writing a Registro.
const (
	Creado      Cambio = "creado"
	Actualizado Cambio = "actualizado"
	SinCambios  Cambio = "sin_cambios"
)

// Guardado is what a write of Registros did.
type Guardado struct {
	Creados       int
	Actualizados  int
	SinCambios    int
	Coincidencias int // matches with open Casos that it found
}

// RegistroGuardado is what a write did to one Registro, by its folio.
type RegistroGuardado struct {
	ID     string
	Cambio Cambio
}
