package cli

import (
	"context"

	"github.com/spf13/pflag"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/seguimiento"
	"github.com/enlace-iis/enlace/services/internal/terminal"
)

var columnasHallazgo = []string{
	"id", "reporte_id", "ciclo", "fase_busqueda", "folio", "estado", "detectada_en", "notificada_en", "detalle",
}

func listCoincidencias(flags *pflag.FlagSet) act {
	id := empresaFlag(flags)
	estado := terminal.Option{Allowed: seguimiento.EstadosHallazgo}
	estado.Declare(flags, "estado", "solo las que están así; sin él, todas")
	return operate(func(ctx context.Context, s *servicio) error {
		stream, err := s.seguimiento().ListHallazgosSeguidos(ctx, &integracionv1.ListHallazgosSeguidosRequest{IdEmpresa: *id, Estado: estado.Value})
		return printAll(s.NewList("coincidencias", columnasHallazgo...), stream, err, (*integracionv1.ListHallazgosSeguidosResponse).GetCoincidencias)
	})
}

func retryCoincidencias(flags *pflag.FlagSet) act {
	empresa := empresaFlag(flags)
	id := flags.String("id", "", "`identificador` de la coincidencia")
	todas := flags.Bool("todas", false, "todas las de la institución, en lugar de una")
	cuales := terminal.Option{Allowed: []string{
		string(seguimiento.ReintentablesRechazadas), string(seguimiento.ReintentablesAtascadas), string(seguimiento.ReintentablesMultiples),
	}}
	cuales.Declare(flags, "cuales", "con --todas: cuáles; sin él, las rechazadas")
	simular := flags.Bool("simular", false, "con --todas: cuenta y no reintenta")
	return operate(func(ctx context.Context, s *servicio) error {
		switch {
		case *todas == (*id != ""):
			return terminal.Usage("Dé --id, de una coincidencia, o --todas.")
		case *todas:
			return s.retryTodas(ctx, *empresa, &integracionv1.Reintento{Simular: *simular, Cuales: cuales.Value})
		case *simular || cuales.Value != "":
			return terminal.Usage("--simular y --cuales van con --todas.")
		}
		answer, err := s.seguimiento().RetryHallazgo(ctx, &integracionv1.RetryHallazgoRequest{IdEmpresa: *empresa, CoincidenciaId: *id})
		return s.shown(answer, err)
	})
}

func skipCoincidencia(flags *pflag.FlagSet) act {
	empresa := empresaFlag(flags)
	id := flags.String("id", "", "`identificador` de la coincidencia")
	return operate(func(ctx context.Context, s *servicio) error {
		answer, err := s.seguimiento().SkipHallazgo(ctx, &integracionv1.SkipHallazgoRequest{IdEmpresa: *empresa, CoincidenciaId: *id})
		return s.shown(answer, err)
	})
}

func (s *servicio) retryTodas(ctx context.Context, empresa string, reintento *integracionv1.Reintento) error {
	var answer *integracionv1.RetryHallazgosResponse
	err := s.bulk(ctx, "Reintenta las coincidencias", func(ctx context.Context) error {
		var err error
		answer, err = s.seguimiento().RetryHallazgos(ctx, &integracionv1.RetryHallazgosRequest{IdEmpresa: empresa, Reintento: reintento})
		return err
	})
	return s.shown(answer, err)
}
