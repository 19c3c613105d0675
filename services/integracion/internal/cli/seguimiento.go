package cli

import (
	"context"
	"encoding/hex"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/pflag"

	"github.com/enlace-iis/enlace/services/integracion/internal/app"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/integracion/internal/resincronizacion"
	"github.com/enlace-iis/enlace/services/integracion/internal/seguimiento"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/internal/terminal"
	"github.com/enlace-iis/enlace/services/process"
)

// withSeguimiento makes an action of one that also asks registros; only such commands need
// its settings.
func withSeguimiento(do func(ctx context.Context, s *seguimiento.Seguimiento) (any, error)) action {
	return func(ctx context.Context, op *app.Operador, _ *terminal.Terminal) (any, error) {
		cfg, err := process.Load[app.RegistrosConfig]()
		if err != nil {
			return nil, err
		}
		seguimiento, closeConn, err := op.OpenSeguimiento(cfg)
		if err != nil {
			return nil, err
		}
		defer closeConn()
		return do(ctx, seguimiento)
	}
}

// seguidoJSON is a Reporte as an operator sees it.
type seguidoJSON struct {
	ReporteID     string                        `json:"reporte_id"`
	Ciclo         int                           `json:"ciclo"`
	Estado        reportes.EstadoReporte        `json:"estado"`
	ActivadoEn    time.Time                     `json:"activado_en"`
	DesactivadoEn *time.Time                    `json:"desactivado_en"`
	Observacion   *resincronizacion.Observacion `json:"observacion"`
	ObservadaEn   *time.Time                    `json:"observada_en"`
	CURPHuella    *string                       `json:"curp_huella"`
	Caso          *situacionJSON                `json:"caso"`
}

// situacionJSON is how far its Caso has come.
type situacionJSON struct {
	ID           string     `json:"id"`
	Estado       string     `json:"estado"`
	Fase         string     `json:"fase"`
	Finalizacion string     `json:"finalizacion"`
	FinalizadaEn *time.Time `json:"busqueda_finalizada_en"`
	Pendientes   int        `json:"pendientes"`
	Notificadas  int        `json:"notificadas"`
	Rechazadas   int        `json:"rechazadas"`
	Canceladas   int        `json:"canceladas"`
}

func printedSeguido(s seguimiento.Seguido) seguidoJSON {
	printed := seguidoJSON{
		ReporteID: s.ReporteID, Ciclo: s.Ciclo, Estado: s.Estado,
		ActivadoEn: s.ActivadoEn.UTC(), DesactivadoEn: nullTime(s.DesactivadoEn),
		Observacion: given(s.Observacion), ObservadaEn: nullTime(s.ObservadaEn),
		CURPHuella: given(hex.EncodeToString(s.HuellaCURP)),
	}
	if c := s.Situacion; c != nil {
		printed.Caso = &situacionJSON{
			ID: c.CasoID, Estado: c.Estado, Fase: c.Fase,
			Finalizacion: c.Finalizacion, FinalizadaEn: nullTime(c.FinalizadaEn),
			Pendientes: c.Pendientes, Notificadas: c.Notificadas, Rechazadas: c.Rechazadas, Canceladas: c.Canceladas,
		}
	}
	return printed
}

// hallazgoJSON is a match without what it tells.
type hallazgoJSON struct {
	ID           string     `json:"id"`
	ReporteID    string     `json:"reporte_id"`
	Ciclo        int        `json:"ciclo"`
	Fase         string     `json:"fase_busqueda"`
	Folio        string     `json:"folio"`
	Estado       string     `json:"estado"`
	DetectadaEn  time.Time  `json:"detectada_en"`
	NotificadaEn *time.Time `json:"notificada_en"`
	Detalle      *string    `json:"detalle"`
}

func printedHallazgo(h seguimiento.Hallazgo) hallazgoJSON {
	return hallazgoJSON{
		ID: h.ID, ReporteID: h.ReporteID, Ciclo: h.Ciclo, Fase: h.Fase, Folio: h.Folio, Estado: h.Estado,
		DetectadaEn: h.DetectadaEn.UTC(), NotificadaEn: nullTime(h.NotificadaEn), Detalle: given(h.Detalle),
	}
}

// printed prints each element of a list; an empty list is [], not null.
func printed[T, U any](all []T, each func(T) U) []U {
	out := make([]U, len(all))
	for i, item := range all {
		out[i] = each(item)
	}
	return out
}

