package grpcapi

import (
	"context"
	"strings"

	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/proto/errores"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/proto/opciones"
	"github.com/enlace-iis/enlace/services/integracion/internal/eventos"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/process/header"
)

// EventoServer serves EventoService.
type EventoServer struct {
	integracionv1.UnimplementedEventoServiceServer
	Eventos   *eventos.Eventos
	Auditoria *Auditoria
	// Metrics counts events.
	Metrics *Metrics
}

// estadoRecibido is the answer's estado.
const estadoRecibido = "recibido"

// ReceiveEvento implements EventoService.
func (s *EventoServer) ReceiveEvento(ctx context.Context, req *integracionv1.ReceiveEventoRequest) (*integracionv1.ReceiveEventoResponse, error) {
	answer, err := s.receive(ctx, req)
	s.Metrics.received(answer.GetDuplicado(), err)
	return answer, err
}

// receive takes an event. The body is read only once its signature is known
// to be right.
func (s *EventoServer) receive(ctx context.Context, req *integracionv1.ReceiveEventoRequest) (*integracionv1.ReceiveEventoResponse, error) {
	principal, err := auth.PrincipalFrom(ctx)
	if err != nil {
		return nil, err
	}
	firma := firmaOf(ctx)
	err = s.Eventos.Authenticate(ctx, principal.Subject, firma, req.GetCuerpo())
	if err != nil {
		s.Auditoria.credencialRefused(ctx, integracionv1.EventoService_ReceiveEvento_FullMethodName, principal, err)
		return nil, err
	}
	if len(req.GetCuerpo()) > opciones.MaxCuerpo { // over gRPC too
		return nil, errs.New(errores.CuerpoDemasiadoGrande, errores.DetalleCuerpoGrande)
	}
	evento, err := readEvento(req.GetCuerpo())
	if err != nil {
		return nil, err
	}
	recibo, err := s.Eventos.Receive(ctx, principal.EmpresaID, firma, evento)
	if err != nil {
		return nil, err
	}
	return &integracionv1.ReceiveEventoResponse{Id: recibo.ID, Estado: estadoRecibido, Duplicado: recibo.Duplicado}, nil
}

func firmaOf(ctx context.Context) eventos.Firma {
	return eventos.Firma{
		ID:        onlyHeader(ctx, header.WebhookID),
		Timestamp: onlyHeader(ctx, header.WebhookTimestamp),
		Valor:     onlyHeader(ctx, header.WebhookSignature),
	}
}

// onlyHeader joins what came more than once, as HTTP reads it: nobody signed that.
func onlyHeader(ctx context.Context, name string) string {
	return strings.Join(metadata.ValueFromIncomingContext(ctx, name), ", ")
}
