package registros

import (
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/manual"
)

// CasoID identifies a Caso in Enlace; a version 7 UUID, so that newer ones sort later.
type CasoID = uuid.UUID

// EstadoCaso is where a Caso stands:
//
//	en_busqueda ──(the platform knows that the search ended)──► monitoreo
//	     │      ◄──(an operator has a refused end told again)──     │
//	     └────────────(the report is deactivated)──► cerrado ◄──────┘
//
// The constraint casos_estado_check lists the same states.
type EstadoCaso string

// The states of a Caso.
const (
	CasoEnBusqueda EstadoCaso = "en_busqueda"
	CasoMonitoreo  EstadoCaso = "monitoreo"
	CasoCerrado    EstadoCaso = "cerrado"
)

// Finalizacion is what became of telling the platform that the historical search ended. A Caso
// that is closed before stays pendiente. The constraint casos_finalizacion_check lists the same.
type Finalizacion string

// What becomes of it: of the two outcomes only one is known to the platform.
const (
	FinalizacionPendiente  Finalizacion = envio.Pendiente
	FinalizacionNotificada Finalizacion = envio.Notificada
	FinalizacionRechazada  Finalizacion = envio.Rechazada
)

// Over tells that phase 3 may begin.
func (f Finalizacion) Over() bool {
	return f != FinalizacionPendiente
}

// Reporte is what the platform asked: who is missing, since when, and when it said so.
type Reporte struct {
	ID    string // as the platform gave it; echoed, never changed
	Ciclo int    // 1, and one more each time the same id is activated after it was closed
	// ActivadoEn is the instant of the activation; its day in Mexico City bounds phase 2.
	ActivadoEn        time.Time
	FechaDesaparicion manual.Fecha   // zero when not given
	Persona           manual.Persona // only what the platform gave
	// AvisarDesde is when the platform may be told at the soonest. It spares a try in vain when
	// the Caso opens, and is not kept: who tells the platform knows it anyway.
	AvisarDesde time.Time
}

// Caso is the search of one missing person among the Registros of one institution.
type Caso struct {
	ID            CasoID
	Reporte       Reporte
	Estado        EstadoCaso
	Finalizacion  Finalizacion
	Coincidencias int
	AbiertoEn     time.Time
	// FinalizadaEn is when the platform took note that the search ended; zero before.
	FinalizadaEn  time.Time
	CerradoEn     time.Time // zero while open
	ActualizadoEn time.Time
}

// Complete takes over what a repeated activation of the same Reporte adds or corrects, and
// reports whether anything changed and whether the days to search did (rule 12). What the
// repetition does not give stays. With the days comes the instant of the request that they are
// counted from, which a date that was missing may move (pui.md 3.2, rule 15).
func (r *Reporte) Complete(otro Reporte) (changed, newDates bool) {
	before := *r
	if !otro.FechaDesaparicion.IsZero() {
		r.FechaDesaparicion = otro.FechaDesaparicion
	}
	r.Persona.Complete(otro.Persona)
	newDates = r.FechaDesaparicion != before.FechaDesaparicion
	if newDates {
		r.ActivadoEn = otro.ActivadoEn
	}
	return *r != before, newDates
}
