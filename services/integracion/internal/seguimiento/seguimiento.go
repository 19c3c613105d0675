package seguimiento

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/integracion/internal/resincronizacion"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Seguido is a Reporte as an operator sees it: without the person.
type Seguido struct {
	Fila          uuid.UUID
	ReporteID     string
	Ciclo         int
	Estado        reportes.EstadoReporte
	ActivadoEn    time.Time
	DesactivadoEn time.Time
	Observacion   resincronizacion.Observacion // empty: none
	ObservadaEn   time.Time
	HuellaCURP    []byte
	// Situacion is how far registros has come with it; nil while it has not opened a Caso.
	Situacion *Situacion
}

// Situacion is how far the Caso of a Reporte has come; registros says it.
type Situacion struct {
	CasoID       string
	ReporteID    string
	Ciclo        int
	Estado       string
	Fase         string
	Pendientes   int
	Notificadas  int
	Rechazadas   int
	Canceladas   int
	Finalizacion string
	FinalizadaEn time.Time
}

// Hallazgo is a Coincidencia without what it tells; registros says it.
type Hallazgo struct {
	ID           string
	ReporteID    string
	Ciclo        int
	Fase         string
	Folio        string
	Estado       string
	DetectadaEn  time.Time
	NotificadaEn time.Time
	Detalle      string // the platform's own words
}

// Busqueda is a search that registros ran.
type Busqueda struct {
	ID            string
	ReporteID     string
	Ciclo         int
	Fase          string
	EjecutadaEn   time.Time
	Registros     int
	Coincidencias int
}

// EstadosHallazgo are the states of a Coincidencia.
var EstadosHallazgo = []string{envio.Pendiente, envio.Notificada, envio.Rechazada, envio.Cancelada}

// FiltroHallazgos chooses Hallazgos and Busquedas; a zero field chooses all.
type FiltroHallazgos struct {
	ReporteID string
	Estado    string
	Periodo   bitacora.Periodo
}

// CasosSeguidos is what registros tells an operator.
type CasosSeguidos interface {
	// ListActividades gives an entry for each institution of which there is something to
	// tell; an empty id means all.
	ListActividades(ctx context.Context, empresa tenant.EmpresaID) ([]Actividad, error)
	ListSituaciones(ctx context.Context, empresa tenant.EmpresaID, reporteID string) ([]Situacion, error)
	ListHallazgos(ctx context.Context, empresa tenant.EmpresaID, f FiltroHallazgos) ([]Hallazgo, error)
	ListBusquedas(ctx context.Context, empresa tenant.EmpresaID, f FiltroHallazgos) ([]Busqueda, error)
	// RetryCoincidencia and RetryFin may be repeated.
	RetryCoincidencia(ctx context.Context, empresa tenant.EmpresaID, id uuid.UUID) error
	RetryFin(ctx context.Context, empresa tenant.EmpresaID, reporteID string, ciclo int) error
	// FinishCarga ends the initial load of an institution, and gives when that was first done.
	FinishCarga(ctx context.Context, empresa tenant.EmpresaID) (time.Time, error)
	// SearchAgain asks for another search for a Reporte; an empty reporteID means all active ones.
	SearchAgain(ctx context.Context, empresa tenant.EmpresaID, reporteID string, ciclo int) error
	GetLote(ctx context.Context, empresa tenant.EmpresaID, id string) (Lote, error)
	// ListCifras gives the last days, oldest first.
	ListCifras(ctx context.Context, empresa tenant.EmpresaID) ([]Cifras, error)
	// EachRegistro hands over what is chosen, the newest event first, in chunks, and with each
	// how many there are in all.
	EachRegistro(ctx context.Context, sel Seleccion, yield func(total int, chunk []Registro) error) error
	// DeleteRegistros may be repeated.
	DeleteRegistros(ctx context.Context, sel Seleccion, simular bool) (Borrado, error)
}

// Store is what an operator's questions need from storage.
type Store interface {
	bitacora.Store
	GetEmpresa(ctx context.Context, id tenant.EmpresaID) (cuentas.Empresa, error)
	// ListPendientes gives what needs somebody as far as integracion knows it, keys that
	// expire within so long among it.
	ListPendientes(ctx context.Context, caducidad time.Duration) ([]Pendiente, error)
	// ListRestablecimientos is that of [cuentas.UsuarioStore].
	ListRestablecimientos(ctx context.Context, usuario string, span time.Duration) ([]cuentas.Restablecimiento, error)
	// ListReportesDePersona finds Reportes by the keyed hash of their CURP, newest first.
	ListReportesDePersona(ctx context.Context, huella []byte) ([]ReporteDePersona, error)
	// ForgetDetalles removes what the platform said of the messages on a person, whom the keyed
	// hash of the CURP names, in an institution, and of Coincidencias, by their ids. Repeating
	// it is harmless.
	ForgetDetalles(ctx context.Context, empresa tenant.EmpresaID, huella []byte, coincidencias []string) error
	// RecordErasure leaves the line of an erasure that was done, and puts it on the list that a
	// restoration is followed by.
	RecordErasure(ctx context.Context, a bitacora.Asiento, coincidencias []string) error
	// ListPanoramas gives institutions by id, without what registros knows; an empty id
	// means all.
	ListPanoramas(ctx context.Context, empresa tenant.EmpresaID) ([]Panorama, error)
	// ReviewSinAbrir gives what opened no search and no operator has reviewed, the oldest
	// first and so many at most, and keeps that it was reviewed.
	ReviewSinAbrir(ctx context.Context, empresa tenant.EmpresaID, most int) ([]reportes.SinAbrir, error)
	// ListSeguidos gives Reportes newest first; an empty reporteID means all.
	ListSeguidos(ctx context.Context, empresa tenant.EmpresaID, reporteID string) ([]Seguido, error)
	// ReopenEnvio has an Envío of an active Reporte told again that was rejected, is stuck, or, of a
	// match, was answered 300; its kind and key tell which. Repeating it is harmless; it is
	// Conflicto if the Envío ended otherwise.
	ReopenEnvio(ctx context.Context, e entregas.Envio) error
	// SkipEnvio makes a pending one a rejected one. Repeating it is harmless; it is Conflicto if the
	// Envío was accepted, or is just being told.
	SkipEnvio(ctx context.Context, e entregas.Envio) error
	// ListReabribles gives the keys of the matches of active Reportes that are stuck or were
	// answered 300.
	ListReabribles(ctx context.Context, empresa tenant.EmpresaID, cuales Reintentables) ([]string, error)
}

