package grpcapi

import (
	"context"
	"math"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc"

	"github.com/enlace-iis/enlace/proto/errores"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// OperacionStore is what an operator may know and do; see package postgres.
type OperacionStore interface {
	ListActividades(ctx context.Context, empresa tenant.EmpresaID) ([]registros.Actividad, error)
	EachSituacion(ctx context.Context, empresa tenant.EmpresaID, reporteID string, yield func([]registros.Situacion) error) error
	EachHallazgo(ctx context.Context, empresa tenant.EmpresaID, f registros.Filtro, yield func([]registros.Hallazgo) error) error
	EachBusqueda(ctx context.Context, empresa tenant.EmpresaID, f registros.Filtro, yield func([]registros.Busqueda) error) error
	RetryCoincidencia(ctx context.Context, empresa tenant.EmpresaID, id registros.CoincidenciaID) error
	RetryFinalizacion(ctx context.Context, empresa tenant.EmpresaID, reporteID string, ciclo int) error
	FinishCarga(ctx context.Context, empresa tenant.EmpresaID) (time.Time, error)
	SearchAgain(ctx context.Context, empresa tenant.EmpresaID, reporteID string, ciclo int) error
	SearchAllAgain(ctx context.Context, empresa tenant.EmpresaID) error
	WakeEntregas(ctx context.Context, empresa tenant.EmpresaID) error
	GetLote(ctx context.Context, empresa tenant.EmpresaID, id registros.LoteID) (registros.LoteRecibido, error)
	ListCifras(ctx context.Context, empresa tenant.EmpresaID, now time.Time) ([]registros.Cifras, error)
	CountRegistros(ctx context.Context, empresa tenant.EmpresaID, sel registros.Seleccion) (int, error)
	EachConservado(ctx context.Context, empresa tenant.EmpresaID, sel registros.Seleccion, yield func([]registros.RegistroConservado) error) error
	DeleteRegistros(ctx context.Context, empresa tenant.EmpresaID, sel registros.Seleccion, simular bool) (registros.Borrado, error)
}

// OperacionServer answers integracion, which answers the operator.
type OperacionServer struct {
	registrosv1.UnimplementedOperacionServiceServer

	Store OperacionStore
}

// ListActividades streams what operators look for in each institution.
func (s *OperacionServer) ListActividades(req *registrosv1.ListActividadesRequest, stream grpc.ServerStreamingServer[registrosv1.ListActividadesResponse]) error {
	all, err := s.Store.ListActividades(stream.Context(), tenant.EmpresaID(req.GetEmpresaId()))
	if err != nil {
		return err
	}
	return rpc.SendList(stream, all, func(chunk []registros.Actividad) *registrosv1.ListActividadesResponse {
		return &registrosv1.ListActividadesResponse{Actividades: mapped(chunk, actividadOf)}
	})
}

func actividadOf(a *registros.Actividad) *registrosv1.ActividadDeEmpresa {
	return &registrosv1.ActividadDeEmpresa{
		EmpresaId:         string(a.EmpresaID),
		UltimoRegistroEn:  rpc.TimestampOf(a.UltimoRegistroEn),
		Pendientes:        int32Of(a.Pendientes),
		PendienteDesde:    rpc.TimestampOf(a.PendienteDesde),
		Rechazadas:        int32Of(a.Rechazadas),
		FinalesRechazados: int32Of(a.FinalesRechazados),
		CargaTerminadaEn:  rpc.TimestampOf(a.CargaTerminadaEn),
	}
}

// ListSituaciones streams how far each Caso has come.
func (s *OperacionServer) ListSituaciones(req *registrosv1.ListSituacionesRequest, stream grpc.ServerStreamingServer[registrosv1.ListSituacionesResponse]) error {
	empresa, err := empresaOf(req.GetEmpresaId())
	if err != nil {
		return err
	}
	return s.Store.EachSituacion(stream.Context(), empresa, req.GetReporteId(), func(all []registros.Situacion) error {
		return stream.Send(&registrosv1.ListSituacionesResponse{Situaciones: mapped(all, situacionOf)})
	})
}

// ListHallazgos streams the Coincidencias that the filter chooses.
func (s *OperacionServer) ListHallazgos(req *registrosv1.ListHallazgosRequest, stream grpc.ServerStreamingServer[registrosv1.ListHallazgosResponse]) error {
	empresa, err := empresaOf(req.GetEmpresaId())
	if err != nil {
		return err
	}
	filtro := registros.Filtro{
		ReporteID: req.GetReporteId(), Estado: registros.EstadoCoincidencia(req.GetEstado()),
		Desde: rpc.TimeOf(req.GetDesde()), Hasta: rpc.TimeOf(req.GetHasta()),
	}
	return s.Store.EachHallazgo(stream.Context(), empresa, filtro, func(all []registros.Hallazgo) error {
		return stream.Send(&registrosv1.ListHallazgosResponse{Hallazgos: mapped(all, hallazgoOf)})
	})
}

// ListBusquedas streams the searches that the filter chooses.
func (s *OperacionServer) ListBusquedas(req *registrosv1.ListBusquedasRequest, stream grpc.ServerStreamingServer[registrosv1.ListBusquedasResponse]) error {
	empresa, err := empresaOf(req.GetEmpresaId())
	if err != nil {
		return err
	}
	filtro := registros.Filtro{ReporteID: req.GetReporteId(), Desde: rpc.TimeOf(req.GetDesde()), Hasta: rpc.TimeOf(req.GetHasta())}
	return s.Store.EachBusqueda(stream.Context(), empresa, filtro, func(all []registros.Busqueda) error {
		return stream.Send(&registrosv1.ListBusquedasResponse{Busquedas: mapped(all, busquedaOf)})
	})
}

// RetryCoincidencia makes a Coincidencia pending again.
func (s *OperacionServer) RetryCoincidencia(ctx context.Context, req *registrosv1.RetryCoincidenciaRequest) (*registrosv1.RetryCoincidenciaResponse, error) {
	empresa, err := empresaOf(req.GetEmpresaId())
	if err != nil {
		return nil, err
	}
	id, err := uuid.Parse(req.GetCoincidenciaId())
	if err != nil {
		return nil, errs.New(errores.Validacion, "El identificador de la coincidencia no es un UUID.")
	}
	err = s.Store.RetryCoincidencia(ctx, empresa, id)
	if err != nil {
		return nil, err
	}
	return &registrosv1.RetryCoincidenciaResponse{}, nil
}

// RetryFinalizacion makes a rejected end of a search pending again.
func (s *OperacionServer) RetryFinalizacion(ctx context.Context, req *registrosv1.RetryFinalizacionRequest) (*registrosv1.RetryFinalizacionResponse, error) {
	empresa, err := empresaOf(req.GetEmpresaId())
	if err != nil {
		return nil, err
	}
	err = s.Store.RetryFinalizacion(ctx, empresa, req.GetReporteId(), int(req.GetCiclo()))
	if err != nil {
		return nil, err
	}
	return &registrosv1.RetryFinalizacionResponse{}, nil
}

// CompleteCarga ends the initial load of an institution.
func (s *OperacionServer) CompleteCarga(ctx context.Context, req *registrosv1.CompleteCargaRequest) (*registrosv1.CompleteCargaResponse, error) {
	empresa, err := empresaOf(req.GetEmpresaId())
	if err != nil {
		return nil, err
	}
	terminada, err := s.Store.FinishCarga(ctx, empresa)
	if err != nil {
		return nil, err
	}
	return &registrosv1.CompleteCargaResponse{CargaTerminadaEn: rpc.TimestampOf(terminada)}, nil
}

// SearchAgain asks for another search of one Caso, or of all open ones.
func (s *OperacionServer) SearchAgain(ctx context.Context, req *registrosv1.SearchAgainRequest) (*registrosv1.SearchAgainResponse, error) {
	empresa, err := empresaOf(req.GetEmpresaId())
	if err != nil {
		return nil, err
	}
	if req.GetReporteId() == "" {
		err = s.Store.SearchAllAgain(ctx, empresa)
	} else {
		err = s.Store.SearchAgain(ctx, empresa, req.GetReporteId(), int(req.GetCiclo()))
	}
	if err != nil {
		return nil, err
	}
	return &registrosv1.SearchAgainResponse{}, nil
}

// WakeEntregas has deliveries that wait go on now.
func (s *OperacionServer) WakeEntregas(ctx context.Context, req *registrosv1.WakeEntregasRequest) (*registrosv1.WakeEntregasResponse, error) {
	empresa, err := empresaOf(req.GetEmpresaId())
	if err != nil {
		return nil, err
	}
	err = s.Store.WakeEntregas(ctx, empresa)
	if err != nil {
		return nil, err
	}
	return &registrosv1.WakeEntregasResponse{}, nil
}

// GetLoteRecibido tells what a batch was.
func (s *OperacionServer) GetLoteRecibido(ctx context.Context, req *registrosv1.GetLoteRecibidoRequest) (*registrosv1.GetLoteRecibidoResponse, error) {
	empresa, err := empresaOf(req.GetEmpresaId())
	if err != nil {
		return nil, err
	}
	id, err := uuid.Parse(req.GetLoteId())
	if err != nil {
		return nil, errs.New(errores.NoEncontrado, registros.LoteMissing)
	}
	lote, err := s.Store.GetLote(ctx, empresa, id)
	if err != nil {
		return nil, err
	}
	return &registrosv1.GetLoteRecibidoResponse{Lote: loteOf(lote)}, nil
}

// GetCifras sums the last days.
func (s *OperacionServer) GetCifras(ctx context.Context, req *registrosv1.GetCifrasRequest) (*registrosv1.GetCifrasResponse, error) {
	empresa, err := empresaOf(req.GetEmpresaId())
	if err != nil {
		return nil, err
	}
	all, err := s.Store.ListCifras(ctx, empresa, time.Now())
	if err != nil {
		return nil, err
	}
	return &registrosv1.GetCifrasResponse{Dias: mapped(all, cifrasOf)}, nil
}

// empresaOf refuses a request that names no institution.
func empresaOf(id string) (tenant.EmpresaID, error) {
	if id == "" {
		return "", errs.New(errores.Validacion, "Falta la institución.")
	}
	return tenant.EmpresaID(id), nil
}

func situacionOf(s *registros.Situacion) *registrosv1.Situacion {
	return &registrosv1.Situacion{
		CasoId:               s.CasoID.String(),
		ReporteId:            s.ReporteID,
		Ciclo:                int32Of(s.Ciclo),
		Estado:               string(s.Estado),
		Fase:                 s.Fase().String(),
		Pendientes:           int32Of(s.Pendientes),
		Notificadas:          int32Of(s.Notificadas),
		Rechazadas:           int32Of(s.Rechazadas),
		Canceladas:           int32Of(s.Canceladas),
		Finalizacion:         string(s.Finalizacion),
		BusquedaFinalizadaEn: rpc.TimestampOf(s.FinalizadaEn),
	}
}

func hallazgoOf(h *registros.Hallazgo) *registrosv1.Hallazgo {
	return &registrosv1.Hallazgo{
		Id:           h.ID.String(),
		ReporteId:    h.ReporteID,
		Ciclo:        int32Of(h.Ciclo),
		Fase:         h.Fase.String(),
		Folio:        string(h.Folio),
		Estado:       string(h.Estado),
		DetectadaEn:  rpc.TimestampOf(h.DetectadaEn),
		NotificadaEn: rpc.TimestampOf(h.NotificadaEn),
		Detalle:      h.Detalle,
	}
}

func busquedaOf(b *registros.Busqueda) *registrosv1.Busqueda {
	return &registrosv1.Busqueda{
		Id:            b.ID.String(),
		ReporteId:     b.ReporteID,
		Ciclo:         int32Of(b.Ciclo),
		Fase:          b.Fase.String(),
		EjecutadaEn:   rpc.TimestampOf(b.EjecutadaEn),
		Registros:     int32Of(b.Registros),
		Coincidencias: int32Of(b.Coincidencias),
	}
}

func loteOf(l registros.LoteRecibido) *registrosv1.LoteRecibido {
	return &registrosv1.LoteRecibido{
		Id:            l.ID.String(),
		KeyId:         l.KeyID,
		RecibidoEn:    rpc.TimestampOf(l.RecibidoEn),
		Total:         int32Of(l.Total),
		Creados:       int32Of(l.Creados),
		Actualizados:  int32Of(l.Actualizados),
		SinCambios:    int32Of(l.SinCambios),
		Rechazados:    int32Of(l.Rechazados),
		Coincidencias: int32Of(l.Coincidencias),
	}
}

func cifrasOf(c *registros.Cifras) *registrosv1.CifrasDeDia {
	return &registrosv1.CifrasDeDia{
		Dia:           c.Dia.String(),
		Recibidos:     int32Of(c.Recibidos),
		Creados:       int32Of(c.Creados),
		Actualizados:  int32Of(c.Actualizados),
		Rechazados:    int32Of(c.Rechazados),
		Coincidencias: int32Of(c.Coincidencias),
		Notificadas:   int32Of(c.Notificadas),
		MedianaMs:     int32Of(int(min(c.Mediana.Milliseconds(), math.MaxInt32))),
	}
}
