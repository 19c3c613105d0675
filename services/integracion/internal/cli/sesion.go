package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/spf13/pflag"

	"github.com/enlace-iis/enlace/proto/errores"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/terminal"
	"github.com/enlace-iis/enlace/services/process"
)

// sesion is what `sesion abrir` leaves for the commands that follow. The token goes only
// where it was given.
type sesion struct {
	Usuario string    `json:"usuario"`
	Destino string    `json:"destino"`
	VenceEn time.Time `json:"vence_en"`
	Token   token     `json:"token"`
}

// shown is what may be seen of a session.
func (s sesion) shown() any {
	return map[string]any{"usuario": s.Usuario, "destino": s.Destino, "vence_en": s.VenceEn}
}

func openSesion(flags *pflag.FlagSet) act {
	usuario := flags.String("usuario", "", "`nombre` del operador; sin él se pregunta")
	destino := flags.String("destino", "", "`dirección` gRPC de integracion; sin ella, INTEGRACION_TARGET")
	fromStdin := flags.Bool("clave-stdin", false, "lee de la entrada estándar la clave y, en otra línea, el código del segundo factor si lo hay")
	return func(ctx context.Context, t *terminal.Terminal) error {
		cfg, err := process.Load[Config]()
		if err != nil {
			return err
		}
		if *destino != "" {
			cfg.IntegracionTarget = *destino
		}
		if !*fromStdin && !t.Interactive() {
			return terminal.Usage("No hay una terminal para preguntar la clave: dé --usuario y --clave-stdin.")
		}
		credenciales, err := askCredenciales(t, *usuario, *fromStdin)
		if err != nil {
			return err
		}
		opened, err := cfg.login(ctx, credenciales)
		if err == nil {
			opened, err = cfg.enrolIfNeeded(ctx, t, opened)
		}
		if err != nil {
			return err
		}
		err = cfg.writeSesion(opened)
		if err != nil {
			return err
		}
		return t.ShowAs(opened.shown(), func(out io.Writer) {
			fmt.Fprintf(out, "Sesión de %s abierta hasta %s.\n", opened.Usuario, terminal.Instant(opened.VenceEn))
		})
	}
}

// askCredenciales asks for what was not given. The code is asked of everybody: nobody learns
// here who has a second factor.
func askCredenciales(t *terminal.Terminal, usuario string, fromStdin bool) (*integracionv1.Credenciales, error) {
	given := &integracionv1.Credenciales{Usuario: usuario}
	var err error
	if usuario == "" && !fromStdin {
		given.Usuario, err = t.Ask("Usuario: ")
	}
	if err == nil && given.GetUsuario() == "" {
		err = terminal.Usage("Falta --usuario; vea integracion sesion abrir --help.")
	}
	if err != nil {
		return nil, err
	}
	given.Clave, err = t.AskSecret(prompt(fromStdin, "Clave: "))
	if err != nil {
		return nil, err
	}
	given.Codigo, err = t.AskSecret(prompt(fromStdin, "Código del segundo factor, o de recuperación (Intro si aún no tiene): "))
	if fromStdin && given.GetCodigo() == "" {
		err = nil // one line is enough
	}
	return given, err
}

func prompt(fromStdin bool, text string) string {
	if fromStdin {
		return ""
	}
	return text
}

func (c *Config) login(ctx context.Context, credenciales *integracionv1.Credenciales) (sesion, error) {
	conn, err := c.dial(nil)
	if err != nil {
		return sesion{}, err
	}
	defer func() { _ = conn.Close() }() // what was answered is not lost with it
	answer, err := integracionv1.NewSesionServiceClient(conn).Login(ctx, &integracionv1.LoginRequest{Credenciales: credenciales})
	if errs.Is(err, errores.CredencialInvalida) {
		return sesion{}, errs.New(errores.CredencialInvalida, "El usuario, la clave o el código no es correcto.")
	}
	if err != nil {
		return sesion{}, worded(err, c.IntegracionTarget)
	}
	return c.sesionOf(credenciales.GetUsuario(), answer.GetToken())
}

// sesionOf reads off a token until when it serves; that it is genuine is the service's to say.
func (c *Config) sesionOf(usuario, text string) (sesion, error) {
	var claims jwt.RegisteredClaims
	_, _, err := jwt.NewParser().ParseUnverified(text, &claims)
	if err != nil || claims.ExpiresAt == nil {
		return sesion{}, fmt.Errorf("read token: it says no end: %w", err)
	}
	return sesion{Usuario: usuario, Destino: c.IntegracionTarget, VenceEn: claims.ExpiresAt.UTC(), Token: token(text)}, nil
}

