package manual

import (
	"regexp"
	"time"
)

// instante is RFC 3339 to the letter; [time.Parse] takes more than that.
var instante = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// ParseInstante reads an instant of RFC 3339 in the years 1 to 9999, and tells whether it is
// one (contract.md 2).
func ParseInstante(text string) (time.Time, bool) {
	if !instante.MatchString(text) {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339, text)
	anio := at.UTC().Year()
	return at, err == nil && anio >= 1 && anio <= maxAnio
}
