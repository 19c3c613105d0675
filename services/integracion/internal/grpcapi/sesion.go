package grpcapi

import (
	"context"
	"log/slog"
	"net/netip"
	"sync"

	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/process/fair"
	"github.com/enlace-iis/enlace/services/process/header"
)

// SesionServer serves SesionService.
type SesionServer struct {
	integracionv1.UnimplementedSesionServiceServer
	Sesiones  *cuentas.Sesiones
	Auditoria *Auditoria
	Direccion DireccionPropia
	// Gateways are the secrets of those whose word on the client's address is taken.
	Gateways auth.Secrets
	// Log is told once of a caller whose word is not.
	Log *slog.Logger
	// Metrics counts logins.
	Metrics *Metrics

	unknown sync.Once
}

// Login implements SesionService.
func (s *SesionServer) Login(ctx context.Context, req *integracionv1.LoginRequest) (*integracionv1.LoginResponse, error) {
	answer, err := s.login(ctx, req)
	s.Metrics.loggedIn(req.GetCredenciales().GetUsuario(), err)
	return answer, err
}

func (s *SesionServer) login(ctx context.Context, req *integracionv1.LoginRequest) (*integracionv1.LoginResponse, error) {
	err := s.Direccion.Check(ctx, req.GetIdEmpresa(), "")
	if err != nil {
		return nil, err
	}
	token, sesion, err := s.Sesiones.Login(ctx, cuentas.Credenciales{
		EmpresaID: tenant.EmpresaID(req.GetIdEmpresa()),
		Usuario:   req.GetCredenciales().GetUsuario(),
		Clave:     cuentas.Secreto(req.GetCredenciales().GetClave()),
		Codigo:    cuentas.Secreto(req.GetCredenciales().GetCodigo()),
		IP:        s.clientAddress(ctx),
	})
	if err != nil {
		s.Auditoria.loginRefused(ctx, tenant.EmpresaID(req.GetIdEmpresa()), req.GetCredenciales().GetUsuario(), err)
		return nil, err
	}
	err = s.Auditoria.loggedIn(ctx, sesion)
	if err != nil {
		return nil, err
	}
	return &integracionv1.LoginResponse{Token: string(token)}, nil
}

// clientAddress is where a login comes from, for its limits: what the gateway says, if the
// caller is one, else the caller itself.
func (s *SesionServer) clientAddress(ctx context.Context) string {
	caller, found := peer.FromContext(ctx)
	if !found {
		return ""
	}
	endpoint, err := netip.ParseAddrPort(caller.Addr.String())
	if err != nil {
		return caller.Addr.String()
	}
	address := endpoint.Addr().Unmap()
	told := metadata.ValueFromIncomingContext(ctx, header.ClienteIP)
	switch {
	case len(told) != 1:
	case !s.Gateways.IsGateway(ctx):
		// A gateway without its certificate or secret would make all clients one address.
		s.unknown.Do(func() {
			s.Log.WarnContext(ctx, "a caller that is not known as a gateway tells its client's address: all of its logins count as its own")
		})
	default:
		client, err := netip.ParseAddr(told[0])
		if err == nil {
			address = client.Unmap()
		}
	}
	return fair.SourceOf(address).String()
}
