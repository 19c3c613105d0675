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

var columnasCifras = []string{
	"dia", "recibidos", "creados", "actualizados", "rechazados", "coincidencias", "notificadas", "mediana_ms",
}

func listCifras(flags *pflag.FlagSet) act {
	empresa := empresaFlag(flags)
	return operate(func(ctx context.Context, s *servicio) error {
		stream, err := s.seguimiento().ListCifras(ctx, &integracionv1.ListCifrasRequest{IdEmpresa: *empresa})
		return printAll(s.NewList("dias", columnasCifras...), stream, err, (*integracionv1.ListCifrasResponse).GetDias)
	})
}