// Seguimiento answers an operator's questions from both services.
type Seguimiento struct {
	Store   Store
	Casos   CasosSeguidos
	Huellas cuentas.Huellas
	Plazos  Plazos
	Now     func() time.Time
}

// Filtro chooses Reportes of an institution; an empty Estado chooses all.
type Filtro struct {
	EmpresaID tenant.EmpresaID
	Estado    string
}

// Reportes gives an institution's Reportes that a filter chooses, as List does.
func (s *Seguimiento) Reportes(ctx context.Context, f Filtro) ([]Seguido, error) {
	if f.Estado != "" && f.Estado != string(reportes.ReporteActivo) && f.Estado != string(reportes.ReporteDesactivado) {
		return nil, errs.FiltroNoAdmitido("/estado", "activo o desactivado")
	}
	err := s.checkEmpresa(ctx, f.EmpresaID)
	if err != nil {
		return nil, err
	}
	all, err := s.List(ctx, f.EmpresaID, "")
	return slices.DeleteFunc(all, func(r Seguido) bool { return f.Estado != "" && f.Estado != string(r.Estado) }), err
}

// Hallazgos gives an institution's matches that a filter chooses, oldest first.
func (s *Seguimiento) Hallazgos(ctx context.Context, f Filtro) ([]Hallazgo, error) {
	if f.Estado != "" && !slices.Contains(EstadosHallazgo, f.Estado) {
		return nil, errs.FiltroNoAdmitido("/estado", strings.Join(EstadosHallazgo, ", "))
	}
	err := s.checkEmpresa(ctx, f.EmpresaID)
	if err != nil {
		return nil, err
	}
	all, err := s.Casos.ListHallazgos(ctx, f.EmpresaID, FiltroHallazgos{Estado: f.Estado})
	if err != nil {
		return nil, fmt.Errorf("ask registros: %w", err)
	}
	return all, nil
}

// checkEmpresa refuses an institution that does not exist.
func (s *Seguimiento) checkEmpresa(ctx context.Context, empresa tenant.EmpresaID) error {
	_, err := s.Store.GetEmpresa(ctx, empresa)
	return err
}

// List gives an institution's Reportes, newest first, each with how far it has come; an
// empty reporteID means all.
func (s *Seguimiento) List(ctx context.Context, empresa tenant.EmpresaID, reporteID string) ([]Seguido, error) {
	seguidos, err := s.Store.ListSeguidos(ctx, empresa, reporteID)
	if err != nil {
		return nil, err
	}
	situaciones, err := s.Casos.ListSituaciones(ctx, empresa, reporteID)
	if err != nil {
		return nil, fmt.Errorf("ask registros: %w", err)
	}
	type ciclo struct {
		reporteID string
		numero    int
	}
	byCiclo := make(map[ciclo]*Situacion, len(situaciones))
	for i := range situaciones {
		byCiclo[ciclo{situaciones[i].ReporteID, situaciones[i].Ciclo}] = &situaciones[i]
	}
	for i := range seguidos {
		seguidos[i].Situacion = byCiclo[ciclo{seguidos[i].ReporteID, seguidos[i].Ciclo}]
	}
	return seguidos, nil
}

func errSinReporte() error {
	return errs.New(errores.NoEncontrado, reportes.ReporteMissing)
}

// Expediente is all that is known of one Reporte, with what happened to it in order.
type Expediente struct {
	EmpresaID tenant.EmpresaID
	ReporteID string
	Ciclos    []Seguido // newest first
	Hallazgos []Hallazgo
	Momentos  []Momento
}

// Show gives all of one Reporte.
func (s *Seguimiento) Show(ctx context.Context, empresa tenant.EmpresaID, reporteID string) (Expediente, error) {
	e := Expediente{EmpresaID: empresa, ReporteID: reporteID}
	var err error
	e.Ciclos, err = s.List(ctx, empresa, reporteID)
	if err != nil {
		return e, err
	}
	if len(e.Ciclos) == 0 {
		return e, errSinReporte()
	}
	e.Hallazgos, err = s.Casos.ListHallazgos(ctx, empresa, FiltroHallazgos{ReporteID: reporteID})
	if err != nil {
		return e, fmt.Errorf("ask registros: %w", err)
	}
	e.Momentos, err = s.momentos(ctx, empresa, FiltroHallazgos{ReporteID: reporteID})
	return e, err
}
