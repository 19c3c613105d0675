package grpcapi

import (
	"context"

	"google.golang.org/grpc"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/rpc"
)

// UsuarioServer serves UsuarioService.
type UsuarioServer struct {
	integracionv1.UnimplementedUsuarioServiceServer
	Usuarios  *cuentas.Usuarios
	Auditoria *Auditoria
}

// ListUsuarios implements UsuarioService. Operators fit one message.
func (s *UsuarioServer) ListUsuarios(_ *integracionv1.ListUsuariosRequest, stream grpc.ServerStreamingServer[integracionv1.ListUsuariosResponse]) error {
	all, err := s.Usuarios.List(stream.Context())
	if err == nil {
		err = s.Auditoria.show(stream.Context(), bitacora.AccionVerUsuarios, bitacora.SinEmpresa, "", nil)
	}
	if err != nil {
		return err
	}
	return stream.Send(&integracionv1.ListUsuariosResponse{Usuarios: each(all, usuarioOf)})
}

// CreateUsuario implements UsuarioService. Only here the clave is shown.
func (s *UsuarioServer) CreateUsuario(ctx context.Context, req *integracionv1.CreateUsuarioRequest) (*integracionv1.CreateUsuarioResponse, error) {
	clave, err := s.Usuarios.Create(ctx, req.GetUsuario(), cuentas.Secreto(req.GetClave()))
	if err != nil {
		return nil, err
	}
	return &integracionv1.CreateUsuarioResponse{Usuario: req.GetUsuario(), Clave: string(clave)}, nil
}

// RemoveUsuario implements UsuarioService.
func (s *UsuarioServer) RemoveUsuario(ctx context.Context, req *integracionv1.RemoveUsuarioRequest) (*integracionv1.RemoveUsuarioResponse, error) {
	caller, err := auth.PrincipalFrom(ctx)
	if err == nil {
		err = s.Usuarios.Remove(ctx, req.GetUsuario(), caller.Subject)
	}
	u, err := s.readAfter(ctx, req.GetUsuario(), err)
	return &integracionv1.RemoveUsuarioResponse{Usuario: u}, err
}

// ChangeClave implements UsuarioService. Only here the clave is shown.
func (s *UsuarioServer) ChangeClave(ctx context.Context, req *integracionv1.ChangeClaveRequest) (*integracionv1.ChangeClaveResponse, error) {
	clave, err := s.Usuarios.ChangeClave(ctx, req.GetUsuario(), cuentas.Secreto(req.GetNueva().GetClave()))
	if err != nil {
		return nil, err
	}
	return &integracionv1.ChangeClaveResponse{Usuario: req.GetUsuario(), Clave: string(clave)}, nil
}

// RevokeTokens implements UsuarioService.
func (s *UsuarioServer) RevokeTokens(ctx context.Context, req *integracionv1.RevokeTokensRequest) (*integracionv1.RevokeTokensResponse, error) {
	u, err := s.readAfter(ctx, req.GetUsuario(), s.Usuarios.RevokeTokens(ctx, req.GetUsuario()))
	return &integracionv1.RevokeTokensResponse{Usuario: u}, err
}

// RemoveSegundoFactor implements UsuarioService.
func (s *UsuarioServer) RemoveSegundoFactor(ctx context.Context, req *integracionv1.RemoveSegundoFactorRequest) (*integracionv1.RemoveSegundoFactorResponse, error) {
	u, err := s.readAfter(ctx, req.GetUsuario(), s.Usuarios.RemoveTOTP(ctx, req.GetUsuario()))
	return &integracionv1.RemoveSegundoFactorResponse{Usuario: u}, err
}

// readAfter gives the operator after a change, unless that was refused.
func (s *UsuarioServer) readAfter(ctx context.Context, usuario string, changed error) (*integracionv1.Usuario, error) {
	if changed != nil {
		return nil, changed
	}
	u, err := s.Usuarios.Get(ctx, usuario)
	if err != nil {
		return nil, err
	}
	return usuarioOf(u), nil
}

