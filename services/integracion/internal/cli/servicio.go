package cli

import (
	"context"
	"errors"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/internal/terminal"
	"github.com/enlace-iis/enlace/services/process/header"
)

// servicio is a running integracion, asked by the operator whose session it is.
type servicio struct {
	*terminal.Terminal
	conn grpc.ClientConnInterface
}

// operate makes an act of what asks the running service.
func operate(do func(ctx context.Context, s *servicio) error) act {
	return func(ctx context.Context, t *terminal.Terminal) error {
		cfg, opened, err := currentSesion()
		if err != nil {
			return err
		}
		credential := &opened.Token
		conn, err := cfg.dial(credential)
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close() }() // what was answered is not lost with it
		again := renewing{conn, func(ctx context.Context) error {
			renewed, err := cfg.renew(ctx, t, opened)
			if err == nil {
				*credential = renewed.Token
			}
			return err
		}}
		return worded(do(ctx, &servicio{t, again}), opened.Destino)
	}
}

// renewing is a connection on which a call that asks for a recent login is made once more after one.
type renewing struct {
	*grpc.ClientConn
	renew func(ctx context.Context) error
}

// Invoke implements [grpc.ClientConnInterface].
func (r renewing) Invoke(ctx context.Context, method string, args, reply any, options ...grpc.CallOption) error {
	err := r.ClientConn.Invoke(ctx, method, args, reply, options...)
	if !errs.Is(err, errores.SesionAntigua) {
		return err
	}
	err = r.renew(ctx)
	if err != nil {
		return err
	}
	return r.ClientConn.Invoke(ctx, method, args, reply, options...)
}

// dial connects with integracion as whoever the token says at each call; nil: as nobody.
func (c *Config) dial(credential *token) (*grpc.ClientConn, error) {
	client := c.Client
	client.TLS = c.TLS
	if credential != nil {
		client.Credentials = credential
	}
	return rpc.Dial(c.IntegracionTarget, client)
}

// token goes with every call.
type token string

// GetRequestMetadata implements credentials.PerRPCCredentials.
func (t *token) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{header.Authorization: "Bearer " + string(*t)}, nil
}

// RequireTransportSecurity is false as for the service tokens: TLS is a setting.
func (t *token) RequireTransportSecurity() bool { return false }

// worded says of a service that is away which one it is, and of a session that it ended.
func worded(err error, target string) error {
	refusal, found := errors.AsType[*errs.Error](err)
	if !found {
		return err
	}
	switch refusal.Motivo {
	case errores.CredencialAusente, errores.CredencialInvalida, errores.CredencialCaducada, errores.CredencialRevocada:
		return errs.New(errores.CredencialInvalida, "La sesión ya no sirve; ábrala otra vez con integracion sesion abrir.")
	case errores.SesionAntigua:
		return errs.New(errores.SesionAntigua, "Esta orden pide una sesión de hace cinco minutos o menos; ábrala otra vez con integracion sesion abrir.")
	case errores.TiempoAgotado:
		return terminal.Away(err, "integracion no terminó a tiempo en %s; pudo haberlo hecho: mire cómo quedó antes de repetir.", target)
	case errores.NoDisponible:
		if errors.Unwrap(refusal) != nil { // it is the connection that failed, not what integracion asked for
			return terminal.Away(err, "integracion no contesta en %s; sin ella sirven evidencia verificar, ayuda y completado.", target)
		}
		return terminal.Away(err, "registros no contesta; sirve lo que es de integracion: empresas, claves, usuarios, api-keys y bitacora.")
	default:
		return err
	}
}

// bulkLimit is for what is done to many at once; other calls have GRPC_CLIENT_DEADLINE.
const bulkLimit = 10 * time.Minute

// bulk does what takes as long as there are many, while a person sees that it goes on.
func (s *servicio) bulk(ctx context.Context, title string, do func(ctx context.Context) error) error {
	progress := s.StartProgress(title)
	defer progress.Stop()
	ctx, cancel := context.WithTimeout(ctx, bulkLimit)
	defer cancel()
	return do(ctx)
}

// printAll prints what a stream brings, as a list of that name.
func printAll[M any, T proto.Message](list *terminal.List, stream grpc.ServerStreamingClient[M], err error, items func(*M) []T) error {
	for err == nil {
		var chunk *M
		chunk, err = stream.Recv()
		if errors.Is(err, io.EOF) {
			return list.Close()
		}
		if err == nil {
			err = addAll(list, items(chunk))
		}
	}
	return err
}

func addAll[T proto.Message](list *terminal.List, items []T) error {
	for _, item := range items {
		err := list.Add(item)
		if err != nil {
			return err
		}
	}
	return nil
}

// shown prints what a call was answered with, unless it failed.
func (s *servicio) shown(answer any, err error) error {
	if err != nil {
		return err
	}
	return s.Show(answer)
}

// showOnce prints an answer with secrets.
func (s *servicio) showOnce(answer any) error {
	if s.People() {
		s.Tell("Guárdelo ahora: los secretos no se vuelven a mostrar.")
	}
	return s.Show(answer)
}
