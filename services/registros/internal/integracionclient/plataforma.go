// Package integracionclient is how registros asks integracion: to tell the platform
// something, and who presents an API key.
package integracionclient

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
	"github.com/enlace-iis/enlace/services/registros/internal/wire"
)

// unreachablePause is how long a delivery rests while integracion is away.
const unreachablePause = 2 * time.Second

// Plataforma implements [registros.Plataforma] through integracion.
type Plataforma struct {
	client integracionv1.EntregaServiceClient
}

// NewPlataforma makes a Plataforma on a connection to integracion.
func NewPlataforma(conn grpc.ClientConnInterface) *Plataforma {
	return &Plataforma{client: integracionv1.NewEntregaServiceClient(conn)}
}

// Notify implements [registros.Plataforma].
func (p *Plataforma) Notify(ctx context.Context, empresa tenant.EmpresaID, c registros.Coincidencia) (envio.Respuesta, error) {
	answer, err := p.client.NotifyCoincidencia(ctx, &integracionv1.NotifyCoincidenciaRequest{
		EmpresaId:      string(empresa),
		CoincidenciaId: c.ID.String(),
		ReporteId:      c.ReporteID,
		Ciclo:          int32(c.Ciclo),
		FaseBusqueda:   c.Fase.String(),
		Registro:       wire.Registro(&c.Registro),
	})
	return respuestaOf(answer, err)
}

// Finish implements [registros.Plataforma].
func (p *Plataforma) Finish(ctx context.Context, empresa tenant.EmpresaID, r registros.Reporte) (envio.Respuesta, error) {
	answer, err := p.client.FinishBusqueda(ctx, &integracionv1.FinishBusquedaRequest{
		EmpresaId: string(empresa),
		ReporteId: r.ID,
		Ciclo:     int32(r.Ciclo),
	})
	return respuestaOf(answer, err)
}

// answer is what both answers of integracion have in common.
type answer interface {
	GetResultado() integracionv1.ResultadoEnvio
	GetDetalle() string
	GetEsperarMs() int32
	GetSeguir() bool
}

// respuestaOf reads an answer. That integracion is away is no failure of the job: it costs
// a pause and nothing else.
func respuestaOf(a answer, err error) (envio.Respuesta, error) {
	if errs.Away(err) {
		return envio.Respuesta{Resultado: envio.MasTarde, Esperar: unreachablePause}, nil
	}
	if err != nil {
		return envio.Respuesta{}, fmt.Errorf("ask integracion: %w", err)
	}
	return envio.Respuesta{
		Resultado: a.GetResultado(),
		Detalle:   a.GetDetalle(),
		Esperar:   time.Duration(a.GetEsperarMs()) * time.Millisecond,
		Seguir:    a.GetSeguir(),
	}, nil
}
