package routes

import (
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

// A publicService is a gRPC service whose annotated RPCs are public routes.
type publicService struct {
	name    string
	service Service
}

// publicServices lists them all, the busiest first. A service that is not here has no HTTP route, whatever
// its annotations say.
var publicServices = []publicService{
	{registrosv1.RegistroService_ServiceDesc.ServiceName, Registros},
	{registrosv1.CasoService_ServiceDesc.ServiceName, Registros},
	{integracionv1.AvisoService_ServiceDesc.ServiceName, Integracion},
	{integracionv1.SesionService_ServiceDesc.ServiceName, Integracion},
	{integracionv1.ReporteService_ServiceDesc.ServiceName, Integracion},
	{integracionv1.ApiKeyService_ServiceDesc.ServiceName, Integracion},
	{integracionv1.EmpresaService_ServiceDesc.ServiceName, Integracion},
	{integracionv1.UsuarioService_ServiceDesc.ServiceName, Integracion},
	{integracionv1.CuentaService_ServiceDesc.ServiceName, Integracion},
	{integracionv1.BitacoraService_ServiceDesc.ServiceName, Integracion},
	{integracionv1.SeguimientoService_ServiceDesc.ServiceName, Integracion},
	{integracionv1.SecretoService_ServiceDesc.ServiceName, Integracion},
	{integracionv1.EventoService_ServiceDesc.ServiceName, Integracion},
	{integracionv1.InicioService_ServiceDesc.ServiceName, Integracion},
}
