package cli

import (
	"flag"
	"fmt"
	"time"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/internal/manual"
)

// defaultPeriodo is looked at when nothing is said of it.
const defaultPeriodo = 24 * time.Hour

// periodoFlags declares --desde and --hasta: an instant (RFC 3339), or a day of Mexico City,
// which --hasta includes.
func periodoFlags(flags *flag.FlagSet) func() (bitacora.Periodo, error) {
	desde := flags.String("desde", "", "instant or day; default: a day before --hasta")
	hasta := flags.String("hasta", "", "instant or day, included; default: now")
	return func() (bitacora.Periodo, error) {
		p := bitacora.Periodo{Hasta: time.Now()}
		var err error
		if *hasta != "" {
			p.Hasta, err = parseInstant(*hasta, 1)
		}
		if err != nil {
			return p, fmt.Errorf("--hasta: %w", err)
		}
		p.Desde = p.Hasta.Add(-defaultPeriodo)
		if *desde != "" {
			p.Desde, err = parseInstant(*desde, 0)
		}
		if err != nil {
			return p, fmt.Errorf("--desde: %w", err)
		}
		if !p.Desde.Before(p.Hasta) {
			return p, fmt.Errorf("--desde %s does not lie before --hasta %s", p.Desde.Format(time.RFC3339), p.Hasta.Format(time.RFC3339))
		}
		return p, nil
	}
}

// parseInstant reads an instant, or the midnight that begins a day so many days on.
func parseInstant(text string, days int) (time.Time, error) {
	instant, ok := manual.ParseInstante(text)
	if ok {
		return instant, nil
	}
	day, ok := manual.ParseFecha(text)
	if !ok {
		return time.Time{}, fmt.Errorf("%q is neither an instant (RFC 3339) nor a day (YYYY-MM-DD)", text)
	}
	return day.Inicio().AddDate(0, 0, days), nil
}
