package grpcapi

import (
	"google.golang.org/grpc"

	accesov1 "github.com/enlace-iis/enlace/proto/gen/enlace/acceso/v1"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/internal/auth"
)

// Servicios is every service of integracion.
type Servicios struct {
	Acceso    *auth.Guard
	Auditoria *Auditoria
	Inicio    *InicioServer
	Sesion    *SesionServer
	Reporte   *ReporteServer
	Aviso     *AvisoServer
	ApiKey    *ApiKeyServer
	Empresa   *EmpresaServer
	Evento    *EventoServer

	Seguimiento *SeguimientoServer
	Usuario     *UsuarioServer
	Cuenta      *CuentaServer
	Bitacora    *BitacoraServer
	Secreto     *SecretoServer
	Credencial  *CredencialServer
	Entrega     *EntregaServer
}

// Register adds the services to a server.
func (s Servicios) Register(server grpc.ServiceRegistrar) {
	accesov1.RegisterAccesoServiceServer(server, s.Acceso)
	integracionv1.RegisterInicioServiceServer(server, s.Inicio)
	integracionv1.RegisterSesionServiceServer(server, s.Sesion)
	integracionv1.RegisterReporteServiceServer(server, s.Reporte)
	integracionv1.RegisterAvisoServiceServer(server, s.Aviso)
	integracionv1.RegisterApiKeyServiceServer(server, s.ApiKey)
	integracionv1.RegisterEmpresaServiceServer(server, s.Empresa)
	integracionv1.RegisterUsuarioServiceServer(server, s.Usuario)
	integracionv1.RegisterCuentaServiceServer(server, s.Cuenta)
	integracionv1.RegisterBitacoraServiceServer(server, s.Bitacora)
	integracionv1.RegisterSeguimientoServiceServer(server, s.Seguimiento)
	integracionv1.RegisterSecretoServiceServer(server, s.Secreto)
	integracionv1.RegisterEventoServiceServer(server, s.Evento)
	integracionv1.RegisterCredencialServiceServer(server, s.Credencial)
	integracionv1.RegisterEntregaServiceServer(server, s.Entrega)
}
