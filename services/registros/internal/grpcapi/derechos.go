package grpcapi

import (
	"context"

	"google.golang.org/grpc"

	"github.com/enlace-iis/enlace/proto/errores"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
	"github.com/enlace-iis/enlace/services/registros/internal/wire"
)

// FindConservados streams the Registros of a person, or of a folio.
func (s *OperacionServer) FindConservados(req *registrosv1.FindConservadosRequest, stream grpc.ServerStreamingServer[registrosv1.FindConservadosResponse]) error {
	empresa, sel, err := seleccionOf(req.GetSeleccion())
	if err != nil {
		return err
	}
	total, err := s.Store.CountRegistros(stream.Context(), empresa, sel)
	if err != nil {
		return err
	}
	return s.Store.EachConservado(stream.Context(), empresa, sel, func(chunk []registros.RegistroConservado) error {
		return stream.Send(&registrosv1.FindConservadosResponse{Registros: mapped(chunk, conservadoOf), Total: int32Of(total)})
	})
}

// DeleteConservados erases them, or counts what it would erase.
func (s *OperacionServer) DeleteConservados(ctx context.Context, req *registrosv1.DeleteConservadosRequest) (*registrosv1.DeleteConservadosResponse, error) {
	empresa, sel, err := seleccionOf(req.GetSeleccion())
	if err != nil {
		return nil, err
	}
	done, err := s.Store.DeleteRegistros(ctx, empresa, sel, req.GetSimular())
	if err != nil {
		return nil, err
	}
	answer := &registrosv1.DeleteConservadosResponse{Curp: done.CURP, Registros: int32Of(done.Registros)}
	for _, id := range done.Coincidencias {
		answer.Coincidencias = append(answer.Coincidencias, id.String())
	}
	return answer, nil
}

func seleccionOf(s *registrosv1.Seleccion) (tenant.EmpresaID, registros.Seleccion, error) {
	empresa, err := empresaOf(s.GetEmpresaId())
	sel := registros.Seleccion{CURP: s.GetCurp(), Folio: registros.Folio(s.GetFolio())}
	if err == nil && sel == (registros.Seleccion{}) {
		err = errs.New(errores.Validacion, "Falta la CURP o el folio.")
	}
	return empresa, sel, err
}

func conservadoOf(r *registros.RegistroConservado) *registrosv1.RegistroConservado {
	return &registrosv1.RegistroConservado{
		Registro:      wire.Registro(&r.Registro),
		CreadoEn:      rpc.TimestampOf(r.CreadoEn),
		ActualizadoEn: rpc.TimestampOf(r.ActualizadoEn),
		Notificadas:   int32Of(r.Notificadas),
	}
}
