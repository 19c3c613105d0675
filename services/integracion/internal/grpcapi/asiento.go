package grpcapi

import (
	"context"
	"encoding/hex"
	"encoding/json"

	"google.golang.org/grpc"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/evidencia"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// BitacoraServer serves BitacoraService.
type BitacoraServer struct {
	integracionv1.UnimplementedBitacoraServiceServer
	Bitacora bitacora.Store
	Empresas EmpresaReader
	// Evidencia writes what a third party can check.
	Evidencia *evidencia.Exportacion
	Auditoria *Auditoria
}

// ListBitacora implements BitacoraService.
func (s *BitacoraServer) ListBitacora(req *integracionv1.ListBitacoraRequest, stream grpc.ServerStreamingServer[integracionv1.ListBitacoraResponse]) error {
	empresa := tenant.EmpresaID(req.GetIdEmpresa())
	_, err := s.Empresas.GetEmpresa(stream.Context(), empresa)
	if err != nil {
		return err
	}
	return s.each(stream.Context(), empresa, req.GetDesde(), req.GetHasta(), func(asientos []*integracionv1.Asiento) error {
		return stream.Send(&integracionv1.ListBitacoraResponse{Asientos: asientos})
	})
}

// ListBitacoraGeneral implements BitacoraService.
func (s *BitacoraServer) ListBitacoraGeneral(req *integracionv1.ListBitacoraGeneralRequest, stream grpc.ServerStreamingServer[integracionv1.ListBitacoraGeneralResponse]) error {
	return s.each(stream.Context(), bitacora.SinEmpresa, req.GetDesde(), req.GetHasta(), func(asientos []*integracionv1.Asiento) error {
		return stream.Send(&integracionv1.ListBitacoraGeneralResponse{Asientos: asientos})
	})
}

// each takes note of the reader and sends chunk after chunk, so that memory does not grow with the time asked for.
func (s *BitacoraServer) each(ctx context.Context, empresa tenant.EmpresaID, desde, hasta string, send func([]*integracionv1.Asiento) error) error {
	periodo, err := bitacora.ReadPeriodo(desde, hasta)
	if err != nil {
		return err
	}
	err = s.Auditoria.show(ctx, bitacora.AccionVerBitacora, empresa, "", periodo.Datos())
	if err != nil {
		return err
	}
	return s.Bitacora.EachAsiento(ctx, empresa, bitacora.FiltroAsientos{Periodo: periodo}, func(chunk []bitacora.Asiento) error {
		return send(each(chunk, asientoOf))
	})
}

func asientoOf(a bitacora.Asiento) *integracionv1.Asiento {
	datos, err := json.Marshal(a.Datos)
	if err != nil || a.Datos == nil {
		datos = []byte("{}")
	}
	return &integracionv1.Asiento{
		Id: a.ID.String(), OcurridoEn: rpc.Instant(a.OcurridoEn), IdEmpresa: string(a.EmpresaID), Tipo: string(a.Tipo),
		Accion: a.Accion, Actor: a.Actor, RequestId: rpc.Optional(a.RequestID), ReporteId: rpc.Optional(a.ReporteID), Recurso: rpc.Optional(a.Recurso),
		Status: rpc.Optional(int32(a.Status)), Motivo: rpc.Optional(a.Motivo), DuracionMs: rpc.Optional(int32(a.Duracion.Milliseconds())),
		CurpHuella: rpc.Optional(hex.EncodeToString(a.HuellaCURP)), Datos: string(datos),
	}
}
