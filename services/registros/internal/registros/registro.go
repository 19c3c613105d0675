package registros

import "github.com/enlace-iis/enlace/services/internal/manual"

// Folio is an institution's own identifier of a Registro, unique within the
// institution and case sensitive.
type Folio string

// Entrada is a record as it was received: every field the client's text, ""
// for one that was absent or null.
type Entrada struct {
	Folio                  string
	CURP                   string
	TipoEvento             string
	FechaEvento            string
	DescripcionLugarEvento string
	DireccionEvento        manual.Direccion
	Nombre                 string
	PrimerApellido         string
	SegundoApellido        string
	FechaNacimiento        string
	LugarNacimiento        string
	SexoAsignado           string
	Telefono               string
	Correo                 string
	Domicilio              manual.Direccion
	// Ilegibles are the fields that could not be read as what they should be.
	Ilegibles []Ilegible
}

// Ilegible is a field, or the record as a whole, that does not have the documented form.
// Its value is not kept.
type Ilegible struct {
	// Campo is the path inside the record as a JSON Pointer without its first slash, and ""
	// for the record as a whole.
	Campo string
	// Codigo is CodigoCampoDesconocido, CodigoCampoRepetido, CodigoTipoIncorrecto or CodigoUTF8.
	Codigo Codigo
	// Omitidos is how often the same was met again in records of the batch in which it is no
	// longer noted; those have another one.
	Omitidos int
}

// Registro is a record that was admitted: its texts normalised, its dates
// read. It holds what the institution gave and nothing derived from it; the
// zero value of a field means "not given". Registros are comparable with ==,
// and equal Registros have equal Huellas.
type Registro struct {
	Folio                  Folio
	TipoEvento             string
	FechaEvento            manual.Fecha
	DescripcionLugarEvento string
	DireccionEvento        manual.Direccion
	manual.Persona
}

// Notificable is the Registro as the platform is told it. What is equal in it is the same to
// the platform, whatever else changed: phase 3 tells it once. It has no folio, which is not
// told. Both sides of a comparison are made of it then and there and it is not stored, so a
// field may be added without anything being told again.
func (r *Registro) Notificable() Registro {
	return Registro{
		TipoEvento:             manual.TransliterateTexto(r.TipoEvento, manual.MaxTipoEvento),
		FechaEvento:            r.FechaEvento,
		DescripcionLugarEvento: manual.TransliterateTexto(r.DescripcionLugarEvento, manual.MaxDescripcionLugarEvento),
		DireccionEvento:        r.DireccionEvento.Notificable(),
		Persona:                r.Persona.Notificable(),
	}
}