func usuarioOf(u cuentas.Usuario) *integracionv1.Usuario {
	estado := "activo"
	if !u.BajaEn.IsZero() {
		estado = "baja"
	}
	return &integracionv1.Usuario{
		Usuario: u.Usuario, Estado: estado, SegundoFactor: !u.TOTP.IsZero(), CodigosRecuperacion: int32(u.Recuperaciones),
		CreadoEn: rpc.Instant(u.CreadoEn), BajaEn: rpc.OptionalInstant(u.BajaEn),
	}
}

// CuentaServer serves CuentaService.
type CuentaServer struct {
	integracionv1.UnimplementedCuentaServiceServer
	Cuenta   *cuentas.Cuenta
	Usuarios cuentas.UsuarioStore
}

// GetSesion implements CuentaService.
func (s *CuentaServer) GetSesion(ctx context.Context, _ *integracionv1.GetSesionRequest) (*integracionv1.GetSesionResponse, error) {
	caller, err := auth.PrincipalFrom(ctx)
	if err != nil {
		return nil, err
	}
	u, err := s.Usuarios.GetUsuario(ctx, caller.Subject)
	if err != nil {
		return nil, err
	}
	reset, err := s.Usuarios.ListRestablecimientos(ctx, u.Usuario, cuentas.RestablecimientoVisible)
	if err != nil {
		return nil, err
	}
	return &integracionv1.GetSesionResponse{
		Usuario: u.Usuario, InscripcionPendiente: caller.Rol == auth.RolInscripcion,
		SegundoFactor: !u.TOTP.IsZero(), CodigosRecuperacion: int32(u.Recuperaciones),
		Restablecimientos: each(reset, restablecimientoOf),
	}, nil
}

func restablecimientoOf(r cuentas.Restablecimiento) *integracionv1.Restablecimiento {
	return &integracionv1.Restablecimiento{Usuario: r.Usuario, Que: string(r.Que), Por: r.Por, OcurridoEn: rpc.Instant(r.OcurridoEn)}
}

// CloseSesion implements CuentaService.
func (s *CuentaServer) CloseSesion(ctx context.Context, _ *integracionv1.CloseSesionRequest) (*integracionv1.CloseSesionResponse, error) {
	caller, err := auth.PrincipalFrom(ctx)
	if err == nil {
		err = s.Usuarios.VoidToken(ctx, caller.Subject, caller.TokenID)
	}
	if err != nil {
		return nil, err
	}
	return &integracionv1.CloseSesionResponse{Usuario: caller.Subject}, nil
}

// BeginSegundoFactor implements CuentaService.
func (s *CuentaServer) BeginSegundoFactor(ctx context.Context, _ *integracionv1.BeginSegundoFactorRequest) (*integracionv1.BeginSegundoFactorResponse, error) {
	caller, err := auth.PrincipalFrom(ctx)
	if err != nil {
		return nil, err
	}
	i, err := s.Cuenta.Begin(ctx, caller.Subject)
	if err != nil {
		return nil, err
	}
	return &integracionv1.BeginSegundoFactorResponse{OtpauthUrl: string(i.URL), Secreto: string(i.Secreto)}, nil
}

// ConfirmSegundoFactor implements CuentaService. Only here the recovery codes are shown.
func (s *CuentaServer) ConfirmSegundoFactor(ctx context.Context, req *integracionv1.ConfirmSegundoFactorRequest) (*integracionv1.ConfirmSegundoFactorResponse, error) {
	caller, err := auth.PrincipalFrom(ctx)
	if err != nil {
		return nil, err
	}
	c, err := s.Cuenta.Confirm(ctx, caller.Subject, caller.LoggedInAt, cuentas.Secreto(req.GetCodigo()))
	if err != nil {
		return nil, err
	}
	return &integracionv1.ConfirmSegundoFactorResponse{
		Token: string(c.Token), CodigosRecuperacion: each(c.Recuperacion, func(s cuentas.Secreto) string { return string(s) }),
	}, nil
}
