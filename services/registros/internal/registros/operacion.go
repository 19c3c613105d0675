package registros

import (
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Actividad is what whoever operates Enlace looks for in an institution.
type Actividad struct {
	EmpresaID        tenant.EmpresaID
	UltimoRegistroEn time.Time // zero: none was written yet
	Pendientes       int
	PendienteDesde   time.Time // zero: none waits
	Rechazadas       int       // of open Casos
	// FinalesRechazados counts the open Casos whose end of search the platform refused.
	FinalesRechazados int
	CargaTerminadaEn  time.Time // zero: it is loading
}

// Situacion is how far a Caso has come, for whoever operates Enlace: ids, times and counts,
// nothing about the person.
type Situacion struct {
	CasoID       CasoID
	ReporteID    string
	Ciclo        int
	Estado       EstadoCaso
	Finalizacion Finalizacion
	Pendientes   int
	Notificadas  int
	Rechazadas   int
	Canceladas   int
	Buscado      bool // phase 1 is over
	FinalizadaEn time.Time
}

// Fase is the phase that a Caso is in, or was in when it was closed.
func (s Situacion) Fase() manual.Fase {
	switch {
	case s.Finalizacion.Over():
		return manual.FaseContinua
	case !s.Buscado:
		return manual.FaseBasicos
	default:
		return manual.FaseHistorica
	}
}

// Hallazgo is a Coincidencia without what it tells.
type Hallazgo struct {
	ID           CoincidenciaID
	ReporteID    string
	Ciclo        int
	Fase         manual.Fase
	Folio        Folio
	Estado       EstadoCoincidencia
	DetectadaEn  time.Time
	NotificadaEn time.Time
	Detalle      string
}

// Busqueda is a search that was run for a Caso.
type Busqueda struct {
	ID            uuid.UUID
	ReporteID     string
	Ciclo         int
	Fase          manual.Fase
	EjecutadaEn   time.Time
	Registros     int // of the person, that were looked at
	Coincidencias int // that followed
}

// Filtro chooses among Hallazgos and Busquedas; a zero field chooses all.
type Filtro struct {
	ReporteID string
	Estado    EstadoCoincidencia
	Desde     time.Time // included
	Hasta     time.Time // not included
}
