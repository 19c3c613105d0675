package registros

import (
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/services/internal/manual"
)

// CoincidenciaID identifies a Coincidencia, and makes its notification idempotent.
type CoincidenciaID = uuid.UUID

// Fase is the phase of the search that found a Coincidencia (pui.md section 3).
type Fase int

// The three phases.
const (
	FaseBasicos   Fase = 1 // the newest value of each basic field; at most one
	FaseHistorica Fase = 2 // one for each event since the disappearance
	FaseContinua  Fase = 3 // one for each event that came afterwards
)

// EstadoCoincidencia is what became of a Coincidencia. The last three are final.
type EstadoCoincidencia string

// The states of a Coincidencia.
const (
	CoincidenciaPendiente  EstadoCoincidencia = "pendiente"
	CoincidenciaNotificada EstadoCoincidencia = "notificada"
	CoincidenciaRechazada  EstadoCoincidencia = "rechazada"
	CoincidenciaCancelada  EstadoCoincidencia = "cancelada"
)

// Coincidencia is a match between a Caso and a Registro, with the Registro's content as it
// was when it matched.
type Coincidencia struct {
	ID        CoincidenciaID
	CasoID    CasoID
	ReporteID string
	Ciclo     int
	Fase      Fase
	// Registro is what is told; in phase 1 without an event.
	Registro     Registro
	Estado       EstadoCoincidencia
	DetectadaEn  time.Time
	NotificadaEn time.Time // zero unless notificada
	Detalle      string    // why it was rejected, or what it waits for
}

// fillIn keeps the first given value.
func fillIn[T comparable](value *T, older T) {
	var notGiven T
	if *value == notGiven {
		*value = older
	}
}

// addsTo tells whether a basic field is new to the platform or differs from what it has.
// Place of birth and sex that follow from the CURP are known to whoever knows the CURP.
func addsTo(r Registro, p Persona) bool {
	curp := manual.ReadCURP(p.CURP)
	fillIn(&p.LugarNacimiento, curp.Lugar)
	fillIn(&p.SexoAsignado, curp.Sexo)
	return differs(r.Nombre, p.Nombre) ||
		differs(r.PrimerApellido, p.PrimerApellido) ||
		differs(r.SegundoApellido, p.SegundoApellido) ||
		r.FechaNacimiento != manual.Fecha{} && r.FechaNacimiento != p.FechaNacimiento ||
		differs(string(r.LugarNacimiento), string(p.LugarNacimiento)) ||
		differs(string(r.SexoAsignado), string(p.SexoAsignado)) ||
		differs(r.Telefono, digitsOf(p.Telefono)) ||
		differs(r.Correo, p.Correo) ||
		r.Domicilio.addsTo(p.Domicilio)
}

// addsTo tells whether a part of the address is new or different.
func (d Direccion) addsTo(known Direccion) bool {
	return differs(d.Direccion, known.Direccion) ||
		differs(d.Calle, known.Calle) ||
		differs(d.Numero, known.Numero) ||
		differs(d.Colonia, known.Colonia) ||
		differs(d.CodigoPostal, known.CodigoPostal) ||
		differs(d.MunicipioOAlcaldia, known.MunicipioOAlcaldia) ||
		differs(d.EntidadFederativa, known.EntidadFederativa)
}
