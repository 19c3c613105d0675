package manual

import (
	"cmp"
	"errors"
	"time"
	_ "time/tzdata" // the service's image may have no zone database
)

// Fecha is a civil date: a day of the calendar without hour or zone. The zero
// Fecha means "not given" and comes before every other. Fechas are comparable
// with ==.
type Fecha struct {
	anio uint16
	mes  uint8
	dia  uint8
}

const (
	minAnio = 1 // PostgreSQL knows no year zero
	maxAnio = 9999
)

var (
	// The manual's dates are days of Mexico City (pui.md 3.2, rule 5).
	ciudadDeMexico = mustLoadLocation("America/Mexico_City")
	// Quintana Roo is UTC-5 all year; no other zone of Mexico is ahead of it.
	quintanaRoo = mustLoadLocation("America/Cancun")
)

var errFecha = errors.New("not a calendar date of the form YYYY-MM-DD")

func mustLoadLocation(name string) *time.Location {
	loc, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return loc
}

// ParseFecha reads a date written exactly as YYYY-MM-DD, and tells whether it
// is one and is a day that the calendar has.
func ParseFecha(s string) (Fecha, bool) {
	if len(s) != len("YYYY-MM-DD") || s[4] != '-' || s[7] != '-' {
		return Fecha{}, false
	}
	return newFecha(decimal(s[:4]), decimal(s[5:7]), decimal(s[8:]))
}

// MustParseFecha is ParseFecha for a date written in the program; it panics
// when that is none.
func MustParseFecha(s string) Fecha {
	f, ok := ParseFecha(s)
	if !ok {
		panic(errFecha)
	}
	return f
}

// FechaOf is the day that it is in Mexico City at an instant.
func FechaOf(t time.Time) Fecha {
	return fechaIn(t, ciudadDeMexico)
}

// LatestFechaOf is the latest day that it is anywhere in Mexico at an instant: what comes
// after it is in the future everywhere.
func LatestFechaOf(t time.Time) Fecha {
	return fechaIn(t, quintanaRoo)
}

// FechaUTC is the inverse of Time: the day of an instant in UTC, which is how
// a date comes back from a store. The zero time gives the zero Fecha.
func FechaUTC(t time.Time) Fecha {
	return fechaIn(t, time.UTC)
}

func fechaIn(t time.Time, loc *time.Location) Fecha {
	if t.IsZero() {
		return Fecha{}
	}
	anio, mes, dia := t.In(loc).Date()
	f, _ := newFecha(anio, int(mes), dia)
	return f
}

// Time is the midnight with which the day begins in UTC, and the zero time
// for the zero Fecha.
func (f Fecha) Time() time.Time {
	if f.IsZero() {
		return time.Time{}
	}
	return time.Date(int(f.anio), time.Month(f.mes), int(f.dia), 0, 0, 0, 0, time.UTC)
}

// Inicio is the instant with which the day begins in Mexico City.
func (f Fecha) Inicio() time.Time {
	return time.Date(int(f.anio), time.Month(f.mes), int(f.dia), 0, 0, 0, 0, ciudadDeMexico)
}

// EnMexico is an instant as the clocks of Mexico City show it.
func EnMexico(t time.Time) time.Time { return t.In(ciudadDeMexico) }

// IsZero tells whether no date was given.
func (f Fecha) IsZero() bool { return f == Fecha{} }

// Before tells whether f is an earlier day than g.
func (f Fecha) Before(g Fecha) bool { return f.ordinal() < g.ordinal() }

// After tells whether f is a later day than g.
func (f Fecha) After(g Fecha) bool { return f.ordinal() > g.ordinal() }

// Compare orders two dates, earlier first.
func (f Fecha) Compare(g Fecha) int { return cmp.Compare(f.ordinal(), g.ordinal()) }

// AddYears is the same day n years later, or earlier when n is negative. A 29
// February that the other year lacks becomes the 28th, so that a window
// counted backwards never loses a day. Years stay within 1 to 9999; the zero
// Fecha stays zero.
func (f Fecha) AddYears(n int) Fecha {
	if f.IsZero() {
		return f
	}
	anio := min(max(int(f.anio)+n, minAnio), maxAnio)
	dia := min(int(f.dia), daysIn(anio, int(f.mes)))
	return Fecha{anio: uint16(anio), mes: f.mes, dia: uint8(dia)}
}

// String is the date as YYYY-MM-DD, and "" for the zero Fecha.
func (f Fecha) String() string {
	if f.IsZero() {
		return ""
	}
	var buf [len("YYYY-MM-DD")]byte
	return string(f.appendTo(buf[:0]))
}

// MarshalText writes the date as String does.
func (f Fecha) MarshalText() ([]byte, error) {
	return []byte(f.String()), nil
}

// UnmarshalText reads what MarshalText wrote; an empty text is the zero Fecha.
func (f *Fecha) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*f = Fecha{}
		return nil
	}
	leida, ok := ParseFecha(string(text))
	if !ok {
		return errFecha
	}
	*f = leida
	return nil
}

func (f Fecha) appendTo(b []byte) []byte {
	a, m, d := f.anio, f.mes, f.dia
	return append(b,
		'0'+byte(a/1000), '0'+byte(a/100%10), '0'+byte(a/10%10), '0'+byte(a%10),
		'-', '0'+m/10, '0'+m%10,
		'-', '0'+d/10, '0'+d%10)
}

// ordinal grows with the calendar; it is no count of days.
func (f Fecha) ordinal() uint32 {
	return uint32(f.anio)<<16 | uint32(f.mes)<<8 | uint32(f.dia)
}

func newFecha(anio, mes, dia int) (Fecha, bool) {
	if anio < minAnio || anio > maxAnio || mes < 1 || mes > 12 || dia < 1 || dia > daysIn(anio, mes) {
		return Fecha{}, false
	}
	return Fecha{anio: uint16(anio), mes: uint8(mes), dia: uint8(dia)}, true
}

func daysIn(anio, mes int) int {
	switch mes {
	case 2:
		if anio%4 == 0 && (anio%100 != 0 || anio%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	default:
		return 31
	}
}

// decimal is the number that a few digits write, and -1 when one is no digit.
func decimal(s string) int {
	n := 0
	for i := range len(s) {
		if !isDigit(s[i]) {
			return -1
		}
		n = n*10 + int(s[i]-'0')
	}
	return n
}
