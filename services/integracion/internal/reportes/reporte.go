package reportes

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// EstadoReporte is whether the platform wants the search to go on:
//
//	activo ──(desactivar-reporte)──► desactivado
//
// A deactivated Reporte stays so; activating its id again makes a Reporte with the next
// ciclo (pui.md 3.2, rule 13). The constraint reportes_estado_check lists the same states,
// and reportes_activo_key holds that at most one ciclo of an id is active.
type EstadoReporte string

// The states of a Reporte.
const (
	ReporteActivo      EstadoReporte = "activo"
	ReporteDesactivado EstadoReporte = "desactivado"
)

// ReporteMissing is what a client reads of a Reporte that there is not.
const ReporteMissing = "No existe ese reporte."

// Reporte is one cycle of a search that the platform asked of an institution. Several
// institutions may have the same ReporteID, and several Reportes the same CURP.
type Reporte struct {
	Fila      uuid.UUID // our own id of this cycle
	EmpresaID tenant.EmpresaID
	ReporteID string // as the platform gave it; echoed, never changed
	Ciclo     int    // from 1
	Estado    EstadoReporte
	// Version goes up with each change, so that who acted on one can tell that it is old.
	Version           int
	FechaDesaparicion manual.Fecha   // zero: not given
	FechaRegistro     manual.Fecha   // zero unless the platform's list began this cycle
	Persona           manual.Persona // only what was given
	ActivadoEn        time.Time
	DesactivadoEn     time.Time // zero while active
}

// Complete takes over what a repeated activation adds or corrects, and tells whether that
// is anything (pui.md 3.2, rule 12): above all a disappearance date that was missing.
func (r *Reporte) Complete(s Solicitud) bool {
	before := *r
	if !s.FechaDesaparicion.IsZero() {
		r.FechaDesaparicion = s.FechaDesaparicion
	}
	r.Persona.Complete(s.Persona)
	return *r != before
}

// CompleteListado takes over what the platform's list says and the Reporte lacks, and reports
// whether that is anything. A list adds and does not correct: it may have been made before the
// activation that says otherwise.
func (r *Reporte) CompleteListado(s Solicitud) bool {
	if !r.FechaDesaparicion.IsZero() {
		s.FechaDesaparicion = r.FechaDesaparicion
	}
	s.Persona.Complete(r.Persona)
	return r.Complete(s)
}

// historicaAnios is how far back stored records are searched (manual §6, 4.b, m:263-267).
const historicaAnios = 12

// SolicitadoEn is the instant of the request to search, whose day in Mexico City bounds the
// phases: the activation, except of a Reporte without a disappearance date that the platform's
// list began. The day of the request takes the place of that date (m:267-269), and is then the
// day on which the platform registered it, within the twelve years before the activation.
func (r Reporte) SolicitadoEn() time.Time {
	if r.FechaRegistro.IsZero() || !r.FechaDesaparicion.IsZero() {
		return r.ActivadoEn
	}
	activado := manual.FechaOf(r.ActivadoEn)
	dia := r.FechaRegistro
	if first := activado.AddYears(-historicaAnios); dia.Before(first) {
		dia = first
	}
	if !dia.Before(activado) {
		return r.ActivadoEn
	}
	return dia.Inicio()
}

// ReporteStore keeps Reportes and their Avisos. What follows from a change is enqueued in
// the change's own transaction.
type ReporteStore interface {
	// SaveActivacion stores a new Reporte, or completes the active one with that id, and
	// the Aviso.
	SaveActivacion(ctx context.Context, empresa tenant.EmpresaID, s Solicitud) (Reporte, error)
	// SavePrueba stores the Aviso of a test and nothing else.
	SavePrueba(ctx context.Context, empresa tenant.EmpresaID, s Solicitud) error
	// SaveDesactivacion ends the active Reporte with that id, cancels what was to be sent
	// for it, and stores the Aviso. It returns all cycles of that id, none if unknown.
	SaveDesactivacion(ctx context.Context, empresa tenant.EmpresaID, reporteID string) ([]uuid.UUID, error)
	// AnySending tells whether an attempt to send something for one of these Reportes is
	// under way on any replica.
	AnySending(ctx context.Context, empresa tenant.EmpresaID, filas []uuid.UUID) (bool, error)
}

