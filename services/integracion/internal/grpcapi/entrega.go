package grpcapi

import (
	"context"
	"math"
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/proto/errores"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// EntregaServer serves EntregaService.
type EntregaServer struct {
	integracionv1.UnimplementedEntregaServiceServer
	Entregas *entregas.Entregas
}

// NotifyCoincidencia implements EntregaService.
func (s *EntregaServer) NotifyCoincidencia(ctx context.Context, req *integracionv1.NotifyCoincidenciaRequest) (*integracionv1.NotifyCoincidenciaResponse, error) {
	coincidencia, err := coincidenciaOf(req)
	if err != nil {
		return nil, err
	}
	r, err := s.Entregas.NotifyCoincidencia(ctx, coincidencia)
	if err != nil {
		return nil, err
	}
	return &integracionv1.NotifyCoincidenciaResponse{
		Resultado: r.Resultado, Detalle: r.Detalle, EsperarMs: milliseconds(r.Esperar), Seguir: r.Seguir,
	}, nil
}

// FinishBusqueda implements EntregaService.
func (s *EntregaServer) FinishBusqueda(ctx context.Context, req *integracionv1.FinishBusquedaRequest) (*integracionv1.FinishBusquedaResponse, error) {
	r, err := s.Entregas.FinishBusqueda(ctx, entregas.Finalizacion{
		EmpresaID: tenant.EmpresaID(req.GetEmpresaId()),
		ReporteID: req.GetReporteId(),
		Ciclo:     int(req.GetCiclo()),
	})
	if err != nil {
		return nil, err
	}
	return &integracionv1.FinishBusquedaResponse{
		Resultado: r.Resultado, Detalle: r.Detalle, EsperarMs: milliseconds(r.Esperar), Seguir: r.Seguir,
	}, nil
}

// milliseconds rounds up, so that who waits so long is not early.
func milliseconds(d time.Duration) int32 {
	ms := (d + time.Millisecond - 1) / time.Millisecond
	return int32(min(ms, math.MaxInt32))
}

func coincidenciaOf(req *integracionv1.NotifyCoincidenciaRequest) (entregas.Coincidencia, error) {
	id, err := uuid.Parse(req.GetCoincidenciaId())
	if err != nil {
		return entregas.Coincidencia{}, errs.New(errores.Validacion, "El identificador de la coincidencia no es un UUID.")
	}
	r := req.GetRegistro()
	return entregas.Coincidencia{
		EmpresaID: tenant.EmpresaID(req.GetEmpresaId()),
		ID:        id,
		ReporteID: req.GetReporteId(),
		Ciclo:     int(req.GetCiclo()),
		Fase:      manual.ParseFase(req.GetFaseBusqueda()),
		Persona:   rpc.PersonaOf(r),
		Evento: entregas.Evento{
			Tipo:             r.GetTipoEvento(),
			Fecha:            fechaOf(r.GetFechaEvento()),
			DescripcionLugar: r.GetDescripcionLugarEvento(),
			Direccion:        rpc.DireccionOf(r.GetDireccionEvento()),
		},
	}, nil
}

// fechaOf leaves a date that is none as not given; the domain refuses where it needs one.
func fechaOf(s string) manual.Fecha {
	fecha, _ := manual.ParseFecha(s)
	return fecha
}
