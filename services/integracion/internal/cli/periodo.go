package cli

import (
	"time"

	"github.com/spf13/pflag"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/terminal"
)

// defaultPeriodo is looked at when nothing is said of it.
const defaultPeriodo = 24 * time.Hour

// periodoFlags declares --desde and --hasta: an instant (RFC 3339), or a day of Mexico City,
// which --hasta includes.
func periodoFlags(flags *pflag.FlagSet) func() (bitacora.Periodo, error) {
	desde := flags.String("desde", "", "`instante` (RFC 3339) o día de la Ciudad de México; sin él, un día antes de --hasta")
	hasta := flags.String("hasta", "", "`instante` (RFC 3339) o día, incluido; sin él, ahora")
	return func() (bitacora.Periodo, error) {
		p := bitacora.Periodo{Hasta: time.Now()}
		var err error
		if *hasta != "" {
			p.Hasta, err = parseInstant("--hasta", *hasta, 1)
		}
		if err != nil {
			return p, err
		}
		p.Desde = p.Hasta.Add(-defaultPeriodo)
		if *desde != "" {
			p.Desde, err = parseInstant("--desde", *desde, 0)
		}
		if err != nil {
			return p, err
		}
		if !p.Desde.Before(p.Hasta) {
			return p, terminal.Usage("--desde (%s) debe ser anterior a --hasta (%s).", terminal.Instant(p.Desde), terminal.Instant(p.Hasta))
		}
		return p, nil
	}
}

// parseInstant reads an instant, or the midnight that begins a day so many days on.
func parseInstant(name, text string, days int) (time.Time, error) {
	instant, ok := manual.ParseInstante(text)
	if ok {
		return instant, nil
	}
	day, ok := manual.ParseFecha(text)
	if !ok {
		return time.Time{}, terminal.Usage("%s no admite %q: use un instante (RFC 3339) o un día (AAAA-MM-DD).", name, text)
	}
	return day.Inicio().AddDate(0, 0, days), nil
}
