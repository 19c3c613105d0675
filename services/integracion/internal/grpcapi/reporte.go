package grpcapi

import (
	"cmp"
	"context"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// The texts that the manual mandates, the final full stop of the first included (§8.2) and
// that of the second not (§8.4). §8.3 mandates none; the first serves.
const (
	mensajeActivacion    = "La solicitud de activación del reporte de búsqueda se recibió correctamente."
	mensajeDesactivacion = "Registro de finalización de búsqueda histórica guardado correctamente"
)

// ReporteServer serves ReporteService.
type ReporteServer struct {
	integracionv1.UnimplementedReporteServiceServer
	Reportes  *reportes.Reportes
	Direccion DireccionPropia
	Auditoria *Auditoria
}

// ActivateReporte implements ReporteService.
func (s *ReporteServer) ActivateReporte(ctx context.Context, req *integracionv1.ActivateReporteRequest) (*integracionv1.ActivateReporteResponse, error) {
	a := req.GetActivacion()
	asked := solicitud{accion: bitacora.AccionActivar, reporteID: a.GetId(), curp: a.GetCurp()}
	err := s.serve(ctx, req.GetIdEmpresa(), asked, func(empresa tenant.EmpresaID) error {
		_, err := s.Reportes.Activate(ctx, empresa, activacionOf(a))
		return err
	})
	if err != nil {
		return nil, err
	}
	return &integracionv1.ActivateReporteResponse{Message: mensajeActivacion}, nil
}

// ActivateReportePrueba implements ReporteService.
func (s *ReporteServer) ActivateReportePrueba(ctx context.Context, req *integracionv1.ActivateReportePruebaRequest) (*integracionv1.ActivateReportePruebaResponse, error) {
	a := req.GetActivacion()
	asked := solicitud{accion: bitacora.AccionActivarPrueba, reporteID: a.GetId(), curp: a.GetCurp()}
	err := s.serve(ctx, req.GetIdEmpresa(), asked, func(empresa tenant.EmpresaID) error {
		return s.Reportes.ActivatePrueba(ctx, empresa, activacionOf(a))
	})
	if err != nil {
		return nil, err
	}
	return &integracionv1.ActivateReportePruebaResponse{Message: mensajeActivacion}, nil
}

// DeactivateReporte implements ReporteService.
func (s *ReporteServer) DeactivateReporte(ctx context.Context, req *integracionv1.DeactivateReporteRequest) (*integracionv1.DeactivateReporteResponse, error) {
	id := req.GetDesactivacion().GetId()
	asked := solicitud{accion: bitacora.AccionDesactivar, reporteID: id}
	err := s.serve(ctx, req.GetIdEmpresa(), asked, func(empresa tenant.EmpresaID) error {
		return s.Reportes.Deactivate(ctx, empresa, id)
	})
	if err != nil {
		return nil, err
	}
	return &integracionv1.DeactivateReporteResponse{Message: mensajeDesactivacion}, nil
}

// serve does what the platform asks, for the institution of its token. What is accepted
// leaves its entry in the Bitácora by itself; a refusal leaves one here.
func (s *ReporteServer) serve(ctx context.Context, idEmpresa string, asked solicitud, do func(tenant.EmpresaID) error) error {
	principal, err := auth.PrincipalFrom(ctx)
	if err != nil {
		return err
	}
	err = s.Direccion.Check(ctx, idEmpresa, principal.EmpresaID)
	if err == nil {
		err = do(principal.EmpresaID)
	}
	if err != nil {
		s.Auditoria.refused(ctx, asked, principal.EmpresaID, err)
	}
	return err
}

func activacionOf(a *integracionv1.Activacion) reportes.Activacion {
	return reportes.Activacion{
		ID:                 a.GetId(),
		CURP:               a.GetCurp(),
		Nombre:             a.GetNombre(),
		PrimerApellido:     a.GetPrimerApellido(),
		SegundoApellido:    a.GetSegundoApellido(),
		FechaNacimiento:    a.GetFechaNacimiento(),
		FechaDesaparicion:  a.GetFechaDesaparicion(),
		LugarNacimiento:    cmp.Or(a.GetLugarNacimiento(), a.GetLugarDeNacimiento()),
		SexoAsignado:       a.GetSexoAsignado(),
		Telefono:           a.GetTelefono(),
		Correo:             a.GetCorreo(),
		Direccion:          a.GetDireccion(),
		Calle:              a.GetCalle(),
		Numero:             a.GetNumero(),
		Colonia:            a.GetColonia(),
		CodigoPostal:       a.GetCodigoPostal(),
		MunicipioOAlcaldia: a.GetMunicipioOAlcaldia(),
		EntidadFederativa:  a.GetEntidadFederativa(),
	}
}
