package seguimiento

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// TipoPendiente is a kind of thing that needs somebody.
type TipoPendiente string

// What needs somebody, the most urgent first.
const (
	PendienteSinAbrir      TipoPendiente = "reportes_sin_abrir"
	PendienteRechazadas    TipoPendiente = "coincidencias_rechazadas"
	PendienteFinales       TipoPendiente = "finales_rechazados"
	PendienteAtascados     TipoPendiente = "envios_atascados"
	PendienteEnEspera      TipoPendiente = "coincidencias_en_espera"
	PendienteVarias        TipoPendiente = "respuesta_300"
	PendienteContradichos  TipoPendiente = "reporte_contradicho"
	PendientePausa         TipoPendiente = "entregas_pausadas"
	PendienteCarga         TipoPendiente = "carga_sin_terminar"
	PendienteLlavePorVence TipoPendiente = "llave_por_vencer"
	PendienteSilenciosa    TipoPendiente = "institucion_silenciosa"
)

// urgencia orders the kinds.
var urgencia = []TipoPendiente{
	PendienteSinAbrir, PendienteRechazadas, PendienteFinales, PendienteAtascados, PendienteEnEspera, PendienteVarias, PendienteContradichos,
	PendientePausa, PendienteCarga, PendienteLlavePorVence, PendienteSilenciosa,
}

// Pendiente is something of an institution that needs somebody.
type Pendiente struct {
	Tipo      TipoPendiente
	EmpresaID tenant.EmpresaID
	Total     int
	Fecha     time.Time // since when, or until when for a key; zero: not known
	Recurso   string    // the id of a key, or of a Reporte as it came
}

// Mensaje says what there is and what to do.
func (p Pendiente) Mensaje() string {
	switch p.Tipo {
	case PendienteSinAbrir:
		if p.Recurso != "" {
			return "La plataforma pidió buscar a alguien y el reporte no se abrió: vea qué falló y avísele."
		}
		return fmt.Sprintf("La plataforma pidió buscar a alguien y %d reportes no se abrieron: vea qué falló y avísele.", p.Total)
	case PendienteRechazadas:
		return fmt.Sprintf("La plataforma rechazó %d coincidencias: mire por qué y reinténtelas.", p.Total)
	case PendienteFinales:
		return fmt.Sprintf("La plataforma rechazó el fin de %d búsquedas: reintente el fin de cada reporte.", p.Total)
	case PendienteAtascados:
		return fmt.Sprintf("La plataforma no acepta %d envíos tras muchos intentos: mire por qué, y reinténtelos o sáltelos.", p.Total)
	case PendienteEnEspera:
		return fmt.Sprintf("%d coincidencias esperan salir desde hace más de %d minutos.", p.Total, int(esperaLarga.Minutes()))
	case PendienteVarias:
		return fmt.Sprintf("La plataforma contestó 300 a %d envíos: halló a varias personas.", p.Total)
	case PendienteContradichos:
		return fmt.Sprintf("La lista de la plataforma contradice %d reportes.", p.Total)
	case PendientePausa:
		return "Sus entregas están en pausa: reanúdelas cuando pueda."
	case PendienteCarga:
		return "Su carga inicial no ha terminado y nada se busca en ella: pregúntele si ya envió todo."
	case PendienteLlavePorVence:
		return "Una llave está por caducar: rótela antes de la fecha."
	default:
		return "No ha enviado registros en mucho tiempo."
	}
}

// Resumen is what needs somebody.
type Resumen struct {
	Pendientes []Pendiente
	// Restablecimientos are the claves and second factors that operators reset of others of late.
	Restablecimientos []cuentas.Restablecimiento
	// RegistrosCaido: registros did not answer, and nothing is known of what it knows.
	RegistrosCaido bool
}

// ofRegistros are the kinds that registros tells of.
var ofRegistros = []TipoPendiente{PendienteRechazadas, PendienteFinales, PendienteEnEspera, PendienteCarga, PendienteSilenciosa}

