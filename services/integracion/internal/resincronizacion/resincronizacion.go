package resincronizacion

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Listado is the platform's own list of the searches that are active for an institution
// (manual §7.4).
type Listado interface {
	// ReadReportes hands over the list as it comes, some entries at a time, which take must
	// not keep. Only with the outcome Aceptado was it whole; of a list that broke off, what
	// came was handed over. It ends with an error of take.
	ReadReportes(ctx context.Context, i cuentas.Institucion, take func([]Entrada) error) entregas.Desenlace
}

// Entrada is an entry of the list.
type Entrada struct {
	Activacion reportes.Activacion
	// Inactiva: it has a state, which does not say that the search is active.
	Inactiva bool
	// Ilegibles names the optional fields that are no text and so were not read.
	Ilegibles []string
}

// SalidaEmpresa is how an institution calls the platform.
type SalidaEmpresa struct {
	Institucion cuentas.Institucion // without its Clave
	Clave       cuentas.Sellado
	// Apta tells that it may and can call: it is active, and has an address and a clave.
	Apta bool
	// Ahora is the database's time, against which activations are compared later on.
	Ahora time.Time
}

// Observados counts the Reportes that a list contradicts.
type Observados struct {
	// NoListados are active here and not on the list. Their search goes on: only a
	// deactivation ends it.
	NoListados int
	// ListadosTrasBaja were deactivated here and are still on the list.
	ListadosTrasBaja int
	// ListadosInactivos are active here, and the list says of them that they are not.
	ListadosInactivos int
}

// Observacion is what the platform's own list says against a Reporte. The constraint
// reportes_observacion_check lists the same.
type Observacion string

// The observations; see [Resincronizacion].
const (
	ObservadoNoListado       Observacion = "no_listado"
	ObservadoListadoTrasBaja Observacion = "listado_tras_baja"
	ObservadoListadoInactivo Observacion = "listado_inactivo"
)

// Ultimo is the last cycle of an id as it stands here, and what the list says against it.
type Ultimo struct {
	Fila        uuid.UUID
	ReporteID   string
	Ciclo       int
	Estado      reportes.EstadoReporte
	Observacion Observacion
	CambioEn    time.Time // its activation or deactivation
	// Conocido has the disappearance date and the person of a Reporte that FindUltimos gave.
	Conocido reportes.Reporte
}

// Store is what a comparison needs from storage.
type Store interface {
	bitacora.Store
	GetSalida(ctx context.Context, empresa tenant.EmpresaID) (SalidaEmpresa, error)
	// FindUltimos gives the last cycles of those ids of which there ever was a Reporte.
	FindUltimos(ctx context.Context, empresa tenant.EmpresaID, ids []string) ([]Ultimo, error)
	// ActivateListado activates a Reporte as if it had been received, unless its id has
	// become known meanwhile or the platform deactivated it after limit.
	ActivateListado(ctx context.Context, empresa tenant.EmpresaID, s reportes.Solicitud, limit time.Time) (Alta, error)
	// CompleteListado gives an active Reporte what the list says of the same person and it
	// lacks, and reports whether that was anything.
	CompleteListado(ctx context.Context, empresa tenant.EmpresaID, s reportes.Solicitud) (bool, error)
	// SaveSinAbrir keeps entries that opened no search. What is kept already stays as it is.
	SaveSinAbrir(ctx context.Context, empresa tenant.EmpresaID, entradas []reportes.SinAbrir) error
	// ListComparables gives a batch of the cycles that a list may contradict by not having
	// them, which are active or flagged, behind one of them; at the end none.
	ListComparables(ctx context.Context, empresa tenant.EmpresaID, behind Ultimo) ([]Ultimo, error)
	// FlagReportes gives them the Observacion that they have here. Those that changed after
	// the list was asked for are left alone.
	FlagReportes(ctx context.Context, empresa tenant.EmpresaID, ultimos []Ultimo, asked time.Time) error
}

// Alta is what became of a listed id of which there never was a Reporte.
type Alta int

// The outcomes.
const (
	AltaInnecesaria Alta = iota // its activation came meanwhile
	AltaHecha
	AltaDetenida // the platform deactivated it not long ago
)

// listadoLag is how far the platform's list may be behind a deactivation that reached us;
// the manual says nothing of it (§7.4). What is listed later than that was activated again.
const listadoLag = time.Hour

// Resincronizacion makes up for what the platform told us while we were away (pui.md 3.2,
// rule 15), by its list of active searches:
//
//   - An id that was never heard of is activated exactly as if it had been received. Only its
//     id and its CURP can prevent that: other fields that cannot be read are left out.
//   - An entry that so opens no search stands in the operators' summary until one reviewed it.
//   - An id that is active here is completed by what the entry says and was missing.
//   - An id that is active here and not listed is flagged for the operator and goes on.
//   - An id that was deactivated here is flagged and stays so, listed or not. The list may
//     have been made before the deactivation reached us, and telling of a person whose
//     search the platform ended would be the graver error; the platform's next activation
//     begins a new ciclo (rule 13).
//   - An id of which only a deactivation was heard has no Reporte to flag. It is activated
//     once the list can no longer be behind that deactivation, and until then each
//     comparison names it in the log and the Bitácora.
//   - An id that is listed with a state which does not say active is never activated: flagged
//     if it is active here, and named in the Bitácora.
//
// The list is read as it comes. What is on it holds at once; what is not on it only if the
// list came to its end. Running it twice, or on two replicas at once, is harmless.
type Resincronizacion struct {
	Store    Store
	Listado  Listado
	Circuito entregas.Circuito
	Caja     cuentas.Caja
	Log      *slog.Logger
}

