package grpcapi

import (
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/internal/auth"
)

// Access is who may call each method of registros.
var Access = auth.Table{
	registrosv1.RegistroService_Ping_FullMethodName:               cliente,
	registrosv1.RegistroService_ValidateRegistros_FullMethodName:  clienteBatch,
	registrosv1.RegistroService_SaveRegistros_FullMethodName:      clienteBatch,
	registrosv1.RegistroService_SaveLote_FullMethodName:           clienteBatch,
	registrosv1.CasoService_ListCasos_FullMethodName:              clienteList,
	registrosv1.CasoService_ListCoincidencias_FullMethodName:      clienteList,
	registrosv1.CapturaService_CaptureRegistro_FullMethodName:     servicio,
	registrosv1.BusquedaService_OpenCaso_FullMethodName:           servicio,
	registrosv1.BusquedaService_CloseCaso_FullMethodName:          servicio,
	registrosv1.OperacionService_ListSituaciones_FullMethodName:   servicio,
	registrosv1.OperacionService_ListHallazgos_FullMethodName:     servicio,
	registrosv1.OperacionService_ListBusquedas_FullMethodName:     servicio,
	registrosv1.OperacionService_RetryCoincidencia_FullMethodName: servicio,
	registrosv1.OperacionService_RetryFinalizacion_FullMethodName: servicio,
}

var (
	// cliente is an institution with a key for the /cliente routes.
	cliente      = auth.Access{Roles: []auth.Rol{auth.RolInstitucion}, Ambito: auth.AmbitoCliente}
	clienteBatch = cliente.With(auth.WorkBatch)
	clienteList  = cliente.With(auth.WorkList)
	// servicio is integracion.
	servicio = auth.Access{Roles: []auth.Rol{auth.RolServicio}}
)
