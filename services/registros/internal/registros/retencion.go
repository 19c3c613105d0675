package registros

import (
	"time"

	"github.com/enlace-iis/enlace/services/internal/manual"
)

// Retencion is how long personal data is kept; a zero field means for ever.
type Retencion struct {
	// Casos is counted from a Caso's end.
	Casos time.Duration
	// Registros is counted from the day of the event.
	Registros time.Duration
}

// RegistrosDesde is the first day whose events are kept.
func (r Retencion) RegistrosDesde(now time.Time) manual.Fecha {
	return manual.FechaOf(now.Add(-r.Registros))
}