func listReportes(flags *pflag.FlagSet) action {
	id := flags.String("id-empresa", "", "`RFC` con homoclave de la institución")
	estado := terminal.Option{Allowed: []string{"activo", "desactivado"}}
	estado.Declare(flags, "estado", "solo los que están así; sin él, todos")
	return withSeguimiento(func(ctx context.Context, s *seguimiento.Seguimiento) (any, error) {
		all, err := s.List(ctx, tenant.EmpresaID(*id), "")
		chosen := []seguidoJSON{}
		for _, each := range all {
			if estado.Value == "" || estado.Value == string(each.Estado) {
				chosen = append(chosen, printedSeguido(each))
			}
		}
		return map[string]any{"reportes": chosen}, err
	})
}

func showReporte(flags *pflag.FlagSet) action {
	id := flags.String("id-empresa", "", "`RFC` con homoclave de la institución")
	reporteID := flags.String("reporte-id", "", "`identificador` del reporte, como lo dio la plataforma")
	return withSeguimiento(func(ctx context.Context, s *seguimiento.Seguimiento) (any, error) {
		expediente, err := s.Show(ctx, tenant.EmpresaID(*id), *reporteID)
		return map[string]any{
			"reporte_id":    *reporteID,
			"ciclos":        printed(expediente.Ciclos, printedSeguido),
			"coincidencias": printed(expediente.Hallazgos, printedHallazgo),
			"historia":      printed(expediente.Momentos, printedMomento),
		}, err
	})
}

func retryFin(flags *pflag.FlagSet) action {
	id := flags.String("id-empresa", "", "`RFC` con homoclave de la institución")
	reporteID := flags.String("reporte-id", "", "`identificador` del reporte, como lo dio la plataforma")
	return withSeguimiento(func(ctx context.Context, s *seguimiento.Seguimiento) (any, error) {
		err := s.RetryFin(ctx, tenant.EmpresaID(*id), *reporteID)
		return map[string]string{"id_empresa": *id, "reporte_id": *reporteID, "finalizacion": "pendiente"}, err
	})
}

func resendReportes(*pflag.FlagSet) action {
	return func(ctx context.Context, op *app.Operador, _ *terminal.Terminal) (any, error) {
		reportes, err := op.Peticiones.ReenviarReportes(ctx)
		return map[string]int{"reportes": reportes}, err
	}
}

func listRechazadas(flags *pflag.FlagSet) action {
	id := flags.String("id-empresa", "", "`RFC` con homoclave de la institución")
	return withSeguimiento(func(ctx context.Context, s *seguimiento.Seguimiento) (any, error) {
		all, err := s.ListRechazadas(ctx, tenant.EmpresaID(*id))
		return map[string]any{"coincidencias": printed(all, printedHallazgo)}, err
	})
}

func retryCoincidencia(flags *pflag.FlagSet) action {
	empresa := flags.String("id-empresa", "", "`RFC` con homoclave de la institución")
	text := flags.String("id", "", "`identificador` de la coincidencia")
	return withSeguimiento(func(ctx context.Context, s *seguimiento.Seguimiento) (any, error) {
		id, err := uuid.Parse(*text)
		if err != nil {
			return nil, errs.New(errs.Validacion, "El identificador de la coincidencia no es un UUID.")
		}
		err = s.Retry(ctx, tenant.EmpresaID(*empresa), id)
		return map[string]string{"id_empresa": *empresa, "id": id.String(), "estado": "pendiente"}, err
	})
}

// pedidaJSON is a resynchronisation that was asked for.
type pedidaJSON struct {
	IDEmpresa tenant.EmpresaID `json:"id_empresa"`
	Estado    string           `json:"estado"`
}

func resincronizar(flags *pflag.FlagSet) action {
	id := flags.String("id-empresa", "", "`RFC` con homoclave; sin él, todas las que se pueden comparar")
	return func(ctx context.Context, op *app.Operador, _ *terminal.Terminal) (any, error) {
		pedidas, err := op.Peticiones.Resincronizar(ctx, tenant.EmpresaID(*id))
		return map[string]any{"resincronizaciones": printed(pedidas, func(p seguimiento.Pedida) pedidaJSON {
			if p.EnCurso {
				return pedidaJSON{p.EmpresaID, "en_curso"}
			}
			return pedidaJSON{p.EmpresaID, "pedida"}
		})}, err
	}
}
