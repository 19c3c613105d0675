package grpcapi

import (
	"context"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
)

// InicioServer serves InicioService.
type InicioServer struct {
	integracionv1.UnimplementedInicioServiceServer
	Version string
}

// GetInicio implements InicioService (contract, section 7).
func (s *InicioServer) GetInicio(context.Context, *integracionv1.GetInicioRequest) (*integracionv1.GetInicioResponse, error) {
	return &integracionv1.GetInicioResponse{
		Aplicacion:  "Enlace",
		Version:     s.Version,
		Descripcion: "Conecta a las instituciones con la Plataforma Única de Identidad: recibe sus registros, los compara con los reportes de búsqueda y notifica las coincidencias.",
		Endpoints: &integracionv1.Endpoints{
			Docs:                  "/docs",
			Health:                "/health",
			Login:                 "POST /login",
			ActivarReporte:        "POST /activar-reporte",
			ActivarReportePrueba:  "POST /activar-reporte-prueba",
			DesactivarReporte:     "POST /desactivar-reporte",
			WebhookEventos:        "POST /webhooks/eventos",
			WebhookApiKeysCrear:   "POST /webhooks/api-keys",
			WebhookApiKeysListar:  "GET /webhooks/api-keys/{id_empresa}",
			WebhookApiKeysRevocar: "POST /webhooks/api-keys/{key_id}/revocar",
		},
	}, nil
}
