package seguimiento

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Momento is one thing that happened, from the Bitácora or from registros, in the one shape
// in which an operator reads a timeline. Like the Bitácora it holds
// no name, no address and no CURP.
type Momento struct {
	En            time.Time
	Tipo          string // the Asiento's, or one of the two below
	Accion        string
	Actor         string
	ReporteID     string
	Ciclo         int    // 0: not of one cycle
	Fase          string // empty: of none
	Coincidencia  string // its id
	Recurso       string // what else it was done to
	Status        int    // HTTP; 0: none
	Motivo        string
	Duracion      time.Duration
	RequestID     string
	Registros     int // a search looked at
	Coincidencias int // that a search found
	HuellaCURP    []byte
}

// What registros adds to the Bitácora.
const (
	MomentoBusqueda     = "busqueda"
	MomentoCoincidencia = "coincidencia"
)

func momentoOfAsiento(a bitacora.Asiento) Momento {
	m := Momento{
		En: a.OcurridoEn, Tipo: string(a.Tipo), Accion: a.Accion, Actor: a.Actor,
		ReporteID: a.ReporteID, Status: a.Status, Motivo: a.Motivo, Duracion: a.Duracion,
		RequestID: a.RequestID, HuellaCURP: a.HuellaCURP,
	}
	m.Fase, _ = a.Datos["fase"].(string)
	ciclo, _ := a.Datos["ciclo"].(float64) // as JSON has numbers
	m.Ciclo = int(ciclo)
	if a.Tipo == bitacora.AsientoEnvio {
		m.Coincidencia = a.Recurso
	} else {
		m.Recurso = a.Recurso
	}
	return m
}

func momentoOfBusqueda(b Busqueda, huella []byte) Momento {
	return Momento{
		En: b.EjecutadaEn, Tipo: MomentoBusqueda, Accion: "buscar", Actor: bitacora.ActorSistema,
		ReporteID: b.ReporteID, Ciclo: b.Ciclo, Fase: b.Fase,
		Registros: b.Registros, Coincidencias: b.Coincidencias, HuellaCURP: huella,
	}
}

func momentoOfHallazgo(h Hallazgo, huella []byte) Momento {
	return Momento{
		En: h.DetectadaEn, Tipo: MomentoCoincidencia, Accion: "detectar", Actor: bitacora.ActorSistema,
		ReporteID: h.ReporteID, Ciclo: h.Ciclo, Fase: h.Fase, Coincidencia: h.ID,
		Motivo: h.Estado, HuellaCURP: huella,
	}
}

func (s *Seguimiento) momentos(ctx context.Context, empresa tenant.EmpresaID, f FiltroHallazgos) ([]Momento, error) {
	huellas, err := s.huellas(ctx, empresa, f.ReporteID)
	if err != nil {
		return nil, err
	}
	var all []Momento
	err = s.Store.EachAsiento(ctx, empresa, bitacora.FiltroAsientos{Periodo: f.Periodo, ReporteID: f.ReporteID}, func(chunk []bitacora.Asiento) error {
		for _, a := range chunk {
			if a.Accion != bitacora.AccionVerReporte { // nothing happened to it
				all = append(all, momentoOfAsiento(a))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	busquedas, err := s.Casos.ListBusquedas(ctx, empresa, f)
	if err != nil {
		return nil, fmt.Errorf("ask registros: %w", err)
	}
	for _, b := range busquedas {
		all = append(all, momentoOfBusqueda(b, huellas[b.ReporteID]))
	}
	hallazgos, err := s.Casos.ListHallazgos(ctx, empresa, f)
	if err != nil {
		return nil, fmt.Errorf("ask registros: %w", err)
	}
	for _, h := range hallazgos {
		all = append(all, momentoOfHallazgo(h, huellas[h.ReporteID]))
	}
	slices.SortStableFunc(all, func(a, b Momento) int { return a.En.Compare(b.En) })
	return all, nil
}

// huellas gives the hash of each Reporte's CURP, which registros does not know.
func (s *Seguimiento) huellas(ctx context.Context, empresa tenant.EmpresaID, reporteID string) (map[string][]byte, error) {
	seguidos, err := s.Store.ListSeguidos(ctx, empresa, reporteID)
	if err != nil {
		return nil, err
	}
	huellas := make(map[string][]byte, len(seguidos))
	for _, each := range seguidos {
		huellas[each.ReporteID] = each.HuellaCURP
	}
	return huellas, nil
}
