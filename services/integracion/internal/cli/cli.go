// Package cli is the operator's command line of the integracion binary. Each command
// prints one JSON object on stdout; an error goes to stderr and ends with status 1.
// Secrets never come in arguments, which other users of the machine can list: they are
// read from stdin with --clave-stdin, or made up, and printed once.
//
//	empresas  crear --id RFC --nombre N [--institucion-id X] [--pui-url URL]
//	          listar
//	          cambiar --id-empresa RFC --institucion-id X
//	          suspender --id-empresa RFC
//	          reanudar --id-empresa RFC
//	claves    entrada --id-empresa RFC [--clave-stdin]
//	          salida --id-empresa RFC --url URL --clave-stdin
//	usuarios  crear --usuario U [--clave-stdin]
//	          cambiar-clave --usuario U [--clave-stdin]
//	          revocar-tokens --usuario U
//	          totp-activar --usuario U
//	          totp-desactivar --usuario U
//	api-keys  emitir --id-empresa RFC --nombre N --ambitos cliente,eventos [--caduca-en RFC3339]
//	          listar --id-empresa RFC
//	          revocar --key-id K
//	bitacora  listar [--id-empresa RFC] [--desde D] [--hasta H]
//	reportes  listar --id-empresa RFC [--estado activo|desactivado]
//	          mostrar --id-empresa RFC --reporte-id ID
//	          reintentar-fin --id-empresa RFC --reporte-id ID
//	          reenviar
//	coincidencias  rechazadas --id-empresa RFC
//	               reintentar --id-empresa RFC --id UUID
//	entregas  pausar --id-empresa RFC
//	          reanudar --id-empresa RFC
//	evidencia exportar --id-empresa RFC [--desde D] [--hasta H] [--formato json|csv]
//	resincronizar [--id-empresa RFC]
//	secretos  recifrar
//
// D and H are instants (RFC 3339) or days of Mexico City. The commands about reportes (but
// for reenviar), coincidencias and evidencia also ask registros, with the service's own
// settings for it.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os/user"
	"slices"
	"strings"
	"time"

	"github.com/enlace-iis/enlace/services/integracion/internal/app"
	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/process"
)

// action does what a command asks, and gives what to print.
type action func(ctx context.Context, op *app.Operador, in io.Reader) (any, error)

// printer is an answer that is not printed as JSON.
type printer interface {
	print(out io.Writer) error
}

// command declares its flags and gives what to do once they are read.
type command struct {
	declare  func(flags *flag.FlagSet) action
	required []string
}

var commands = map[string]command{
	"usuarios cambiar-clave":   {changeClave, []string{"usuario"}},
	"usuarios revocar-tokens":  {revokeTokens, []string{"usuario"}},
	"usuarios totp-activar":    {activateTOTP, []string{"usuario"}},
	"usuarios totp-desactivar": {deactivateTOTP, []string{"usuario"}},

	"empresas crear":     {createEmpresa, []string{"id", "nombre"}},
	"empresas listar":    {listEmpresas, nil},
	"empresas cambiar":   {changeEmpresa, []string{"id-empresa", "institucion-id"}},
	"empresas suspender": {suspendEmpresa, []string{"id-empresa"}},
	"empresas reanudar":  {resumeEmpresa, []string{"id-empresa"}},
	"claves entrada":     {setClaveEntrada, []string{"id-empresa"}},
	"claves salida":      {setClaveSalida, []string{"id-empresa", "url", "clave-stdin"}},
	"usuarios crear":     {createUsuario, []string{"usuario"}},
	"api-keys emitir":    {issueApiKey, []string{"id-empresa", "nombre", "ambitos"}},
	"api-keys listar":    {listApiKeys, []string{"id-empresa"}},
	"api-keys revocar":   {revokeApiKey, []string{"key-id"}},
	"bitacora listar":    {listBitacora, nil},
	"reportes listar":    {listReportes, []string{"id-empresa"}},
	"reportes mostrar":   {showReporte, []string{"id-empresa", "reporte-id"}},
	"reportes reenviar":  {resendReportes, nil},
	"entregas pausar":    {pauseEntregas, []string{"id-empresa"}},
	"entregas reanudar":  {resumeEntregas, []string{"id-empresa"}},
	"evidencia exportar": {exportEvidencia, []string{"id-empresa"}},
	"resincronizar":      {resincronizar, nil},
	"secretos recifrar":  {resealSecretos, nil},

	"reportes reintentar-fin":  {retryFin, []string{"id-empresa", "reporte-id"}},
	"coincidencias rechazadas": {listRechazadas, []string{"id-empresa"}},
	"coincidencias reintentar": {retryCoincidencia, []string{"id-empresa", "id"}},
}