// Totales counts what needs somebody by kind, those of which there is nothing too. What is not
// known is missing.
func (r Resumen) Totales() map[TipoPendiente]int {
	totales := map[TipoPendiente]int{}
	for _, tipo := range urgencia {
		if !r.RegistrosCaido || !slices.Contains(ofRegistros, tipo) {
			totales[tipo] = 0
		}
	}
	for _, p := range r.Pendientes {
		totales[p.Tipo] += p.Total
	}
	return totales
}

// Plazos are from when on something needs somebody.
type Plazos struct {
	Silencio  time.Duration // without a new record
	Caducidad time.Duration // before a key expires
	Carga     time.Duration // from an institution's creation until its initial load is finished
}

// esperaLarga is as long as the alert on matches that are not told allows. It is the operators',
// who can mend something; the console tells an institution later.
const esperaLarga = 15 * time.Minute

// Resumen gives what needs somebody, the most urgent first.
func (s *Seguimiento) Resumen(ctx context.Context) (Resumen, error) {
	panoramas, err := s.panoramas(ctx, "")
	if err != nil {
		return Resumen{}, err
	}
	pendientes, err := s.Store.ListPendientes(ctx, s.Plazos.Caducidad)
	if err != nil {
		return Resumen{}, err
	}
	reset, err := s.Store.ListRestablecimientos(ctx, "", cuentas.RestablecimientoVisible)
	if err != nil {
		return Resumen{}, err
	}
	r := Resumen{Pendientes: pendientes, Restablecimientos: reset}
	for _, p := range panoramas {
		r.RegistrosCaido = r.RegistrosCaido || p.Actividad == nil
		r.Pendientes = append(r.Pendientes, s.pendientesOf(p)...)
	}
	slices.SortStableFunc(r.Pendientes, func(a, b Pendiente) int {
		return cmp.Or(
			cmp.Compare(slices.Index(urgencia, a.Tipo), slices.Index(urgencia, b.Tipo)),
			a.Fecha.Compare(b.Fecha), cmp.Compare(a.EmpresaID, b.EmpresaID),
		)
	})
	return r, nil
}

// pendientesOf are those that follow from how an institution stands.
func (s *Seguimiento) pendientesOf(p Panorama) []Pendiente {
	var all []Pendiente
	add := func(needs bool, tipo TipoPendiente, total int, fecha time.Time) {
		if needs {
			all = append(all, Pendiente{Tipo: tipo, EmpresaID: p.ID, Total: total, Fecha: fecha})
		}
	}
	add(!p.EntregaPausadaEn.IsZero(), PendientePausa, 1, p.EntregaPausadaEn)
	if p.Actividad == nil {
		return all
	}
	a, now := p.Actividad, s.Now()
	add(a.Rechazadas > 0, PendienteRechazadas, a.Rechazadas, time.Time{})
	add(a.FinalesRechazados > 0, PendienteFinales, a.FinalesRechazados, time.Time{})
	add(a.Pendientes > 0 && now.Sub(a.PendienteDesde) > esperaLarga, PendienteEnEspera, a.Pendientes, a.PendienteDesde)
	last := a.UltimoRegistroEn
	if last.IsZero() {
		last = p.CreadaEn
	}
	active := p.Estado == cuentas.EmpresaActiva
	add(active && a.CargaTerminadaEn.IsZero() && now.Sub(p.CreadaEn) > s.Plazos.Carga, PendienteCarga, 1, p.CreadaEn)
	add(active && now.Sub(last) > s.Plazos.Silencio, PendienteSilenciosa, 1, last)
	return all
}

// maxRevisados bounds how many entries one review gives.
const maxRevisados = 1000

// ReviewSinAbrir gives an institution's requests of the platform that opened no search, oldest
// first. What it gives stands in the summary no more; quedan reports whether there may be more.
func (s *Seguimiento) ReviewSinAbrir(ctx context.Context, empresa tenant.EmpresaID) (revisados []reportes.SinAbrir, quedan bool, err error) {
	err = s.checkEmpresa(ctx, empresa)
	if err != nil {
		return nil, false, err
	}
	revisados, err = s.Store.ReviewSinAbrir(ctx, empresa, maxRevisados)
	slices.SortFunc(revisados, func(a, b reportes.SinAbrir) int { return a.OcurridoEn.Compare(b.OcurridoEn) })
	return revisados, len(revisados) == maxRevisados, err
}
