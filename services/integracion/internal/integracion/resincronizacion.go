package integracion

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Listado is the platform's own list of the searches that are active for an institution
// (manual §7.4). With an outcome other than Aceptado there is no list.
type Listado interface {
	ListReportes(ctx context.Context, i Institucion) ([]Activacion, Desenlace)
}

// SalidaEmpresa is how an institution calls the platform.
type SalidaEmpresa struct {
	Institucion Institucion // without its Clave
	Clave       Sellado
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
}

// ResincronizacionStore is what a comparison needs from storage.
type ResincronizacionStore interface {
	BitacoraStore
	GetSalida(ctx context.Context, empresa tenant.EmpresaID) (SalidaEmpresa, error)
	// FindUnknown gives those ids of which there never was a Reporte.
	FindUnknown(ctx context.Context, empresa tenant.EmpresaID, ids []string) ([]string, error)
	// ActivateListado activates a Reporte as if it had been received, unless its id has
	// become known meanwhile or the platform deactivated it after limit.
	ActivateListado(ctx context.Context, empresa tenant.EmpresaID, s Solicitud, limit time.Time) (Alta, error)
	// FlagReportes marks the Reportes that contradict the list of ids, and unmarks the
	// others. Reportes that changed after the list was asked for are left alone.
	FlagReportes(ctx context.Context, empresa tenant.EmpresaID, ids []string, asked time.Time) (Observados, error)
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
//   - An id that was never heard of is activated exactly as if it had been received.
//   - An id that is active here and not listed is flagged for the operator and goes on.
//   - An id that was deactivated here is flagged and stays so, listed or not. The list may
//     have been made before the deactivation reached us, and telling of a person whose
//     search the platform ended would be the graver error; the platform's next activation
//     begins a new ciclo (rule 13).
//   - An id of which only a deactivation was heard has no Reporte to flag. It is activated
//     once the list can no longer be behind that deactivation, and until then each
//     comparison names it in the log and the Bitácora.
//
// Running it twice, or on two replicas at once, is harmless.
type Resincronizacion struct {
	Store    ResincronizacionStore
	Listado  Listado
	Circuito Circuito
	Caja     Caja
	// Limit bounds the call to the platform.
	Limit time.Duration
	Log   *slog.Logger
}

// settleListado returns the permit. A list that does not come says nothing of the routes that
// deliveries need, and must not hold them up, unless the platform asked to be left alone.
func settleListado(permiso Permiso, d Desenlace) {
	switch {
	case d.Clase == Aceptado:
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
	entradas, desenlace := s.ask(ctx, salida)
	settleListado(permiso, desenlace)
	if desenlace.Clase != Aceptado {
		s.Log.WarnContext(ctx, "list of the platform not received", "empresa_id", empresa,
			"status", desenlace.Status, "motivo", desenlace.Motivo)
		return desenlace.pauseOfListado(), s.record(ctx, empresa, desenlace, nil)
	}
	resumen, err := s.apply(ctx, empresa, leerListado(entradas), salida.Ahora)
	if err != nil {
		return 0, err
	}
	s.Log.InfoContext(ctx, "compared with the platform", "empresa_id", empresa,
		"listados", resumen.listados, "activados", resumen.activados, "invalidos", len(resumen.invalidos),
		"no_listados", resumen.NoListados, "listados_tras_baja", resumen.ListadosTrasBaja, "detenidos", len(resumen.detenidos))
	return 0, s.record(ctx, empresa, desenlace, resumen.datos())
}

func (s *Resincronizacion) ask(ctx context.Context, salida SalidaEmpresa) ([]Activacion, Desenlace) {
	institucion := salida.Institucion
	clave, err := s.Caja.Open(salida.Clave, contextoSalida(institucion.EmpresaID))
	if err != nil {
		s.Log.ErrorContext(ctx, "clave towards the platform cannot be opened", "empresa_id", institucion.EmpresaID, "error", err)
		return nil, Desenlace{Clase: Cancelado, Motivo: "clave_ilegible"}
	}
	institucion.Clave = clave
	ctx, cancel := context.WithTimeout(ctx, s.Limit)
	defer cancel()
	return s.Listado.ListReportes(ctx, institucion)
}

// pauseOfListado is 0 for what another try does not mend: an operator must.
func (d Desenlace) pauseOfListado() time.Duration {
	if !d.Falla || d.Status >= 400 && d.Status < 429 {
		return 0
	}
	return min(max(d.RetryAfter, retryListado), longestRetry)
}

// listado is a list as it was read.
type listado struct {
	total       int
	ids         []string             // every id on it that is one
	solicitudes map[string]Solicitud // of the valid entries
	invalidos   []string             // ids of entries that are not valid, as far as they have one
}

// leerListado holds each entry to the rules of an activation. Of an id that is listed twice
// the first counts.
func leerListado(entradas []Activacion) listado {
	l := listado{total: len(entradas), solicitudes: map[string]Solicitud{}}
	for _, entrada := range entradas {
		id := entrada.ID
		if !manual.IsSearchID(id) {
			id = ""
		}
		solicitud, err := entrada.Validate()
		if err != nil {
			l.invalidos = append(l.invalidos, id)
		}
		if id == "" {
			continue
		}
		l.ids = append(l.ids, id)
		_, twice := l.solicitudes[id]
		if err == nil && !twice {
			l.solicitudes[id] = solicitud
		}
	}
	return l
}

// resumenListado is what a comparison found and did.
type resumenListado struct {
	Observados
	listados, activados int
	invalidos           []string
	detenidos           []string // ids that are not activated yet, see AltaDetenida
}

// apply takes the list over. Cut short, the next run goes on where this one stopped: what is
// activated already is not unknown any more.
func (s *Resincronizacion) apply(ctx context.Context, empresa tenant.EmpresaID, l listado, asked time.Time) (resumenListado, error) {
	resumen := resumenListado{listados: l.total, invalidos: l.invalidos}
	unknown, err := s.Store.FindUnknown(ctx, empresa, l.ids)
	if err != nil {
		return resumen, fmt.Errorf("compare with the platform: %w", err)
	}
	for _, id := range unknown {
		solicitud, valid := l.solicitudes[id]
		if !valid {
			continue
		}
		alta, err := s.Store.ActivateListado(ctx, empresa, solicitud, asked.Add(-listadoLag))
		if err != nil {
			return resumen, fmt.Errorf("activate listed reporte: %w", err)
		}
		switch alta {
		case AltaHecha:
			resumen.activados++
		case AltaDetenida:
			resumen.detenidos = append(resumen.detenidos, id)
		case AltaInnecesaria:
		}
	}
	resumen.Observados, err = s.Store.FlagReportes(ctx, empresa, l.ids, asked)
	if err != nil {
		return resumen, fmt.Errorf("flag reportes: %w", err)
	}
	return resumen, nil
}

// maxIDs bounds how many ids of a kind one Asiento names.
const maxIDs = 50

func (r resumenListado) datos() map[string]any {
	return map[string]any{
		"listados":           r.listados,
		"activados":          r.activados,
		"no_listados":        r.NoListados,
		"listados_tras_baja": r.ListadosTrasBaja,
		"invalidos":          len(r.invalidos),
		"invalidos_ids":      r.invalidos[:min(len(r.invalidos), maxIDs)],
		"detenidos":          len(r.detenidos),
		"detenidos_ids":      r.detenidos[:min(len(r.detenidos), maxIDs)],
	}
}

func (s *Resincronizacion) record(ctx context.Context, empresa tenant.EmpresaID, d Desenlace, datos map[string]any) error {
	return s.Store.RecordAsiento(ctx, Asiento{
		EmpresaID: empresa, Tipo: AsientoResincronizacion, Accion: AccionReportes,
		Status: d.Status, Motivo: d.Motivo, Datos: datos,
	})
}
