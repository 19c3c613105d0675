package grpcapi

import (
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/internal/auth"
)

// Access is who may call each method of registros, as their protos say.
var Access = auth.TableOf(
	registrosv1.RegistroService_ServiceDesc.ServiceName,
	registrosv1.CasoService_ServiceDesc.ServiceName,
	registrosv1.CapturaService_ServiceDesc.ServiceName,
	registrosv1.BusquedaService_ServiceDesc.ServiceName,
	registrosv1.OperacionService_ServiceDesc.ServiceName,
)
