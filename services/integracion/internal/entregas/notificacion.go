package entregas

import (
	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Evento is the administrative act that a match tells of, never the study or its result.
type Evento struct {
	Tipo             string
	Fecha            manual.Fecha
	DescripcionLugar string
	Direccion        manual.Direccion
}

// Coincidencia is a match to tell the platform.
type Coincidencia struct {
	EmpresaID tenant.EmpresaID
	ID        uuid.UUID
	ReporteID string
	Ciclo     int
	Fase      manual.Fase
	Persona   manual.Persona
	Evento    Evento // zero in phase 1
}

// Finalizacion is the end of a historical search, to tell the platform.
type Finalizacion struct {
	EmpresaID tenant.EmpresaID
	ReporteID string
	Ciclo     int
}

// Validate refuses what registros never sends.
func (c Coincidencia) Validate() error {
	switch {
	case c.EmpresaID == "" || c.ID == uuid.Nil || c.ReporteID == "" || c.Ciclo < 1:
		return errs.New(errores.Validacion, "Falta identificar la coincidencia.")
	case !manual.IsCURP(c.Persona.CURP):
		return errs.New(errores.Validacion, errores.FormaCURP)
	case c.Fase == 0:
		return errs.New(errores.Validacion, "La fase debe ser 1, 2 o 3.")
	case c.Fase != manual.FaseBasicos && c.Evento.Fecha.IsZero():
		return errs.New(errores.Validacion, "Las fases 2 y 3 necesitan la fecha del evento.")
	default:
		return nil
	}
}

// Validate refuses what registros never sends.
func (f Finalizacion) Validate() error {
	if f.EmpresaID == "" || f.ReporteID == "" || f.Ciclo < 1 {
		return errs.New(errores.Validacion, "Falta identificar el reporte.")
	}
	return nil
}
