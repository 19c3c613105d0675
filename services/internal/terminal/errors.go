package terminal

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

// With these a program ends, beside 0 and, for what nobody foresaw, 1.
const (
	statusUsage   = 2
	statusRefused = 3
	statusAway    = 4
)

// failure is an error with the status that it ends the program with.
type failure struct {
	text   string
	status int
	cause  error
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.cause }

// ExitCode is what [process.Main] ends with.
func (f *failure) ExitCode() int { return f.status }

// Usage is the error of a command that was written wrongly: one sentence that says what is
// allowed.
func Usage(format string, args ...any) error {
	return &failure{text: fmt.Sprintf(format, args...), status: statusUsage}
}

// Away is the error of a part that does not answer: which one, and what works without it.
func Away(cause error, format string, args ...any) error {
	return &failure{text: fmt.Sprintf(format, args...), status: statusAway, cause: cause}
}

// readable gives a refusal its own words and its status. What is no refusal stays as it is.
func readable(err error) error {
	_, done := errors.AsType[*failure](err)
	refusal, found := errors.AsType[*errs.Error](err)
	switch {
	case done:
		return err
	case found:
		return &failure{text: wordsOf(refusal), status: statusOf(refusal.Motivo), cause: err}
	case errors.Is(err, context.Canceled):
		return &failure{text: "Se interrumpió; lo que no se contestó no se hizo o se puede repetir.", status: 1, cause: err}
	default:
		return err
	}
}

func wordsOf(refusal *errs.Error) string {
	words := []string{refusal.Message}
	for _, field := range refusal.Fields {
		words = append(words, field.Mensaje)
	}
	if wait := refusal.RetryAfter; wait > 0 {
		words = append(words, fmt.Sprintf("Espere %.0f s.", wait.Seconds()))
	}
	return strings.Join(words, " ")
}

func statusOf(motivo errores.Motivo) int {
	switch motivo {
	case errores.Validacion, errores.JSONInvalido:
		return statusUsage
	case errores.NoDisponible, errores.TiempoAgotado:
		return statusAway
	case errores.Interno:
		return 1
	default:
		return statusRefused
	}
}
