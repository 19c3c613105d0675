package cli

import (
	"context"

	"github.com/spf13/pflag"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
)

func showLote(flags *pflag.FlagSet) act {
	empresa := empresaFlag(flags)
	id := flags.String("id-lote", "", "`identificador` que recibió la institución al enviarlo")
	return operate(func(ctx context.Context, s *servicio) error {
		answer, err := s.seguimiento().GetLote(ctx, &integracionv1.GetLoteRequest{IdEmpresa: *empresa, IdLote: *id})
		return s.shown(answer.GetLote(), err)
	})
}
