package grpcapi

import (
	"context"
	"log/slog"
	"time"

	"google.golang.org/grpc"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// CasoStore reads the lists; see package postgres.
type CasoStore interface {
	Revision(ctx context.Context, empresa tenant.EmpresaID) (string, error)
	EachCasos(ctx context.Context, empresa tenant.EmpresaID, revision string, yield func([]registros.Caso) error) error
	EachCoincidencias(ctx context.Context, empresa tenant.EmpresaID, revision string, yield func([]registros.Coincidencia) error) error
}

// CasoServer gives institutions their lists.
type CasoServer struct {
	registrosv1.UnimplementedCasoServiceServer

	Store CasoStore
}

// ListCasos streams all Casos of the caller, newest first.
func (s *CasoServer) ListCasos(req *registrosv1.ListCasosRequest, stream grpc.ServerStreamingServer[registrosv1.ListCasosResponse]) error {
	ctx := stream.Context()
	lista, err := s.begin(ctx, req.GetRevisionConocida())
	if err != nil {
		return err
	}
	err = stream.Send(&registrosv1.ListCasosResponse{Revision: lista.revision, SinCambios: lista.sinCambios})
	if err != nil || lista.sinCambios {
		return err
	}
	messages := filled(fillCaso)
	return s.Store.EachCasos(ctx, lista.empresa, lista.revision, func(casos []registros.Caso) error {
		return stream.Send(&registrosv1.ListCasosResponse{Casos: messages(casos)})
	})
}

// ListCoincidencias streams all Coincidencias of the caller, newest first.
func (s *CasoServer) ListCoincidencias(req *registrosv1.ListCoincidenciasRequest, stream grpc.ServerStreamingServer[registrosv1.ListCoincidenciasResponse]) error {
	ctx := stream.Context()
	lista, err := s.begin(ctx, req.GetRevisionConocida())
	if err != nil {
		return err
	}
	err = stream.Send(&registrosv1.ListCoincidenciasResponse{Revision: lista.revision, SinCambios: lista.sinCambios})
	if err != nil || lista.sinCambios {
		return err
	}
	messages := filled(fillCoincidencia)
	return s.Store.EachCoincidencias(ctx, lista.empresa, lista.revision, func(all []registros.Coincidencia) error {
		return stream.Send(&registrosv1.ListCoincidenciasResponse{Coincidencias: messages(all)})
	})
}

// lista is what is known of a list before its rows are read.
type lista struct {
	empresa    tenant.EmpresaID
	revision   string
	sinCambios bool
}

// begin reads whose list it is and its revision. The revision is read before the rows: a
// change in between makes the next poll read again, never miss something.
func (s *CasoServer) begin(ctx context.Context, conocida string) (lista, error) {
	caller, err := auth.PrincipalFrom(ctx)
	if err != nil {
		return lista{}, err
	}
	revision, err := s.Store.Revision(ctx, caller.EmpresaID)
	if err != nil {
		return lista{}, err
	}
	return lista{empresa: caller.EmpresaID, revision: revision, sinCambios: revision == conocida}, nil
}

// CargaStore keeps whether initial loads are finished; see package postgres.
type CargaStore interface {
	GetCarga(ctx context.Context, empresa tenant.EmpresaID) (time.Time, error)
	FinishCarga(ctx context.Context, empresa tenant.EmpresaID) (time.Time, error)
}

// CargaServer lets institutions end their initial load.
type CargaServer struct {
	registrosv1.UnimplementedCargaServiceServer

	Store CargaStore
}

// FinishCarga ends the caller's initial load.
func (s *CargaServer) FinishCarga(ctx context.Context, _ *registrosv1.FinishCargaRequest) (*registrosv1.FinishCargaResponse, error) {
	caller, err := auth.PrincipalFrom(ctx)
	if err != nil {
		return nil, err
	}
	terminada, err := s.Store.FinishCarga(ctx, caller.EmpresaID)
	if err != nil {
		return nil, err
	}
	slog.InfoContext(ctx, "initial load finished", "empresa_id", caller.EmpresaID, "key_id", caller.Subject, "since", terminada)
	return &registrosv1.FinishCargaResponse{IdEmpresa: string(caller.EmpresaID), CargaTerminadaEn: rpc.Instant(terminada)}, nil
}

// GetCarga reports how the caller's initial load stands.
func (s *CargaServer) GetCarga(ctx context.Context, _ *registrosv1.GetCargaRequest) (*registrosv1.GetCargaResponse, error) {
	caller, err := auth.PrincipalFrom(ctx)
	if err != nil {
		return nil, err
	}
	terminada, err := s.Store.GetCarga(ctx, caller.EmpresaID)
	if err != nil {
		return nil, err
	}
	return &registrosv1.GetCargaResponse{IdEmpresa: string(caller.EmpresaID), CargaTerminadaEn: rpc.OptionalInstant(terminada)}, nil
}
