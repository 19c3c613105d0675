package registros

import (
	"time"

	"github.com/enlace-iis/enlace/services/internal/manual"
)

// DiasDeCifras is how many days back, today among them, operators see figures.
const DiasDeCifras = 30

// Cifras is what a day of Mexico City came to in an institution.
type Cifras struct {
	Dia manual.Fecha
	// Recibidos to Rechazados are sums over the batches that came that day.
	Recibidos    int
	Creados      int
	Actualizados int
	Rechazados   int
	// Coincidencias were found that day, Notificadas of them the platform took.
	Coincidencias int
	Notificadas   int
	Mediana       time.Duration // from found to taken; zero without Notificadas
}
