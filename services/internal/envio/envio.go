// Package envio has the words in which the two services speak of telling the platform something.
package envio

import (
	"time"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
)

// Resultado is what an attempt to tell the platform something came to, as interno.proto says.
type Resultado = integracionv1.ResultadoEnvio

// The outcomes, under shorter names.
const (
	Aceptado  = integracionv1.ResultadoEnvio_RESULTADO_ENVIO_ACEPTADO
	Rechazado = integracionv1.ResultadoEnvio_RESULTADO_ENVIO_RECHAZADO
	MasTarde  = integracionv1.ResultadoEnvio_RESULTADO_ENVIO_MAS_TARDE
	Cancelado = integracionv1.ResultadoEnvio_RESULTADO_ENVIO_CANCELADO
	Apartado  = integracionv1.ResultadoEnvio_RESULTADO_ENVIO_APARTADO
)

// The states of what was found, and of the end of a search, as clients read them.
const (
	Pendiente  = "pendiente"
	Notificada = "notificada" // the platform took it
	Rechazada  = "rechazada"  // the platform refused it
	Cancelada  = "cancelada"
)

// Respuesta is what integracion answers to registros, which wants something told.
type Respuesta struct {
	Resultado Resultado
	Detalle   string        // why, if not accepted
	Esperar   time.Duration // with MasTarde and Apartado
	Seguir    bool          // with MasTarde: what follows may be tried in the same turn
}