// Canceller cuts the sends of this process.
type Canceller interface {
	CancelReporte(fila uuid.UUID)
}

// CasoCloser closes the Casos of Reportes that ended; see [Sincronia].
type CasoCloser interface {
	CloseCasos(ctx context.Context, empresa tenant.EmpresaID, filas []uuid.UUID) error
}

// Reportes receives what the platform asks.
type Reportes struct {
	Store    ReporteStore
	Sends    Canceller
	Casos    CasoCloser
	Log      *slog.Logger
	MaxWait  time.Duration // how long a send can last at most; a deactivation waits so long
	Interval time.Duration // between two looks at sends of other replicas
}

// Activate stores a Reporte with its Aviso; the search follows by itself. Repeating it is
// harmless.
func (s *Reportes) Activate(ctx context.Context, empresa tenant.EmpresaID, a Activacion) (Reporte, error) {
	solicitud, err := a.Validate()
	if err != nil {
		return Reporte{}, err
	}
	reporte, err := s.Store.SaveActivacion(ctx, empresa, solicitud)
	if err != nil {
		return Reporte{}, fmt.Errorf("activate reporte: %w", err)
	}
	return reporte, nil
}

// ActivatePrueba checks all that Activate checks and leaves an Aviso (manual §8.3). No
// search follows.
func (s *Reportes) ActivatePrueba(ctx context.Context, empresa tenant.EmpresaID, a Activacion) error {
	solicitud, err := a.Validate()
	if err != nil {
		return err
	}
	err = s.Store.SavePrueba(ctx, empresa, solicitud)
	if err != nil {
		return fmt.Errorf("store test activation: %w", err)
	}
	return nil
}

// Deactivate ends a Reporte. Once it returns, nothing leaves for that Reporte any more, and if
// registros could be reached, no Registro is found for it either (contract.md 8). An unknown
// id is no error: the platform deactivates at institutions that joined later, and
// an error would tell which ids exist (pui.md 3.2, rule 11).
func (s *Reportes) Deactivate(ctx context.Context, empresa tenant.EmpresaID, reporteID string) error {
	err := validateReporteID(reporteID)
	if err != nil {
		return err
	}
	filas, err := s.Store.SaveDesactivacion(ctx, empresa, reporteID)
	if err != nil {
		return fmt.Errorf("deactivate reporte: %w", err)
	}
	err = s.stopSends(ctx, empresa, filas)
	if err != nil {
		return err
	}
	s.closeCasos(ctx, empresa, filas)
	return nil
}

// closeLimit bounds how long a deactivation waits for registros.
const closeLimit = time.Second

// closeCasos does at once what the job of each Reporte does otherwise, which is there in any
// case. It is not the platform's concern whether registros is away.
func (s *Reportes) closeCasos(ctx context.Context, empresa tenant.EmpresaID, filas []uuid.UUID) {
	ctx, cancel := context.WithTimeout(ctx, closeLimit)
	defer cancel()
	err := s.Casos.CloseCasos(ctx, empresa, filas)
	if err != nil {
		s.Log.WarnContext(ctx, "deactivated while registros could not be told; a job closes the caso", "empresa_id", empresa, "error", err)
	}
}

// stopSends cuts what is under way and waits until nothing is. New attempts cannot begin, so
// it ends by itself; the limit is for one that a killed process left behind.
func (s *Reportes) stopSends(ctx context.Context, empresa tenant.EmpresaID, filas []uuid.UUID) error {
	if len(filas) == 0 {
		return nil
	}
	limit := time.NewTimer(s.MaxWait)
	defer limit.Stop()
	ticker := time.NewTicker(s.Interval)
	defer ticker.Stop()
	for {
		// Each time, for an attempt may have begun before the deactivation and be known
		// to this process only now.
		s.cut(filas)
		sending, err := s.Store.AnySending(ctx, empresa, filas)
		if err != nil {
			return fmt.Errorf("wait for sends: %w", err)
		}
		if !sending {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-limit.C:
			return nil
		case <-ticker.C:
		}
	}
}

func (s *Reportes) cut(filas []uuid.UUID) {
	for _, fila := range filas {
		s.Sends.CancelReporte(fila)
	}
}
