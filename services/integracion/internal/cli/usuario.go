package cli

import (
	"context"
	"io"

	"github.com/spf13/pflag"

	"github.com/enlace-iis/enlace/services/integracion/internal/app"
)

func changeClave(flags *pflag.FlagSet) action {
	usuario := flags.String("usuario", "", "`nombre` con que entra")
	readClave := claveFlag(flags)
	return func(ctx context.Context, op *app.Operador, in io.Reader) (any, error) {
		clave, err := readClave(in)
		if err != nil {
			return nil, err
		}
		clave, err = op.Usuarios.ChangeClave(ctx, *usuario, clave)
		return map[string]string{"usuario": *usuario, "clave": string(clave)}, err
	}
}

func revokeTokens(flags *pflag.FlagSet) action {
	usuario := flags.String("usuario", "", "`nombre` con que entra")
	return func(ctx context.Context, op *app.Operador, _ io.Reader) (any, error) {
		return map[string]string{"usuario": *usuario}, op.Usuarios.RevokeTokens(ctx, *usuario)
	}
}

func activateTOTP(flags *pflag.FlagSet) action {
	usuario := flags.String("usuario", "", "`nombre` con que entra")
	return func(ctx context.Context, op *app.Operador, _ io.Reader) (any, error) {
		url, err := op.Usuarios.ActivateTOTP(ctx, *usuario)
		return map[string]string{"usuario": *usuario, "otpauth_url": string(url)}, err
	}
}

func deactivateTOTP(flags *pflag.FlagSet) action {
	usuario := flags.String("usuario", "", "`nombre` con que entra")
	return func(ctx context.Context, op *app.Operador, _ io.Reader) (any, error) {
		return map[string]string{"usuario": *usuario}, op.Usuarios.DeactivateTOTP(ctx, *usuario)
	}
}
