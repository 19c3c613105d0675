package grpcapi

import (
	"google.golang.org/grpc"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/rpc"
)

// AvisoServer serves AvisoService.
type AvisoServer struct {
	integracionv1.UnimplementedAvisoServiceServer
	Avisos reportes.AvisoStore
}

// ListAvisos implements AvisoService. Fifty Avisos fit one message.
func (s *AvisoServer) ListAvisos(req *integracionv1.ListAvisosRequest, stream grpc.ServerStreamingServer[integracionv1.ListAvisosResponse]) error {
	principal, err := auth.PrincipalFrom(stream.Context())
	if err != nil {
		return err
	}
	lista, err := s.Avisos.ListAvisos(stream.Context(), principal.EmpresaID, req.GetRevisionConocida())
	if err != nil {
		return err
	}
	answer := &integracionv1.ListAvisosResponse{Revision: lista.Revision, SinCambios: lista.SinCambios}
	for _, aviso := range lista.Avisos {
		answer.Reportes = append(answer.Reportes, avisoOf(aviso))
	}
	return stream.Send(answer)
}

func avisoOf(a reportes.Aviso) *integracionv1.Aviso {
	wire := &integracionv1.Aviso{
		Id:         a.ID.String(),
		ReporteId:  a.ReporteID,
		Tipo:       string(a.Tipo),
		RecibidoEn: rpc.Instant(a.RecibidoEn),
	}
	if a.CURP != "" {
		wire.Curp = new(a.CURP)
	}
	return wire
}
