package manual

import (
	"encoding/json"
	"testing"
	"time"
)

func TestFecha_Inicio(t *testing.T) {
	got := MustParseFecha("2026-06-15").Inicio()
	if want := time.Date(2026, 6, 15, 6, 0, 0, 0, time.UTC); !got.Equal(want) {
		t.Errorf("begins at %v, want %v", got, want)
	}
	if FechaOf(got) != MustParseFecha("2026-06-15") || FechaOf(got.Add(-time.Nanosecond)) != MustParseFecha("2026-06-14") {
		t.Error("the day does not begin there")
	}
}

func TestParseFecha(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"0001-01-01", "1900-01-01", "1999-12-31", "2000-02-29", "2024-02-29", "2026-11-21", "9999-12-31",
	} {
		f, ok := ParseFecha(s)
		if !ok || f.IsZero() || f.String() != s {
			t.Errorf("ParseFecha(%q) = %v, %v", s, f, ok)
		}
	}
	for _, s := range []string{
		"", "2026", "2026-1-1", "2026-11-21 ", " 2026-11-21", "21-11-2026", "15-05-1990", "2026/11/21",
		"2026-11-21T00:00:00Z", "2026-00-10", "2026-13-01", "2026-11-00", "2026-11-31", "2026-02-29",
		"1900-02-29", "0000-01-01", "+202-01-01", "202a-01-01", "2026-+1-01", "2026-01-٢١",
	} {
		f, ok := ParseFecha(s)
		if ok || !f.IsZero() {
			t.Errorf("ParseFecha(%q) = %v, accepted", s, f)
		}
	}
}

func TestMustParseFecha_panics(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("30 February did not panic")
		}
	}()
	MustParseFecha("2026-02-30")
}

func TestParseFecha_agreesWithTimeParse(t *testing.T) {
	t.Parallel()
	for dia := time.Date(1895, 1, 1, 0, 0, 0, 0, time.UTC); dia.Year() < 2105; dia = dia.AddDate(0, 0, 1) {
		f := MustParseFecha(dia.Format(time.DateOnly))
		if !f.Time().Equal(dia) || FechaUTC(dia) != f {
			t.Fatalf("%s became %s", dia.Format(time.DateOnly), f.Time())
		}
	}
}

func TestFechaOf(t *testing.T) {
	t.Parallel()
	tests := []struct{ instante, want string }{
		{"2026-11-21T05:59:59Z", "2026-11-20"},
		{"2026-11-21T06:00:00Z", "2026-11-21"},
		{"2026-11-21T23:59:59-06:00", "2026-11-21"},
		{"2026-01-01T00:30:00Z", "2025-12-31"},
	}
	for _, tt := range tests {
		instante, err := time.Parse(time.RFC3339, tt.instante)
		if err != nil {
			t.Fatal(err)
		}
		if got := FechaOf(instante).String(); got != tt.want {
			t.Errorf("FechaOf(%s) = %s, want %s", tt.instante, got, tt.want)
		}
	}
}

func TestLatestFechaOf(t *testing.T) {
	t.Parallel()
	for instante, want := range map[string]string{
		"2026-11-21T04:59:59Z": "2026-11-20", // 23:59 in Quintana Roo
		"2026-11-21T05:00:00Z": "2026-11-21", // midnight there, 23:00 in Mexico City
		"2026-07-21T04:59:59Z": "2026-07-20",
		"2026-07-21T05:00:00Z": "2026-07-21",
	} {
		at, err := time.Parse(time.RFC3339, instante)
		if err != nil {
			t.Fatal(err)
		}
		if got := LatestFechaOf(at).String(); got != want {
			t.Errorf("LatestFechaOf(%s) = %s, want %s", instante, got, want)
		}
		for _, zone := range []string{"America/Mexico_City", "America/Tijuana", "America/Matamoros", "America/Hermosillo", "America/Ciudad_Juarez", "America/Ojinaga"} {
			if fechaIn(at, mustLoadLocation(zone)).After(LatestFechaOf(at)) {
				t.Errorf("%s is ahead at %s", zone, instante)
			}
		}
	}
}

func TestFecha_zero(t *testing.T) {
	t.Parallel()
	var f Fecha
	if !f.IsZero() || f.String() != "" || !f.Time().IsZero() || !f.AddYears(3).IsZero() {
		t.Errorf("the zero Fecha is not empty: %q %v %v", f.String(), f.Time(), f.AddYears(3))
	}
	if !FechaOf(time.Time{}).IsZero() || !FechaUTC(time.Time{}).IsZero() {
		t.Error("the zero time gave a date")
	}
	if !f.Before(MustParseFecha("0001-01-01")) {
		t.Error("the zero Fecha does not come first")
	}
}

func TestFecha_order(t *testing.T) {
	t.Parallel()
	ordered := []string{"1999-12-31", "2000-01-01", "2000-01-31", "2000-02-01", "2001-01-01"}
	for i, a := range ordered {
		for j, b := range ordered {
			f, g := MustParseFecha(a), MustParseFecha(b)
			if f.Before(g) != (i < j) || f.After(g) != (i > j) || (f == g) != (i == j) {
				t.Errorf("%s and %s are in the wrong order", a, b)
			}
			if f.Compare(g) != -g.Compare(f) || (f.Compare(g) < 0) != (i < j) {
				t.Errorf("Compare(%s, %s) = %d", a, b, f.Compare(g))
			}
		}
	}
}

func TestFecha_AddYears(t *testing.T) {
	t.Parallel()
	tests := []struct {
		fecha string
		n     int
		want  string
	}{
		{"2026-11-21", -12, "2014-11-21"},
		{"2024-02-29", -12, "2012-02-29"},
		{"2024-02-29", -1, "2023-02-28"},
		{"2108-02-29", -8, "2100-02-28"},
		{"2026-12-31", 1, "2027-12-31"},
		{"0003-05-05", -12, "0001-05-05"},
		{"9998-05-05", 12, "9999-05-05"},
	}
	for _, tt := range tests {
		if got := MustParseFecha(tt.fecha).AddYears(tt.n).String(); got != tt.want {
			t.Errorf("%s + %d years = %s, want %s", tt.fecha, tt.n, got, tt.want)
		}
	}
}

func TestFecha_JSON(t *testing.T) {
	t.Parallel()
	type hoja struct{ Dada, Ausente Fecha }
	original := hoja{Dada: MustParseFecha("2026-11-21")}
	encoded, err := json.Marshal(original)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"Dada":"2026-11-21","Ausente":""}`; string(encoded) != want {
		t.Errorf("encoded as %s, want %s", encoded, want)
	}
	var decoded hoja
	if err := json.Unmarshal(encoded, &decoded); err != nil || decoded != original {
		t.Errorf("decoded as %v (%v)", decoded, err)
	}
	if err := json.Unmarshal([]byte(`{"Dada":"2026-02-30"}`), &decoded); err == nil {
		t.Error("30 February was decoded")
	}
}

func BenchmarkParseFecha(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		ParseFecha("2026-11-21")
	}
}