// Run does one command. Its settings come from the environment.
func Run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	do, err := parse(args)
	if err != nil {
		return err
	}
	cfg, err := process.Load[app.Storage]()
	if err != nil {
		return err
	}
	op, err := app.OpenOperador(ctx, cfg)
	if err != nil {
		return err
	}
	defer op.Close()
	ctx = bitacora.WithActuacion(ctx, bitacora.Actuacion{Actor: consoleActor(), Desde: time.Now()})
	answer, err := do(ctx, op, in)
	if err != nil {
		return readable(err)
	}
	own, prints := answer.(printer)
	if prints {
		return own.print(out)
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	err = encoder.Encode(answer)
	if err != nil {
		return fmt.Errorf("print answer: %w", err)
	}
	return nil
}

// consoleActor names in the Bitácora who works at this console, as the system knows them.
func consoleActor() string {
	who, err := user.Current()
	if err != nil {
		return "consola"
	}
	return "consola:" + who.Username
}

// parse finds the command and reads its flags, before anything is opened.
func parse(args []string) (action, error) {
	name, rest, found, known := findCommand(args)
	if !known {
		return nil, fmt.Errorf("unknown command %q: use serve, migrate, %s", name,
			strings.Join(slices.Sorted(maps.Keys(commands)), ", "))
	}
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	do := found.declare(flags)
	err := flags.Parse(rest)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("%s: unexpected argument %q", name, flags.Arg(0))
	}
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = f.Value.String() != "" })
	for _, each := range found.required {
		if !given[each] {
			return nil, fmt.Errorf("%s: --%s is required", name, each)
		}
	}
	return do, nil
}

// findCommand takes the command's name, of one word or two, off the arguments.
func findCommand(args []string) (name string, rest []string, found command, known bool) {
	for words := range min(2, len(args)) {
		name, rest = strings.Join(args[:words+1], " "), args[words+1:]
		found, known = commands[name]
		if known {
			break
		}
	}
	return name, rest, found, known
}

// readable gives an operator the refusal's own words; the cause stays where there is one,
// for on this side of the service nobody is a stranger.
func readable(err error) error {
	refusal, found := errors.AsType[*errs.Error](err)
	if !found {
		return err
	}
	words := []string{refusal.Message}
	for _, field := range refusal.Fields {
		words = append(words, field.Mensaje)
	}
	text := strings.Join(words, " ")
	if cause := errors.Unwrap(refusal); cause != nil {
		return fmt.Errorf("%s (%w)", text, cause)
	}
	return errors.New(text)
}

// maxClave bounds what is read of stdin.
const maxClave = 4096

// claveFlag declares --clave-stdin and gives how to read it: empty if it was not given, so
// that a clave is made up.
func claveFlag(flags *flag.FlagSet) func(in io.Reader) (cuentas.Secreto, error) {
	wanted := flags.Bool("clave-stdin", false, "read the clave from stdin")
	return func(in io.Reader) (cuentas.Secreto, error) {
		if !*wanted {
			return "", nil
		}
		text, err := io.ReadAll(io.LimitReader(in, maxClave))
		if err != nil {
			return "", fmt.Errorf("read clave: %w", err)
		}
		clave := strings.TrimRight(string(text), "\r\n")
		if clave == "" {
			return "", errors.New("read clave: stdin is empty")
		}
		return cuentas.Secreto(clave), nil
	}
}
