package grpcapi

import (
	"context"

	"google.golang.org/grpc"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/evidencia"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// ExportEvidencia implements BitacoraService.
func (s *BitacoraServer) ExportEvidencia(req *integracionv1.ExportEvidenciaRequest, stream grpc.ServerStreamingServer[integracionv1.ExportEvidenciaResponse]) error {
	formato, err := evidencia.FormatoOf(req.GetFormato())
	if err != nil {
		return err
	}
	periodo, err := bitacora.ReadPeriodo(req.GetDesde(), req.GetHasta())
	if err != nil {
		return err
	}
	empresa, err := s.Empresas.GetEmpresa(stream.Context(), tenant.EmpresaID(req.GetIdEmpresa()))
	if err != nil {
		return err
	}
	datos := periodo.Datos()
	datos["formato"] = formato.Nombre
	err = s.Auditoria.show(stream.Context(), bitacora.AccionExportar, empresa.ID, "", datos)
	if err != nil {
		return err
	}
	pedido := evidencia.Pedido{Empresa: empresa, Periodo: periodo, Formato: formato}
	return s.Evidencia.Export(stream.Context(), pedido, &archivo{
		stream: stream, next: integracionv1.ExportEvidenciaResponse{Tipo: formato.Tipo, Nombre: pedido.Archivo()},
	})
}

// archivo sends a file as it grows.
type archivo struct {
	stream grpc.ServerStreamingServer[integracionv1.ExportEvidenciaResponse]
	next   integracionv1.ExportEvidenciaResponse
}

// Avance implements [evidencia.Salida].
func (a *archivo) Avance(escritas, total int64) {
	a.next.Escritas, a.next.Total = escritas, total
}

// Write implements [io.Writer].
func (a *archivo) Write(piece []byte) (int, error) {
	a.next.Contenido = piece
	err := a.stream.Send(&a.next)
	if err != nil {
		return 0, err
	}
	a.next.Tipo, a.next.Nombre = "", ""
	return len(piece), nil
}

// GetLlaveEvidencia implements BitacoraService.
func (s *BitacoraServer) GetLlaveEvidencia(context.Context, *integracionv1.GetLlaveEvidenciaRequest) (*integracionv1.GetLlaveEvidenciaResponse, error) {
	publicas := s.Evidencia.Llaves.Publicas()
	answer := &integracionv1.GetLlaveEvidenciaResponse{}
	for i, publica := range publicas {
		llave, err := llaveOf(publica)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			answer.Llave = llave
		} else {
			answer.Anteriores = append(answer.Anteriores, llave)
		}
	}
	return answer, nil
}

func llaveOf(publica evidencia.Publica) (*integracionv1.LlaveEvidencia, error) {
	pem, err := publica.PEM()
	if err != nil {
		return nil, err
	}
	return &integracionv1.LlaveEvidencia{Algoritmo: "Ed25519", Id: publica.ID(), Publica: publica.String(), Pem: pem}, nil
}
