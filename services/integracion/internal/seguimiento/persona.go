package seguimiento

import (
	"context"
	"slices"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/huella"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// ReporteDePersona names a Reporte of a person.
type ReporteDePersona struct {
	EmpresaID tenant.EmpresaID
	ReporteID string
}

// Persona is what was asked, searched, found and told of a person, in all institutions.
type Persona struct {
	Huella      []byte
	Expedientes []Expediente
}

// Notificada tells whether the platform took at least one match.
func (p Persona) Notificada() bool {
	return slices.ContainsFunc(p.Expedientes, func(e Expediente) bool {
		return slices.ContainsFunc(e.Hallazgos, func(h Hallazgo) bool { return h.Estado == envio.Notificada })
	})
}

// FindPersona answers whether the platform was told of a person, and when. It goes by the
// keyed hash of the CURP, which outlives it. The Bitácora has who asked before
// anything more is read.
func (s *Seguimiento) FindPersona(ctx context.Context, curp string) (Persona, error) {
	curp, err := readCURP(curp)
	if err != nil {
		return Persona{}, err
	}
	p := Persona{Huella: huella.CURP(s.Huellas, curp)}
	reportes, err := s.Store.ListReportesDePersona(ctx, p.Huella)
	err = s.recordReason(ctx, bitacora.Asiento{
		EmpresaID: bitacora.SinEmpresa, Tipo: bitacora.AsientoCambio, Accion: "persona_buscada", HuellaCURP: p.Huella,
		Datos: map[string]any{"reportes": len(reportes)},
	}, err)
	if err != nil {
		return p, err
	}
	for _, r := range reportes {
		e, err := s.Show(ctx, r.EmpresaID, r.ReporteID)
		if err != nil {
			return p, err
		}
		p.Expedientes = append(p.Expedientes, e)
	}
	return p, nil
}
