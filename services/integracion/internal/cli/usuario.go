package cli

import (
	"context"
	"strings"

	"github.com/spf13/pflag"

	"github.com/enlace-iis/enlace/proto/errores"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/app"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/terminal"
	"github.com/enlace-iis/enlace/services/process"
)

func (s *servicio) usuarios() integracionv1.UsuarioServiceClient {
	return integracionv1.NewUsuarioServiceClient(s.conn)
}

func usuarioFlag(flags *pflag.FlagSet) *string {
	return flags.String("usuario", "", "`nombre` con que entra")
}

// createUsuario asks the service in a session. Without one it goes to the database, with
// integracion's settings: the first operator has nobody to be added by.
func createUsuario(flags *pflag.FlagSet) act {
	usuario := usuarioFlag(flags)
	readClave := claveFlag(flags)
	inSession := operate(func(ctx context.Context, s *servicio) error {
		clave, err := readClave(s.Terminal)
		if err != nil {
			return err
		}
		answer, err := s.usuarios().CreateUsuario(ctx, &integracionv1.CreateUsuarioRequest{Usuario: *usuario, Clave: clave})
		if err != nil {
			return err
		}
		return s.showOnce(answer)
	})
	first := onDatabase(func(ctx context.Context, op *app.Operador, t *terminal.Terminal) (any, error) {
		clave, err := readClave(t)
		if err != nil {
			return nil, err
		}
		made, err := op.Usuarios.CreatePrimero(ctx, *usuario, cuentas.Secreto(clave))
		return map[string]string{"usuario": *usuario, "clave": string(made)}, err
	})
	return func(ctx context.Context, t *terminal.Terminal) error {
		_, _, err := currentSesion()
		if !errs.Is(err, errores.CredencialAusente) {
			return inSession(ctx, t)
		}
		_, err = process.Load[app.Storage]()
		if err != nil {
			return errs.Wrap(err, errores.CredencialAusente, "No hay sesión; ábrala con integracion sesion abrir. "+
				"Solo el primer operador se crea sin ella, y solo donde están los ajustes de integracion: "+strings.ReplaceAll(err.Error(), "\n", "; "))
		}
		return first(ctx, t)
	}
}

func listUsuarios(*pflag.FlagSet) act {
	return operate(func(ctx context.Context, s *servicio) error {
		stream, err := s.usuarios().ListUsuarios(ctx, &integracionv1.ListUsuariosRequest{})
		list := s.NewList("usuarios", "usuario", "estado", "segundo_factor", "codigos_recuperacion", "creado_en", "baja_en")
		return printAll(list, stream, err, (*integracionv1.ListUsuariosResponse).GetUsuarios)
	})
}

func changeClave(flags *pflag.FlagSet) act {
	usuario := usuarioFlag(flags)
	readClave := claveFlag(flags)
	return operate(func(ctx context.Context, s *servicio) error {
		clave, err := readClave(s.Terminal)
		if err != nil {
			return err
		}
		answer, err := s.usuarios().ChangeClave(ctx, &integracionv1.ChangeClaveRequest{
			Usuario: *usuario, Nueva: &integracionv1.ClaveNueva{Clave: clave},
		})
		if err != nil {
			return err
		}
		return s.showOnce(answer)
	})
}

// withUsuario makes an act of what is done to an operator and answers with them.
func withUsuario(do func(ctx context.Context, client integracionv1.UsuarioServiceClient, usuario string) (*integracionv1.Usuario, error)) func(flags *pflag.FlagSet) act {
	return func(flags *pflag.FlagSet) act {
		usuario := usuarioFlag(flags)
		return operate(func(ctx context.Context, s *servicio) error {
			changed, err := do(ctx, s.usuarios(), *usuario)
			return s.shown(changed, err)
		})
	}
}

var removeUsuario = withUsuario(func(ctx context.Context, client integracionv1.UsuarioServiceClient, usuario string) (*integracionv1.Usuario, error) {
	answer, err := client.RemoveUsuario(ctx, &integracionv1.RemoveUsuarioRequest{Usuario: usuario})
	return answer.GetUsuario(), err
})

var revokeTokens = withUsuario(func(ctx context.Context, client integracionv1.UsuarioServiceClient, usuario string) (*integracionv1.Usuario, error) {
	answer, err := client.RevokeTokens(ctx, &integracionv1.RevokeTokensRequest{Usuario: usuario})
	return answer.GetUsuario(), err
})

var removeSegundoFactor = withUsuario(func(ctx context.Context, client integracionv1.UsuarioServiceClient, usuario string) (*integracionv1.Usuario, error) {
	answer, err := client.RemoveSegundoFactor(ctx, &integracionv1.RemoveSegundoFactorRequest{Usuario: usuario})
	return answer.GetUsuario(), err
})
