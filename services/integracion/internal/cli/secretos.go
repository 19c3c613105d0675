package cli

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/enlace-iis/enlace/services/integracion/internal/app"
	"github.com/enlace-iis/enlace/services/internal/terminal"
)

func resealSecretos(*pflag.FlagSet) action {
	return func(ctx context.Context, op *app.Operador, _ *terminal.Terminal) (any, error) {
		done, err := op.Recifrado.Run(ctx)
		return map[string]int{"recifrados": done.Recifrados, "al_dia": done.AlDia}, err
	}
}
