package cli

import (
	"context"

	"github.com/spf13/pflag"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/internal/terminal"
)

// claveFlag declares --clave-stdin and gives how to read it: empty if it was not given, so
// that a clave is made up.
func claveFlag(flags *pflag.FlagSet) func(t *terminal.Terminal) (string, error) {
	wanted := flags.Bool("clave-stdin", false, "lee la clave de la entrada estándar; sin él se inventa una")
	return func(t *terminal.Terminal) (string, error) {
		if !*wanted {
			return "", nil
		}
		return t.AskSecret(prompt(!t.Interactive(), "Clave: "))
	}
}

func setClaveEntrada(flags *pflag.FlagSet) act {
	id := empresaFlag(flags)
	readClave := claveFlag(flags)
	return operate(func(ctx context.Context, s *servicio) error {
		clave, err := readClave(s.Terminal)
		if err != nil {
			return err
		}
		answer, err := s.empresas().SetClaveEntrada(ctx, &integracionv1.SetClaveEntradaRequest{
			IdEmpresa: *id, Clave: &integracionv1.ClaveEntrada{Clave: clave},
		})
		if err != nil {
			return err
		}
		return s.showOnce(answer.GetAcceso())
	})
}

func setClaveSalida(flags *pflag.FlagSet) act {
	id := empresaFlag(flags)
	url := flags.String("url", "", "`dirección` base de la plataforma")
	fromStdin := flags.Bool("clave-stdin", false, "lee la clave de la entrada estándar; sin él se pregunta en la terminal")
	return operate(func(ctx context.Context, s *servicio) error {
		if !*fromStdin && !s.Interactive() {
			return terminal.Usage("No hay una terminal para preguntar la clave: dé --clave-stdin.")
		}
		clave, err := s.AskSecret(prompt(!s.Interactive(), "Clave de la institución en la plataforma: "))
		if err != nil {
			return err
		}
		answer, err := s.empresas().SetClaveSalida(ctx, &integracionv1.SetClaveSalidaRequest{
			IdEmpresa: *id, Salida: &integracionv1.Salida{Url: *url, Clave: clave},
		})
		if err != nil {
			return err
		}
		return s.showEmpresa(answer.GetEmpresa())
	})
}
