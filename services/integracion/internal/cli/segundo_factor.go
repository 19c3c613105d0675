package cli

import (
	"context"
	"strings"

	"github.com/spf13/pflag"
	"google.golang.org/grpc"

	"github.com/enlace-iis/enlace/proto/errores"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/terminal"
)

// enrolIfNeeded gives the session its second factor where one is required and there is none
// yet: until then its token serves for nothing else.
func (c *Config) enrolIfNeeded(ctx context.Context, t *terminal.Terminal, opened sesion) (sesion, error) {
	conn, err := c.dial(&opened.Token)
	if err != nil {
		return sesion{}, err
	}
	defer func() { _ = conn.Close() }() // what was answered is not lost with it
	own, err := integracionv1.NewCuentaServiceClient(conn).GetSesion(ctx, &integracionv1.GetSesionRequest{})
	if err != nil {
		return sesion{}, worded(err, opened.Destino)
	}
	tellResets(t, own.GetRestablecimientos())
	if !own.GetInscripcionPendiente() {
		return opened, nil
	}
	t.Tell("Esta cuenta aún no tiene segundo factor, y aquí se exige.")
	return c.enrol(ctx, t, conn, opened)
}

// tellResets tells operators what others did to their account: who did not ask for it has to act.
func tellResets(t *terminal.Terminal, resets []*integracionv1.Restablecimiento) {
	done := map[string]string{"clave": "cambió su clave", "segundo_factor": "quitó su segundo factor"}
	for _, reset := range resets {
		t.Tell("Aviso: %s %s (%s). Si usted no lo pidió, avise a los demás operadores.", reset.GetPor(), done[reset.GetQue()], reset.GetOcurridoEn())
	}
}

// enrol shows the secret of a new second factor and has it confirmed.
func (c *Config) enrol(ctx context.Context, t *terminal.Terminal, conn grpc.ClientConnInterface, opened sesion) (sesion, error) {
	if !t.Interactive() {
		return sesion{}, errs.New(errores.SinPermiso, "Falta inscribir el segundo factor: abra la sesión en una terminal.")
	}
	cuenta := integracionv1.NewCuentaServiceClient(conn)
	begun, err := cuenta.BeginSegundoFactor(ctx, &integracionv1.BeginSegundoFactorRequest{})
	if err != nil {
		return sesion{}, worded(err, opened.Destino)
	}
	t.Tell("Lea este código con una aplicación de códigos de un solo uso:\n")
	err = t.ShowQR(begun.GetOtpauthUrl())
	if err != nil {
		return sesion{}, err
	}
	t.Tell("\no escriba en ella el secreto: %s\n", begun.GetSecreto())
	confirmed, err := confirm(ctx, t, cuenta)
	if err != nil {
		return sesion{}, worded(err, opened.Destino)
	}
	t.Tell("\nCódigos de recuperación. Cada uno sirve una vez en lugar de un código; no se vuelven a mostrar:\n\n  %s\n",
		strings.Join(confirmed.GetCodigosRecuperacion(), "\n  "))
	return c.sesionOf(opened.Usuario, confirmed.GetToken())
}

// tries is how often a code may be mistyped before the enrolment has to begin anew.
const tries = 3

func confirm(ctx context.Context, t *terminal.Terminal, cuenta integracionv1.CuentaServiceClient) (*integracionv1.ConfirmSegundoFactorResponse, error) {
	for try := 1; ; try++ {
		code, err := t.Ask("Código que muestra la aplicación: ")
		if err != nil {
			return nil, err
		}
		confirmed, err := cuenta.ConfirmSegundoFactor(ctx, &integracionv1.ConfirmSegundoFactorRequest{Codigo: strings.TrimSpace(code)})
		if !errs.Is(err, errores.Validacion) || try == tries {
			return confirmed, err
		}
		t.Tell("Ese código no es correcto; escriba el que muestra ahora.")
	}
}

// enrolSegundoFactor gives an operator another second factor, for a new telephone.
func enrolSegundoFactor(*pflag.FlagSet) act {
	return operate(func(ctx context.Context, s *servicio) error {
		cfg, opened, err := currentSesion()
		if err == nil {
			opened, err = cfg.enrol(ctx, s.Terminal, s.conn, opened)
		}
		if err != nil {
			return err
		}
		return cfg.writeSesion(opened)
	})
}
