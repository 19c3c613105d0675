package bitacora

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// TipoAsiento is what an Asiento tells of. The constraint bitacora_tipo_check lists the
// same.
type TipoAsiento string

// The kinds of Asiento. Searches are kept by registros, which runs them.
const (
	AsientoSolicitud        TipoAsiento = "solicitud"        // the platform, or an operator, asked something of us
	AsientoEnvio            TipoAsiento = "envio"            // we told the platform something
	AsientoResincronizacion TipoAsiento = "resincronizacion" // we compared our Reportes with the platform's list
	AsientoCambio           TipoAsiento = "cambio"           // an operator changed something
)

// SinEmpresa stands in the Bitácora for what concerns no institution.
const SinEmpresa tenant.EmpresaID = "-"

// Asiento is one entry of the Bitácora (S-23 of pui.md 4.3): who did what, when, and how it
// ended. It holds ids, times, codes and a keyed hash, never a name, an address or a body,
// and is never changed.
type Asiento struct {
	ID         uuid.UUID
	EmpresaID  tenant.EmpresaID
	OcurridoEn time.Time
	Tipo       TipoAsiento
	Accion     string // the endpoint, or what was changed
	Actor      string
	RequestID  string
	ReporteID  string
	Recurso    string // what it was done to: a coincidencia, a key, an operator
	Status     int    // HTTP, answered or received; 0: none
	Motivo     string
	Duracion   time.Duration // 0: not measured
	HuellaCURP []byte
	Datos      map[string]any // counts and codes
}

// The endpoints of both sides (manual §7 and §8), as their addresses and the Bitácora name them.
const (
	AccionLogin             = "login"
	AccionActivar           = "activar-reporte"
	AccionActivarPrueba     = "activar-reporte-prueba"
	AccionDesactivar        = "desactivar-reporte"
	AccionNotificar         = "notificar-coincidencia"
	AccionFinalizar         = "busqueda-finalizada"
	AccionReportes          = "reportes"
	AccionActivarPorListado = "activar-por-listado"
	// AccionCompletarPorListado: the list gave an active Reporte what it lacked.
	AccionCompletarPorListado = "completar-por-listado"
)

// What operators were shown (contract.md, section 9).
const (
	AccionVerReportes      = "reportes_vistos"
	AccionVerReporte       = "reporte_visto"
	AccionVerCoincidencias = "coincidencias_vistas"
	AccionVerBitacora      = "bitacora_vista"
	AccionExportar         = "evidencia_exportada"
	AccionVerUsuarios      = "usuarios_vistos"
)

// AccionDepurar names in the Bitácora that the personal data of a Reporte was removed: the
// proof that it was (pui.md 3.3).
const AccionDepurar = "reporte_depurado"

// Periodo is a span of time, Desde included and Hasta not; a zero time is no bound.
type Periodo struct {
	Desde, Hasta time.Time
}

// FiltroAsientos chooses Asientos; a zero field chooses all.
type FiltroAsientos struct {
	Periodo   Periodo
	ReporteID string
}

// Store keeps the Bitácora. What is done in a transaction leaves its Asiento in
// that transaction, see package postgres; this is for the rest.
type Store interface {
	RecordAsiento(ctx context.Context, a Asiento) error
	// EachAsiento hands over an institution's entries, oldest first, in chunks that yield
	// must not keep.
	EachAsiento(ctx context.Context, empresa tenant.EmpresaID, f FiltroAsientos, yield func([]Asiento) error) error
}

// Actuacion is on whose behalf something is done; it travels in the context to whatever
// leaves an Asiento.
type Actuacion struct {
	Actor     string
	RequestID string
	Desde     time.Time // when it began; zero: not measured
	Exito     int       // the HTTP status it is answered with once it is done
}

// ActorSistema does what nobody asked for at that moment: jobs.
const ActorSistema = "sistema"

// ActorDesconocido is whoever no credential names: an invalid token's bearer, or who tried to
// log in as a user that does not exist. No user can be called so.
const ActorDesconocido = "(desconocido)"

type actuacionKey struct{}

// WithActuacion says on whose behalf ctx acts.
func WithActuacion(ctx context.Context, a Actuacion) context.Context {
	return context.WithValue(ctx, actuacionKey{}, a)
}

// ActuacionFrom tells on whose behalf ctx acts.
func ActuacionFrom(ctx context.Context) Actuacion {
	a, _ := ctx.Value(actuacionKey{}).(Actuacion)
	if a.Actor == "" {
		a.Actor = ActorSistema
	}
	return a
}

// Sign fills in who did it and how long it took, as far as that was left open.
func (a *Asiento) Sign(by Actuacion) {
	if a.Actor == "" {
		a.Actor = by.Actor
	}
	if a.RequestID == "" {
		a.RequestID = by.RequestID
	}
	if a.Duracion == 0 && !by.Desde.IsZero() {
		a.Duracion = time.Since(by.Desde)
	}
}
