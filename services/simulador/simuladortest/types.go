package simuladortest

import (
	"time"

	"github.com/enlace-iis/enlace/services/simulador/internal/plataforma"
	"github.com/enlace-iis/enlace/services/simulador/internal/webhook"
)

// The simulator's own types, so that what a test writes is what the server reads.
type (
	// Institucion is an institution as the platform's portal keeps it.
	Institucion = plataforma.Institucion
	// Falla is an order to misbehave.
	Falla = plataforma.Falla
	// Criterio is how the platform reads what the manual leaves open.
	Criterio = plataforma.Criterio
	// Recibido is one request that reached the platform.
	Recibido = plataforma.Recibido
	// Llamada is how an institution answered the platform.
	Llamada = webhook.Llamada
	// Ruta is one of the platform's endpoints.
	Ruta = plataforma.Ruta
)

// The platform's endpoints.
const (
	RutaLogin                 = plataforma.RutaLogin
	RutaNotificarCoincidencia = plataforma.RutaNotificarCoincidencia
	RutaBusquedaFinalizada    = plataforma.RutaBusquedaFinalizada
	RutaReportes              = plataforma.RutaReportes
)

// The kinds of fault.
const (
	FallaStatus      = plataforma.FallaStatus
	FallaLentitud    = plataforma.FallaLentitud
	FallaCorte       = plataforma.FallaCorte
	FallaJSONRoto    = plataforma.FallaJSONRoto
	FallaTokenCaduco = plataforma.FallaTokenCaduco
)

// Filtro chooses what Received lists; a zero field chooses all.
type Filtro struct {
	InstitucionID string
	Ruta          Ruta
	Desde         int64         // only entries with a greater N
	Espera        time.Duration // how long to wait for a match
}
