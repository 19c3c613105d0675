package grpcapi

import (
	"encoding/hex"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/seguimiento"
	"github.com/enlace-iis/enlace/services/internal/rpc"
)

// each writes every element of a list.
func each[T, W any](all []T, write func(T) W) []W {
	written := make([]W, len(all))
	for i, item := range all {
		written[i] = write(item)
	}
	return written
}

func expedienteOf(e seguimiento.Expediente) *integracionv1.Expediente {
	return &integracionv1.Expediente{
		IdEmpresa: string(e.EmpresaID), ReporteId: e.ReporteID, Ciclos: each(e.Ciclos, seguidoOf),
		Coincidencias: each(e.Hallazgos, hallazgoOf), Historia: each(e.Momentos, momentoOf),
	}
}

func seguidoOf(r seguimiento.Seguido) *integracionv1.ReporteSeguido {
	wire := &integracionv1.ReporteSeguido{
		ReporteId: r.ReporteID, Ciclo: int32(r.Ciclo), Estado: string(r.Estado), ActivadoEn: rpc.Instant(r.ActivadoEn),
		DesactivadoEn: rpc.OptionalInstant(r.DesactivadoEn), Observacion: rpc.Optional(string(r.Observacion)),
		ObservadaEn: rpc.OptionalInstant(r.ObservadaEn), CurpHuella: hex.EncodeToString(r.HuellaCURP),
	}
	if c := r.Situacion; c != nil {
		wire.Caso = &integracionv1.CasoSeguido{
			Id: c.CasoID, Estado: c.Estado, Fase: string(c.Fase), Finalizacion: c.Finalizacion,
			BusquedaFinalizadaEn: rpc.OptionalInstant(c.FinalizadaEn),
			Pendientes:           int32(c.Pendientes), Notificadas: int32(c.Notificadas), Rechazadas: int32(c.Rechazadas), Canceladas: int32(c.Canceladas),
		}
	}
	return wire
}

func hallazgoOf(h seguimiento.Hallazgo) *integracionv1.HallazgoSeguido {
	return &integracionv1.HallazgoSeguido{
		Id: h.ID, ReporteId: h.ReporteID, Ciclo: int32(h.Ciclo), FaseBusqueda: string(h.Fase), Folio: h.Folio, Estado: h.Estado,
		DetectadaEn: rpc.Instant(h.DetectadaEn), NotificadaEn: rpc.OptionalInstant(h.NotificadaEn), Detalle: rpc.Optional(h.Detalle),
	}
}

func momentoOf(m seguimiento.Momento) *integracionv1.Momento {
	return &integracionv1.Momento{
		OcurridoEn: rpc.Instant(m.En), Tipo: m.Tipo, Accion: m.Accion, Actor: m.Actor, ReporteId: m.ReporteID,
		Ciclo: rpc.Optional(int32(m.Ciclo)), FaseBusqueda: rpc.Optional(m.Fase), CoincidenciaId: rpc.Optional(m.Coincidencia),
		Recurso: rpc.Optional(m.Recurso), Status: rpc.Optional(int32(m.Status)), Motivo: rpc.Optional(m.Motivo),
		DuracionMs: rpc.Optional(int32(m.Duracion.Milliseconds())), Registros: int32(m.Registros), Coincidencias: int32(m.Coincidencias),
		CurpHuella: rpc.Optional(hex.EncodeToString(m.HuellaCURP)), RequestId: rpc.Optional(m.RequestID),
	}
}
