package cli

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/internal/terminal"
)

// seleccionFlags declare whose records are meant; without --folio the CURP is asked for.
func seleccionFlags(flags *pflag.FlagSet) func(t *terminal.Terminal) (empresa, curp, folio string, err error) {
	id := empresaFlag(flags)
	folio := flags.String("folio", "", "`folio` de un solo registro; sin él se pide la CURP, de la que son todos")
	return func(t *terminal.Terminal) (string, string, string, error) {
		if *folio != "" {
			return *id, "", *folio, nil
		}
		curp, err := askCURP(t)
		return *id, curp, "", err
	}
}

func findRegistros(flags *pflag.FlagSet) act {
	read := seleccionFlags(flags)
	return operate(func(ctx context.Context, s *servicio) error {
		id, curp, folio, err := read(s.Terminal)
		if err != nil {
			return err
		}
		stream, err := s.seguimiento().FindRegistros(ctx, &integracionv1.FindRegistrosRequest{IdEmpresa: id, Curp: curp, Folio: folio})
		return printAll(s.NewList("registros"), stream, err, (*integracionv1.FindRegistrosResponse).GetRegistros)
	})
}

// confirmado is what a person writes to have something done that cannot be undone.
const confirmado = "borrar"

func deleteRegistros(flags *pflag.FlagSet) act {
	read := seleccionFlags(flags)
	simular := flags.Bool("simular", false, "cuenta y no borra")
	return operate(func(ctx context.Context, s *servicio) error {
		id, curp, folio, err := read(s.Terminal)
		if err != nil {
			return err
		}
		req := &integracionv1.DeleteRegistrosRequest{IdEmpresa: id, Curp: curp, Folio: folio, Simular: true}
		if s.Interactive() || *simular {
			answer, err := s.seguimiento().DeleteRegistros(ctx, req)
			if err != nil || *simular {
				return s.shown(answer, err)
			}
			err = s.confirm(answer)
			if err != nil {
				return err
			}
		}
		req.Simular = false
		answer, err := s.seguimiento().DeleteRegistros(ctx, req)
		return s.shown(answer, err)
	})
}

// confirm asks a person before what cannot be undone.
func (s *servicio) confirm(found *integracionv1.DeleteRegistrosResponse) error {
	said, err := s.Ask(fmt.Sprintf("Se borrarán %d registros, y lo que notificaron %d coincidencias. No se puede deshacer. Escriba %s: ",
		found.GetRegistros(), found.GetCoincidencias(), confirmado))
	if err == nil && said != confirmado {
		err = terminal.Usage("No se borró nada.")
	}
	return err
}
