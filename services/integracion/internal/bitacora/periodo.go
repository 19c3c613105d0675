package bitacora

import (
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
)

// ReadPeriodo reads a period from texts: instants (RFC 3339), or days of Mexico City, of which
// the last is included. An empty text is no bound.
func ReadPeriodo(desde, hasta string) (Periodo, error) {
	var p Periodo
	var fields []errs.Field
	for _, bound := range []struct {
		puntero, text string
		days          int
		at            *time.Time
	}{{"/desde", desde, 0, &p.Desde}, {"/hasta", hasta, 1, &p.Hasta}} {
		at, ok := parseBound(bound.text, bound.days)
		if !ok {
			fields = append(fields, errs.Campo(bound.puntero, errores.Formato, "Debe ser un instante RFC 3339 o un día AAAA-MM-DD."))
		}
		*bound.at = at
	}
	if len(fields) == 0 && !p.Hasta.IsZero() && !p.Desde.Before(p.Hasta) {
		fields = append(fields, errs.Campo("/desde", errores.FechaInvalida, "El periodo termina antes de empezar."))
	}
	if len(fields) > 0 {
		return p, errs.New(errores.Validacion, "El periodo no es válido.").WithFields(fields...)
	}
	return p, nil
}

// Datos are the bounds as an Asiento has them.
func (p Periodo) Datos() map[string]any {
	datos := map[string]any{}
	for name, at := range map[string]time.Time{"desde": p.Desde, "hasta": p.Hasta} {
		if !at.IsZero() {
			datos[name] = at.UTC().Format(time.RFC3339Nano)
		}
	}
	return datos
}

// parseBound reads an instant, or the midnight that begins a day so many days on.
func parseBound(text string, days int) (time.Time, bool) {
	if text == "" {
		return time.Time{}, true
	}
	instant, ok := manual.ParseInstante(text)
	if ok {
		return instant, true
	}
	day, ok := manual.ParseFecha(text)
	if !ok {
		return time.Time{}, false
	}
	return day.Inicio().AddDate(0, 0, days), true
}
