package cli

import (
	"context"
	"io"

	"github.com/spf13/pflag"

	"github.com/enlace-iis/enlace/services/integracion/internal/app"
)

func resealSecretos(*pflag.FlagSet) action {
	return func(ctx context.Context, op *app.Operador, _ io.Reader) (any, error) {
		done, err := op.Recifrado.Run(ctx)
		return map[string]int{"recifrados": done.Recifrados, "al_dia": done.AlDia}, err
	}
}
