package manual

import "time"

// ParseFechaHora reads a date that may have its time: the day in Mexico City of an instant
// (RFC 3339), or the day of a local time without offset. A space may stand for the T, and the
// offset may be -0600 or -06, after a space too, as databases write them.
func ParseFechaHora(s string) (Fecha, bool) {
	dia, hora, ok := parseFechaHora(s)
	if !ok || !hora.hasZone {
		return dia, ok
	}
	at := dia.Time().Add(hora.sinceMidnight - hora.offset)
	dia = FechaOf(at)
	return dia, !dia.IsZero()
}

// ParseDia reads the same, and gives the day that is written: somebody's birthday is no
// instant, and exports write it as a midnight of whatever zone.
func ParseDia(s string) (Fecha, bool) {
	dia, _, ok := parseFechaHora(s)
	return dia, ok
}

// hora is a time of the day.
type hora struct {
	sinceMidnight time.Duration
	// offset is how far its zone is ahead of UTC, if it has one.
	offset  time.Duration
	hasZone bool
}

func parseFechaHora(s string) (Fecha, hora, bool) {
	const dayLength = len("YYYY-MM-DD")
	if len(s) <= dayLength {
		dia, ok := ParseFecha(s)
		return dia, hora{}, ok
	}
	dia, ok := ParseFecha(s[:dayLength])
	if !ok || s[dayLength] != 'T' && s[dayLength] != 't' && s[dayLength] != ' ' {
		return Fecha{}, hora{}, false
	}
	h, ok := parseHora(s[dayLength+1:])
	if !ok {
		return Fecha{}, hora{}, false
	}
	return dia, h, true
}

// parseHora reads hh:mm and, if there are any, seconds, their fraction and a zone. A fraction
// changes no day.
func parseHora(s string) (hora, bool) {
	clock, s, ok := cutClock(s, ":")
	if !ok || s == "" {
		return hora{sinceMidnight: clock}, ok
	}
	if s[0] != ':' {
		return hora{}, false
	}
	seconds, s := cutPair(s[1:])
	s, ok = cutFraction(s)
	if !ok || seconds < 0 || seconds > 59 {
		return hora{}, false
	}
	h := hora{sinceMidnight: clock + time.Duration(seconds)*time.Second}
	if s == "" {
		return h, true
	}
	h.offset, h.hasZone = parseZone(s)
	return h, h.hasZone
}

// parseZone reads Z, +hh:mm, +hhmm or +hh.
func parseZone(s string) (time.Duration, bool) {
	if s[0] == ' ' {
		s = s[1:]
	}
	if s == "Z" || s == "z" {
		return 0, true
	}
	if s == "" || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	sign, s := s[0], s[1:]
	switch len(s) {
	case len("hh"):
		s += "00"
	case len("hh:mm"):
		if s[2] != ':' {
			return 0, false
		}
		s = s[:2] + s[3:]
	}
	offset, rest, ok := cutClock(s, "")
	if sign == '-' {
		offset = -offset
	}
	return offset, ok && rest == ""
}

// cutClock takes hours and minutes, and what parts them, from the beginning of s.
func cutClock(s, separator string) (time.Duration, string, bool) {
	hours, s := cutPair(s)
	if len(s) < len(separator) || s[:len(separator)] != separator {
		return 0, "", false
	}
	minutes, s := cutPair(s[len(separator):])
	if hours < 0 || hours > 23 || minutes < 0 || minutes > 59 {
		return 0, "", false
	}
	return time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute, s, true
}

// cutPair takes two digits from the beginning of s; without them it gives -1.
func cutPair(s string) (int, string) {
	if len(s) < 2 {
		return -1, ""
	}
	return decimal(s[:2]), s[2:]
}

// cutFraction takes the fraction of a second away, if there is one.
func cutFraction(s string) (string, bool) {
	if s == "" || s[0] != '.' {
		return s, true
	}
	end := 1
	for end < len(s) && isDigit(s[end]) {
		end++
	}
	return s[end:], end > 1
}
