package cli

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/enlace-iis/enlace/services/integracion/internal/app"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/terminal"
)

func changeClave(flags *pflag.FlagSet) action {
	usuario := flags.String("usuario", "", "`nombre` con que entra")
	readClave := claveFlag(flags)
	return func(ctx context.Context, op *app.Operador, t *terminal.Terminal) (any, error) {
		clave, err := readClave(t)
		if err != nil {
			return nil, err
		}
		made, err := op.Usuarios.ChangeClave(ctx, *usuario, cuentas.Secreto(clave))
		return map[string]string{"usuario": *usuario, "clave": string(made)}, err
	}
}

func revokeTokens(flags *pflag.FlagSet) action {
	usuario := flags.String("usuario", "", "`nombre` con que entra")
	return func(ctx context.Context, op *app.Operador, _ *terminal.Terminal) (any, error) {
		return map[string]string{"usuario": *usuario}, op.Usuarios.RevokeTokens(ctx, *usuario)
	}
}

func activateTOTP(flags *pflag.FlagSet) action {
	usuario := flags.String("usuario", "", "`nombre` con que entra")
	return func(ctx context.Context, op *app.Operador, _ *terminal.Terminal) (any, error) {
		url, err := op.Usuarios.ActivateTOTP(ctx, *usuario)
		return map[string]string{"usuario": *usuario, "otpauth_url": string(url)}, err
	}
}

func deactivateTOTP(flags *pflag.FlagSet) action {
	usuario := flags.String("usuario", "", "`nombre` con que entra")
	return func(ctx context.Context, op *app.Operador, _ *terminal.Terminal) (any, error) {
		return map[string]string{"usuario": *usuario}, op.Usuarios.DeactivateTOTP(ctx, *usuario)
	}
}

func createUsuario(flags *pflag.FlagSet) action {
	usuario := flags.String("usuario", "", "`nombre` con que entra")
	readClave := claveFlag(flags)
	return func(ctx context.Context, op *app.Operador, t *terminal.Terminal) (any, error) {
		clave, err := readClave(t)
		if err != nil {
			return nil, err
		}
		made, err := op.Usuarios.Create(ctx, *usuario, cuentas.Secreto(clave))
		return map[string]string{"usuario": *usuario, "clave": string(made)}, err
	}
}