// settleListado returns the permit. A list that does not come says nothing of the routes that
// deliveries need, and must not hold them up, unless the platform asked to be left alone.
func settleListado(permiso entregas.Permiso, d entregas.Desenlace) {
	switch {
	case d.Resultado == envio.Aceptado:
		permiso.Succeeded()
	case d.RetryAfter > 0:
		permiso.Failed(d.RetryAfter)
	default:
		permiso.Unused()
	}
}

// retryListado is how long to wait before a list is asked for again that did not come.
const retryListado = time.Minute

// Run compares one institution's Reportes with its list. It gives how long to pause before
// another try, 0 if there is to be none before the next schedule. Suspended institutions and
// those without an address are passed over.
func (s *Resincronizacion) Run(ctx context.Context, empresa tenant.EmpresaID) (time.Duration, error) {
	salida, err := s.Store.GetSalida(ctx, empresa)
	if err != nil || !salida.Apta {
		return 0, err
	}
	permiso, wait := s.Circuito.Acquire(empresa)
	if permiso == nil {
		return wait, nil
	}
	c := newComparacion(s.Store, empresa, salida.Ahora)
	desenlace, err := s.read(ctx, salida, permiso, c)
	if err != nil {
		return 0, err
	}
	if desenlace.Resultado == envio.Aceptado {
		err = c.conclude(ctx)
		if err != nil {
			return 0, err
		}
	}
	s.log(ctx, c, desenlace)
	var datos map[string]any
	if desenlace.Resultado == envio.Aceptado || c.listados > 0 {
		datos = c.datos()
	}
	return pauseOfListado(desenlace), s.record(ctx, empresa, desenlace, datos)
}

// read compares what comes of the list.
func (s *Resincronizacion) read(ctx context.Context, salida SalidaEmpresa, permiso entregas.Permiso, c *comparacion) (entregas.Desenlace, error) {
	institucion, err := cuentas.OpenSalida(s.Caja, salida.Institucion, salida.Clave)
	if err != nil {
		permiso.Unused()
		s.Log.ErrorContext(ctx, "clave towards the platform cannot be opened", "empresa_id", institucion.EmpresaID, "error", err)
		return entregas.Desenlace{Resultado: envio.Cancelado, Motivo: "clave_ilegible"}, nil
	}
	began := false
	var failed error
	desenlace := s.Listado.ReadReportes(ctx, institucion, func(entradas []Entrada) error {
		if !began {
			// Deliveries need not wait for the end of a list that began well.
			permiso.Succeeded()
			began = true
		}
		failed = c.take(ctx, entradas)
		return failed
	})
	if !began {
		settleListado(permiso, desenlace)
	}
	return desenlace, failed
}

func (s *Resincronizacion) log(ctx context.Context, c *comparacion, d entregas.Desenlace) {
	level, message := slog.LevelInfo, "compared with the platform"
	switch {
	case d.Resultado != envio.Aceptado:
		level, message = slog.LevelWarn, "list of the platform not received to its end"
	case c.invalidos.total+c.descartados.total > 0:
		level, message = slog.LevelWarn, "compared with the platform, of whose list not all could be read"
	}
	s.Log.Log(ctx, level, message, "empresa_id", c.empresa, "status", d.Status, "motivo", d.Motivo,
		"listados", c.listados, "activados", c.activados, "completados", c.completados,
		"invalidos", c.invalidos.total, "descartados", c.descartados.total, "campos_descartados", c.camposDescartados(), "inactivos", c.inactivos.total,
		"detenidos", c.detenidos.total, "no_listados", c.NoListados,
		"listados_tras_baja", c.ListadosTrasBaja, "listados_inactivos", c.ListadosInactivos)
}

// pauseOfListado is 0 for what another try does not mend: an operator must.
func pauseOfListado(d entregas.Desenlace) time.Duration {
	if !d.Falla || d.Status >= 400 && d.Status < 429 {
		return 0
	}
	return min(max(d.RetryAfter, retryListado), entregas.LongestRetry)
}

func (s *Resincronizacion) record(ctx context.Context, empresa tenant.EmpresaID, d entregas.Desenlace, datos map[string]any) error {
	return s.Store.RecordAsiento(ctx, bitacora.Asiento{
		EmpresaID: empresa, Tipo: bitacora.AsientoResincronizacion, Accion: bitacora.AccionReportes,
		Status: d.Status, Motivo: d.Motivo, Datos: datos,
	})
}
