package routes

import (
	"context"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

// A publicService is a gRPC service whose annotated RPCs are public routes.
type publicService struct {
	name    string
	service Service
	// register is the generated registration of unary RPCs; nil for a service of lists alone.
	// Lists among the unary ones are registered again, as arrays, see NewMux.
	register func(context.Context, *runtime.ServeMux, *grpc.ClientConn) error
}

// publicServices lists them all, the busiest first. A service that is not here has no HTTP route, whatever
// its annotations say.
var publicServices = []publicService{
	{registrosv1.RegistroService_ServiceDesc.ServiceName, Registros, registrosv1.RegisterRegistroServiceHandler},
	{registrosv1.CasoService_ServiceDesc.ServiceName, Registros, nil},
	{integracionv1.AvisoService_ServiceDesc.ServiceName, Integracion, nil},
	{integracionv1.SesionService_ServiceDesc.ServiceName, Integracion, integracionv1.RegisterSesionServiceHandler},
	{integracionv1.ReporteService_ServiceDesc.ServiceName, Integracion, integracionv1.RegisterReporteServiceHandler},
	{integracionv1.ApiKeyService_ServiceDesc.ServiceName, Integracion, integracionv1.RegisterApiKeyServiceHandler},
	{integracionv1.EventoService_ServiceDesc.ServiceName, Integracion, integracionv1.RegisterEventoServiceHandler},
	{integracionv1.InicioService_ServiceDesc.ServiceName, Integracion, integracionv1.RegisterInicioServiceHandler},
}
