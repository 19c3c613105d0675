package registros

import (
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/manual"
)

// CoincidenciaID identifies a Coincidencia, and makes its notification idempotent.
type CoincidenciaID = uuid.UUID

// EstadoCoincidencia is what became of a Coincidencia. The last three are final.
type EstadoCoincidencia string

// The states of a Coincidencia.
const (
	CoincidenciaPendiente  EstadoCoincidencia = envio.Pendiente
	CoincidenciaNotificada EstadoCoincidencia = envio.Notificada
	CoincidenciaRechazada  EstadoCoincidencia = envio.Rechazada
	CoincidenciaCancelada  EstadoCoincidencia = envio.Cancelada
)

// Coincidencia is a match between a Caso and a Registro, with the Registro's content as it
// was when it matched.
type Coincidencia struct {
	ID        CoincidenciaID
	CasoID    CasoID
	ReporteID string
	Ciclo     int
	Fase      manual.Fase
	// Registro is what is told; in phase 1 without an event.
	Registro     Registro
	Estado       EstadoCoincidencia
	DetectadaEn  time.Time
	NotificadaEn time.Time // zero unless notificada
	Detalle      string    // why it was rejected, or what it waits for
}
