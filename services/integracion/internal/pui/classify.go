package pui

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/internal/envio"
)

// respuesta is what came back of one request: an answer, or the error that kept it away.
type respuesta struct {
	status     int
	retryAfter string
	body       []byte // as far as it could be read
	err        error  // nil if there was an answer
	login      bool   // it is a login's, and the request was not sent
}

// The motivos of an outcome, for the history and the log.
const (
	motivoAceptado    = "aceptado"
	motivoMultiples   = "coincidencias_multiples"
	motivoRechazado   = "rechazado"
	motivoCredencial  = "credencial"
	motivoDireccion   = "direccion"
	motivoLimite      = "limite"
	motivoServidor    = "servidor"
	motivoTiempo      = "tiempo_agotado"
	motivoRed         = "red"
	motivoInterno     = "interno"
	detalleNoResponde = "La plataforma no está disponible; se reintentará."
)

// classify is the one place that says what an answer of the platform means (pui.md 1.2,
// client policy). The status decides and never the text, which the manual itself words in
// two ways (1.3); so a 200 with an unreadable body is a 200. 401 and 403 mean here that
// even a new token was not admitted.
func classify(r respuesta, now time.Time) entregas.Desenlace {
	if r.err != nil {
		return classifyError(r.err)
	}
	d := entregas.Desenlace{Status: r.status}
	switch {
	case r.status == http.StatusMultipleChoices:
		// The platform has it and found several persons: for the operator to see.
		d.Resultado, d.Motivo = envio.Aceptado, motivoMultiples
	case r.status >= 200 && r.status < 300:
		d.Resultado, d.Motivo = envio.Aceptado, motivoAceptado
	case r.status == http.StatusBadRequest, r.status == http.StatusRequestEntityTooLarge,
		r.status == http.StatusUnprocessableEntity:
		d.Resultado, d.Motivo, d.Detalle = envio.Rechazado, motivoRechazado, erroresOf(r.body)
	case r.status == http.StatusUnauthorized, r.status == http.StatusForbidden:
		d.Resultado, d.Motivo, d.Falla = envio.MasTarde, motivoCredencial, true
		d.Detalle = "La plataforma no admite las credenciales de la institución; revise su clave."
	case r.status == http.StatusTooManyRequests:
		d.Resultado, d.Motivo, d.Falla = envio.MasTarde, motivoLimite, true
		d.Detalle = "La plataforma pidió enviar más despacio; se reintentará."
	case r.status >= 500, r.status == http.StatusRequestTimeout:
		d.Resultado, d.Motivo, d.Falla = envio.MasTarde, motivoServidor, true
		d.Detalle = detalleNoResponde
	default:
		// A redirect, or a path that is not there: the base address is wrong.
		d.Resultado, d.Motivo, d.Falla = envio.MasTarde, motivoDireccion, true
		d.Detalle = "La plataforma no contesta en la dirección configurada; revísela."
	}
	if r.login && (d.Motivo == motivoServidor || d.Motivo == motivoDireccion) {
		d.Motivo = entregas.MotivoAcceso
	}
	if d.Falla {
		d.RetryAfter = parseRetryAfter(r.retryAfter, now)
	}
	return d
}

// classifyError tells a platform that is slow from one that cannot be reached.
func classifyError(err error) entregas.Desenlace {
	d := entregas.Desenlace{Resultado: envio.MasTarde, Motivo: motivoRed, Detalle: detalleNoResponde, Falla: true}
	timeout, isNet := errors.AsType[net.Error](err)
	switch {
	case errors.Is(err, context.Canceled):
		// Cut off by us; the platform is not to blame.
		d.Motivo, d.Falla = motivoInterno, false
	case errors.Is(err, context.DeadlineExceeded), isNet && timeout.Timeout():
		d.Motivo = motivoTiempo
	}
	return d
}

// isUnauthorized tells an answer that a new token may mend.
func isUnauthorized(r respuesta) bool {
	return r.err == nil && (r.status == http.StatusUnauthorized || r.status == http.StatusForbidden)
}

// maxDetalle bounds what is kept of the platform's reasons.
const maxDetalle = 1000

// erroresOf joins the reasons of a 400: `errores` is an array of strings, but `error` alone
// is shown as well (pui.md 1.3).
func erroresOf(body []byte) string {
	var reasons struct {
		Errores []string `json:"errores"`
		Error   string   `json:"error"`
	}
	err := json.Unmarshal(body, &reasons)
	if err == nil && len(reasons.Errores) > 0 {
		return printable(strings.Join(reasons.Errores, "; "))
	}
	if err == nil && reasons.Error != "" {
		return printable(reasons.Error)
	}
	return "La plataforma rechazó los datos sin dar motivo."
}

// printable makes a stranger's text fit to be stored and shown.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return ' '
		}
		return r
	}, s)
	if utf8.RuneCountInString(s) <= maxDetalle {
		return s
	}
	return string([]rune(s)[:maxDetalle-1]) + "…"
}

// parseRetryAfter reads seconds or an HTTP date; 0 if there is none.
func parseRetryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if value == "" {
		return 0
	}
	seconds, err := strconv.Atoi(value)
	if err == nil {
		// A day is as good as for ever, and does not overflow.
		return time.Duration(min(max(seconds, 0), 24*60*60)) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return max(at.Sub(now), 0)
}
