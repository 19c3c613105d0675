package grpcapi

import (
	"context"

	"github.com/enlace-iis/enlace/proto/errores"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
	"github.com/enlace-iis/enlace/services/registros/internal/wire"
)

// FindConservados gives the Registros of a person, or of a folio.
func (s *OperacionServer) FindConservados(ctx context.Context, req *registrosv1.FindConservadosRequest) (*registrosv1.FindConservadosResponse, error) {
	empresa, sel, err := seleccionOf(req.GetSeleccion())
	if err != nil {
		return nil, err
	}
	all, err := s.Store.FindRegistros(ctx, empresa, sel)
	if err != nil {
		return nil, err
	}
	return &registrosv1.FindConservadosResponse{Registros: mapped(all, conservadoOf)}, nil
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
	return &registrosv1.DeleteConservadosResponse{
		Curp: done.CURP, Registros: int32Of(done.Registros), Coincidencias: int32Of(done.Coincidencias),
	}, nil
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
