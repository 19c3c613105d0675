package entregas

import (
	"context"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// TipoEnvio is what an Envío tells. The constraint envios_tipo_check lists the same.
type TipoEnvio string

// The kinds of Envío.
const (
	EnvioCoincidencia TipoEnvio = "coincidencia"
	EnvioFinalizacion TipoEnvio = "finalizacion"
)

// EstadoEnvio is where an Envío stands:
//
//	pendiente ──► aceptado | rechazado | cancelado
//	cancelado ──► aceptado | rechazado   (it was under way when the Reporte ended)
//
// The constraint envios_estado_check lists the same states.
type EstadoEnvio string

// The states of an Envío.
const (
	EnvioPendiente EstadoEnvio = "pendiente"
	EnvioAceptado  EstadoEnvio = "aceptado"
	EnvioRechazado EstadoEnvio = "rechazado"
	EnvioCancelado EstadoEnvio = "cancelado"
)

// Envio is one thing to tell the platform, once: it is known by its kind and key, however
// often it is asked for. Each try to tell it is an Intento.
type Envio struct {
	EmpresaID tenant.EmpresaID
	Tipo      TipoEnvio
	Clave     string // the Coincidencia's id, or the end of a ciclo: "<reporte>/<ciclo>"
	ReporteID string
	Ciclo     int
	Fase      manual.Fase // empty for a finalización
}

// Intento is one attempt at an Envío.
type Intento struct {
	EnvioID uuid.UUID
	Numero  int       // from 1
	Fila    uuid.UUID // of the Reporte
}

// AnswerMargin is how long after an activation nothing is told of its Reporte: the platform
// must have the 200 of the activation before it hears of a match (pui.md 1.6), and we do not
// see when the answer has reached it.
const AnswerMargin = 2 * time.Second

// Bloqueo is why an attempt did not begin.
type Bloqueo int

// The reasons, in the order in which they are looked for.
const (
	SinBloqueo      Bloqueo = iota
	YaDecidido              // accepted or refused before
	ReporteInactivo         // the Reporte is not active in that ciclo; nothing may leave
	EmpresaDetenida         // the institution is suspended
	SinConfigurar           // no address or clave of the platform
	EntregaPausada          // an operator keeps the institution's deliveries back
	EnCurso                 // another attempt at the same Envío is under way
	AunNo                   // its pause is not over, or the activation is being answered
	PermisoFaltante         // only asked, see Inicio
)

// Inicio is the answer to the wish to begin an attempt. With SinBloqueo the attempt is
// written down and must be ended.
type Inicio struct {
	Bloqueo     Bloqueo
	Intento     Intento
	Institucion cuentas.Institucion // without its Clave
	Clave       cuentas.Sellado
	Estado      EstadoEnvio   // with YaDecidido
	Detalle     string        // with YaDecidido: why it was refused
	Esperar     time.Duration // with AunNo: the rest of the pause
	Atascado    bool          // with AunNo: it is stuck, and maybe set aside
}

// Fin is how an attempt ended.
type Fin struct {
	Desenlace
	Pausa    time.Duration // before the next one
	Atascado bool          // the Envío is stuck, see [Atasco]
}

// Store keeps Envíos and their attempts.
type Store interface {
	// BeginIntento begins an attempt that lasts at most limit, unless something stands in
	// its way. It locks the Reporte's row for its transaction, so an attempt is either
	// seen by the deactivation or refused because of it. Without permission it only looks.
	BeginIntento(ctx context.Context, e Envio, limit time.Duration, permitted bool) (Inicio, error)
	// EndIntento writes down how an attempt ended, and what that makes of the Envío.
	EndIntento(ctx context.Context, e Envio, intento Intento, fin Fin) error
	// ReadHistoria counts what an Envío was answered before, see [Historia].
	ReadHistoria(ctx context.Context, empresa tenant.EmpresaID, envio uuid.UUID) (Historia, error)
	// IsActive tells whether the Reporte is still active.
	IsActive(ctx context.Context, empresa tenant.EmpresaID, fila uuid.UUID) (bool, error)
}

// Plataforma is the national platform. A context that is cancelled cuts the call; its
// deadline is the last moment at which anything may leave.
type Plataforma interface {
	NotifyCoincidencia(ctx context.Context, i cuentas.Institucion, c Coincidencia) Desenlace
	FinishBusqueda(ctx context.Context, i cuentas.Institucion, f Finalizacion) Desenlace
}

// Envio is what is to be told of a match.
func (c Coincidencia) Envio() Envio {
	return Envio{
		EmpresaID: c.EmpresaID,
		Tipo:      EnvioCoincidencia,
		Clave:     c.ID.String(),
		ReporteID: c.ReporteID,
		Ciclo:     c.Ciclo,
		Fase:      c.Fase,
	}
}

// Envio is what is to be told of the end of a search.
func (f Finalizacion) Envio() Envio {
	return Envio{
		EmpresaID: f.EmpresaID,
		Tipo:      EnvioFinalizacion,
		Clave:     f.ReporteID + "/" + strconv.Itoa(f.Ciclo),
		ReporteID: f.ReporteID,
		Ciclo:     f.Ciclo,
	}
}
