package cli

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/internal/terminal"
)

func (s *servicio) seguimiento() integracionv1.SeguimientoServiceClient {
	return integracionv1.NewSeguimientoServiceClient(s.conn)
}

func reporteFlag(flags *pflag.FlagSet) *string {
	return flags.String("reporte-id", "", "`identificador` del reporte, como lo dio la plataforma")
}

func listReportes(flags *pflag.FlagSet) act {
	id := empresaFlag(flags)
	estado := terminal.Option{Allowed: []string{string(reportes.ReporteActivo), string(reportes.ReporteDesactivado)}}
	estado.Declare(flags, "estado", "solo los que están así; sin él, todos")
	return operate(func(ctx context.Context, s *servicio) error {
		stream, err := s.seguimiento().ListReportes(ctx, &integracionv1.ListReportesRequest{IdEmpresa: *id, Estado: estado.Value})
		return printAll(s.NewList("reportes", columnasReporte...), stream, err, (*integracionv1.ListReportesResponse).GetReportes)
	})
}

var columnasReporte = []string{
	"reporte_id", "ciclo", "estado", "activado_en", "observacion", "caso.estado", "caso.fase", "caso.finalizacion",
	"caso.pendientes", "caso.notificadas", "caso.rechazadas",
}

func showReporte(flags *pflag.FlagSet) act {
	id, reporteID := empresaFlag(flags), reporteFlag(flags)
	return operate(func(ctx context.Context, s *servicio) error {
		answer, err := s.seguimiento().GetReporte(ctx, &integracionv1.GetReporteRequest{IdEmpresa: *id, ReporteId: *reporteID})
		if err != nil {
			return err
		}
		if !s.People() {
			return s.Show(answer.GetExpediente())
		}
		return s.tellExpediente(answer.GetExpediente())
	})
}

// tellExpediente shows a person what a report came to.
func (s *servicio) tellExpediente(e *integracionv1.Expediente) error {
	fmt.Fprintf(s.Out, "%s, reporte %s\n\n", e.GetIdEmpresa(), e.GetReporteId())
	ciclos := s.NewList("ciclos", columnasReporte[1:]...)
	err := addAll(ciclos, e.GetCiclos())
	if err != nil {
		return err
	}
	err = s.tellPart(ciclos, "Coincidencias")
	if err != nil {
		return err
	}
	coincidencias := s.NewList("coincidencias", columnasHallazgo...)
	err = addAll(coincidencias, e.GetCoincidencias())
	if err != nil {
		return err
	}
	err = s.tellPart(coincidencias, "Historia")
	if err != nil {
		return err
	}
	historia := s.NewList("historia", "ocurrido_en", "tipo", "accion", "actor", "ciclo", "fase_busqueda", "status", "motivo")
	err = addAll(historia, e.GetHistoria())
	if err != nil {
		return err
	}
	return historia.Close()
}

// tellPart ends a table and begins the next.
func (s *servicio) tellPart(list *terminal.List, next string) error {
	err := list.Close()
	fmt.Fprintf(s.Out, "\n%s\n", next)
	return err
}

func retryFin(flags *pflag.FlagSet) act {
	id, reporteID := empresaFlag(flags), reporteFlag(flags)
	return operate(func(ctx context.Context, s *servicio) error {
		answer, err := s.seguimiento().RetryFin(ctx, &integracionv1.RetryFinRequest{IdEmpresa: *id, ReporteId: *reporteID})
		return s.shown(answer, err)
	})
}

func skipFin(flags *pflag.FlagSet) act {
	id, reporteID := empresaFlag(flags), reporteFlag(flags)
	return operate(func(ctx context.Context, s *servicio) error {
		answer, err := s.seguimiento().SkipFin(ctx, &integracionv1.SkipFinRequest{IdEmpresa: *id, ReporteId: *reporteID})
		return s.shown(answer, err)
	})
}

func reviewSinAbrir(flags *pflag.FlagSet) act {
	id := empresaFlag(flags)
	return operate(func(ctx context.Context, s *servicio) error {
		answer, err := s.seguimiento().ReviewSinAbrir(ctx, &integracionv1.ReviewSinAbrirRequest{IdEmpresa: *id})
		if err != nil || !s.People() {
			return s.shown(answer, err)
		}
		list := s.NewList("revisados", "ocurrido_en", "origen", "reporte_id", "defectos")
		err = addAll(list, answer.GetRevisados())
		if err != nil {
			return err
		}
		err = list.Close()
		if answer.GetQuedan() {
			s.Tell("Quedan más: repita la orden.")
		}
		return err
	})
}

func searchAgain(flags *pflag.FlagSet) act {
	id := empresaFlag(flags)
	reporteID := reporteFlag(flags)
	todos := flags.Bool("todos", false, "todos los activos de la institución, en lugar de uno")
	return operate(func(ctx context.Context, s *servicio) error {
		if *todos == (*reporteID != "") {
			return terminal.Usage("Dé --reporte-id, de un reporte, o --todos.")
		}
		if *todos {
			answer, err := s.seguimiento().SearchReportesAgain(ctx, &integracionv1.SearchReportesAgainRequest{IdEmpresa: *id})
			return s.shown(answer, err)
		}
		answer, err := s.seguimiento().SearchReporteAgain(ctx, &integracionv1.SearchReporteAgainRequest{IdEmpresa: *id, ReporteId: *reporteID})
		return s.shown(answer, err)
	})
}

func resendReportes(*pflag.FlagSet) act {
	return operate(func(ctx context.Context, s *servicio) error {
		answer, err := s.seguimiento().ResendReportes(ctx, &integracionv1.ResendReportesRequest{})
		return s.shown(answer, err)
	})
}

func resyncReportes(flags *pflag.FlagSet) act {
	id := flags.String("id-empresa", "", "`RFC` con homoclave; sin él, todas las que se pueden comparar")
	return operate(func(ctx context.Context, s *servicio) error {
		answer, err := s.seguimiento().ResyncReportes(ctx, &integracionv1.ResyncReportesRequest{IdEmpresa: *id})
		return s.shown(answer, err)
	})
}
