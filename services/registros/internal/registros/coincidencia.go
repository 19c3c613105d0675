package registros

import (
	"time"

	"github.com/google/uuid"
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