// renew asks the operator of a session for the clave and the code again, and keeps the session that
// follows in its place; the token from before is voided.
func (c *Config) renew(ctx context.Context, t *terminal.Terminal, opened sesion) (sesion, error) {
	if !t.Interactive() {
		return sesion{}, errs.New(errores.SesionAntigua, "")
	}
	t.Tell("Esta orden pide que %s muestre otra vez su clave y su código.", opened.Usuario)
	credenciales, err := askCredenciales(t, opened.Usuario, false)
	if err != nil {
		return sesion{}, err
	}
	renewed, err := c.login(ctx, credenciales)
	if err == nil {
		err = c.writeSesion(renewed)
	}
	if err != nil {
		return sesion{}, err
	}
	return renewed, c.void(ctx, opened)
}

// void has the service refuse the token of a session from now on. One that it refuses already is void.
func (c *Config) void(ctx context.Context, opened sesion) error {
	conn, err := c.dial(&opened.Token)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // what was answered is not lost with it
	_, err = integracionv1.NewCuentaServiceClient(conn).CloseSesion(ctx, &integracionv1.CloseSesionRequest{})
	if errs.Is(err, errores.CredencialInvalida) || errs.Is(err, errores.CredencialCaducada) {
		return nil
	}
	return err
}

// closeSesion forgets the session here whether or not the service can be told that its token is void.
func closeSesion(*pflag.FlagSet) act {
	return func(ctx context.Context, t *terminal.Terminal) error {
		cfg, err := process.Load[Config]()
		if err != nil {
			return err
		}
		path, err := cfg.sessionFile()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.Remove(path)
		}
		there := err == nil
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("forget session: %w", err)
		}
		var opened sesion
		if json.Unmarshal(text, &opened) == nil && time.Now().Before(opened.VenceEn) {
			cfg.IntegracionTarget = opened.Destino
			err = cfg.void(ctx, opened)
			if err != nil {
				return terminal.Away(err, "La sesión se olvidó en esta máquina, pero integracion no lo supo en %s: su token sirve hasta %s.",
					opened.Destino, terminal.Instant(opened.VenceEn))
			}
		}
		return t.ShowAs(map[string]any{"cerrada": there}, func(out io.Writer) {
			fmt.Fprintln(out, "La sesión está cerrada.")
		})
	}
}

func showSesion(*pflag.FlagSet) act {
	return func(_ context.Context, t *terminal.Terminal) error {
		_, opened, err := currentSesion()
		if err != nil {
			return err
		}
		return t.Show(opened.shown())
	}
}

// currentSesion is the one that is open, with the settings that go with it: its target is theirs.
func currentSesion() (Config, sesion, error) {
	cfg, err := process.Load[Config]()
	if err != nil {
		return cfg, sesion{}, err
	}
	opened, err := cfg.readSesion()
	cfg.IntegracionTarget = opened.Destino
	return cfg, opened, err
}

// readSesion refuses a session that ended, and one that others could have read or written.
func (c *Config) readSesion() (sesion, error) {
	path, err := c.sessionFile()
	if err != nil {
		return sesion{}, err
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return sesion{}, errs.New(errores.CredencialAusente, "No hay sesión; ábrala con integracion sesion abrir.")
	}
	if err != nil {
		return sesion{}, fmt.Errorf("read session: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return sesion{}, errs.New(errores.CredencialInvalida, "Otros pueden leer la sesión, en "+path+"; ciérrela y abra otra.")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return sesion{}, fmt.Errorf("read session: %w", err)
	}
	var opened sesion
	err = json.Unmarshal(text, &opened)
	if err != nil || time.Now().After(opened.VenceEn) {
		return sesion{}, errs.New(errores.CredencialCaducada, "La sesión venció; ábrala otra vez con integracion sesion abrir.")
	}
	return opened, nil
}

// writeSesion replaces the session as a whole, in a file that was its owner's from the start.
func (c *Config) writeSesion(opened sesion) error {
	path, err := c.sessionFile()
	if err != nil {
		return err
	}
	text, err := json.Marshal(opened)
	if err != nil {
		return fmt.Errorf("keep session: %w", err)
	}
	err = os.MkdirAll(filepath.Dir(path), 0o700)
	if err != nil {
		return fmt.Errorf("keep session (SESSION_FILE says where): %w", err)
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".sesion-")
	if err != nil {
		return fmt.Errorf("keep session (SESSION_FILE says where): %w", err)
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("keep session: %w", errors.Join(err, os.Remove(file.Name())))
	}
	return nil
}
