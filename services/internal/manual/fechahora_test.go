package manual

import (
	"testing"
	"time"
)

func TestParseFechaHora(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]struct{ instant, written string }{
		"2026-11-20":                    {"2026-11-20", "2026-11-20"},
		"2026-11-20T10:00":              {"2026-11-20", "2026-11-20"},
		"2026-11-20 23:59:59":           {"2026-11-20", "2026-11-20"},
		"2026-11-20t00:00:00.000":       {"2026-11-20", "2026-11-20"},
		"2026-11-20T05:59:59Z":          {"2026-11-19", "2026-11-20"}, // Mexico City is six hours behind
		"2026-11-20T06:00:00Z":          {"2026-11-20", "2026-11-20"},
		"2026-11-20T23:00:00.123-06:00": {"2026-11-20", "2026-11-20"},
		"2026-11-20T23:00:00-0600":      {"2026-11-20", "2026-11-20"},
		"2026-11-20 23:00:00 -06:00":    {"2026-11-20", "2026-11-20"},
		"2026-11-20 23:00:00.5 -0600":   {"2026-11-20", "2026-11-20"},
		"2026-11-20 23:00:00-06":        {"2026-11-20", "2026-11-20"},
		"2026-11-20 23:00:00-08":        {"2026-11-21", "2026-11-20"},
		"2026-11-20 00:30:00+00:00":     {"2026-11-19", "2026-11-20"},
		"2026-11-20 00:30:00 Z":         {"2026-11-19", "2026-11-20"},
		"1980-01-01 00:00:00":           {"1980-01-01", "1980-01-01"},
		"1980-01-01T00:00:00.000Z":      {"1979-12-31", "1980-01-01"},
		"1990-06-15t23:59:59z":          {"1990-06-15", "1990-06-15"},
	} {
		instant, ok := ParseFechaHora(s)
		written, okDia := ParseDia(s)
		if !ok || !okDia || instant.String() != want.instant || written.String() != want.written {
			t.Errorf("%q is %v or %v, want %v", s, instant, written, want)
		}
	}
	for _, s := range []string{
		"", "2026-02-30", "2026-02-30T10:00", "2026-11-20T", "2026-11-20T25:00", "2026-11-20T10:00:00+0600x", "2026-11-20X10:00",
		"2026-11-20T10:00Z", "20/11/2026 10:00", "2026-11-20T10:60:00Z", "2026-11-20T10:00:00 PM", "2026-11-20T1:00:00Z",
		"2026-11-20T10:00:00,5Z", "2026-11-20T10:00:00.Z", "2026-11-20T10:00:60Z", "2026-11-20T10:0", "2026-11-20T1000",
		"2026-11-20T10:00:00-", "2026-11-20T10:00:00 ", "2026-11-20T10:00:00  -06:00", "2026-11-20T10:00:00-6", "2026-11-20T10:00:00-06:0",
		"2026-11-20T10:00:00-06.00", "2026-11-20T10:00:00-2400", "2026-11-20T10:00:00-0660", "2026-11-20T10:00:00Z ", "2026-11-20T24:00:00",
	} {
		instant, ok := ParseFechaHora(s)
		written, okDia := ParseDia(s)
		if ok || okDia || !instant.IsZero() || !written.IsZero() {
			t.Errorf("%q is %v or %v, accepted", s, instant, written)
		}
	}
	_, ok := ParseFechaHora("0001-01-01T00:00:00Z")
	if ok {
		t.Error("a day before the calendar's first was accepted")
	}
}

// What RFC 3339 allows is read as the standard library reads it.
func FuzzParseFechaHora(f *testing.F) {
	f.Add(int64(1_700_000_000), 123, -360)
	f.Add(int64(0), 0, 0)
	f.Fuzz(func(t *testing.T, seconds int64, nanos, minutes int) {
		zone := time.FixedZone("", minutes%(24*60)*60)
		at := time.Unix(seconds%(1<<35), int64(nanos%1_000_000_000)).In(zone)
		s := at.Format(time.RFC3339Nano)
		got, ok := ParseFechaHora(s)
		if at.Year() > minAnio && at.Year() < maxAnio && (!ok || got != FechaOf(at)) {
			t.Errorf("ParseFechaHora(%q) = %v, %v", s, got, ok)
		}
	})
}
