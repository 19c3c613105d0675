package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/internal/terminal"
)

// askCURP reads a CURP, which never stands in an argument: those are kept in histories.
func askCURP(t *terminal.Terminal) (string, error) {
	curp, err := t.Ask(prompt(!t.Interactive(), "CURP: "))
	return strings.ToUpper(strings.TrimSpace(curp)), err
}

func findPersona(*pflag.FlagSet) act {
	return operate(func(ctx context.Context, s *servicio) error {
		curp, err := askCURP(s.Terminal)
		if err != nil {
			return err
		}
		answer, err := s.seguimiento().FindPersona(ctx, &integracionv1.FindPersonaRequest{Curp: curp})
		if err != nil {
			return err
		}
		if !s.People() {
			return s.Show(answer)
		}
		fmt.Fprintln(s.Out, verdict(answer))
		for _, expediente := range answer.GetExpedientes() {
			fmt.Fprintln(s.Out)
			err = s.tellExpediente(expediente)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// verdict answers the question that is asked first.
func verdict(answer *integracionv1.FindPersonaResponse) string {
	switch {
	case answer.GetNotificada():
		return "Sí: la plataforma aceptó al menos una notificación de esta persona."
	case len(answer.GetExpedientes()) > 0:
		return "No: hay reportes de esta persona, y la plataforma no ha aceptado ninguna notificación."
	default:
		return "No: ninguna institución ha tenido un reporte de esta persona."
	}
}

func showEstado(*pflag.FlagSet) act {
	return operate(func(ctx context.Context, s *servicio) error {
		answer, err := s.seguimiento().GetResumen(ctx, &integracionv1.GetResumenRequest{})
		if err != nil {
			return err
		}
		if !s.People() {
			return s.Show(answer)
		}
		return s.tellResumen(answer)
	})
}

func (s *servicio) tellResumen(resumen *integracionv1.GetResumenResponse) error {
	if resumen.GetEnOrden() {
		fmt.Fprintln(s.Out, "Todo en orden: nada necesita a nadie.")
		return nil
	}
	if resumen.GetRegistrosCaido() {
		fmt.Fprintln(s.Out, "registros no contesta: de sus coincidencias y búsquedas no se sabe nada ahora.")
	}
	if len(resumen.GetPendientes()) == 0 {
		return nil
	}
	list := s.NewList("pendientes", "tipo", "id_empresa", "total", "fecha", "recurso", "mensaje")
	err := addAll(list, resumen.GetPendientes())
	if err != nil {
		return err
	}
	return list.Close()
}
