package cli

import (
	"context"

	"github.com/spf13/pflag"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/app"
	"github.com/enlace-iis/enlace/services/internal/terminal"
)

func resealSecretos(*pflag.FlagSet) act {
	return operate(func(ctx context.Context, s *servicio) error {
		done, err := s.reseal(ctx)
		if err == nil && s.People() && done.GetSinLlave() > 0 {
			s.Tell("Hay secretos cuya llave no está en ENCRYPTION_KEYS: devuélvala, o fije de nuevo esos secretos.")
		}
		return s.shown(done, err)
	})
}

// reseal asks again until nothing is left that can be sealed, and gives all that was done.
func (s *servicio) reseal(ctx context.Context) (*integracionv1.ResealSecretosResponse, error) {
	client := integracionv1.NewSecretoServiceClient(s.conn)
	progress := s.StartProgress("Vuelve a cifrar")
	defer progress.Stop()
	var done int32
	for {
		answer, err := client.ResealSecretos(ctx, &integracionv1.ResealSecretosRequest{})
		if err != nil {
			return nil, err
		}
		done += answer.GetRecifrados()
		progress.Set(int64(done), int64(done+answer.GetQuedan()))
		if answer.GetQuedan() == 0 || answer.GetRecifrados() == 0 {
			answer.Recifrados = done
			return answer, nil
		}
	}
}

// reapply goes to the database: nothing serves yet.
func reapply(*pflag.FlagSet) act {
	return onDatabase(func(ctx context.Context, op *app.Operador, _ *terminal.Terminal) (any, error) {
		return op.Reapply(ctx)
	})
}
