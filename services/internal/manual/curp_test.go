package manual

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/proto/errores"
)

// The fixtures of pui.md 2.2.
var (
	curpsOficiales = []string{
		"BOXW310820HNERXN09", "HEGG560427MVZRRL04", "SABC560626MDFLRN01", "XEXX010101HNEXXXA4", "PEXA900115HDFRXN06",
		"LOXM851203MQTPXR00", "GAXJ030708HNERXLB3", "RAXL991231MNLMXS05", "RAXL000101MNLMXSA1",
	}
	curpsDelManual = []string{
		"XEXX010101HNEXXXA0", "TEST010101HDFABC01", "SA06EIMBDR5OVM72NY", "B6PQYBJHZS91YIPXPI", "AEN0ZEUQUDPMXUHVMP",
	}
)

// estructuraOficial is the structural expression of pui.md 2.2.
var estructuraOficial = regexp.MustCompile(`^[A-Z][AEIOUX][A-Z]{2}\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])[HMX]` +
	`(AS|BC|BS|CC|CS|CH|DF|CL|CM|DG|GT|GR|HG|JC|MC|MN|MS|NT|NL|OC|PL|QO|QT|QR|SP|SL|SR|TC|TS|TL|VZ|YN|ZS|NE)` +
	`[B-DF-HJ-NP-TV-Z]{3}[0-9A-Z]\d$`)

func TestLenCURP_isWhatClientsRead(t *testing.T) {
	t.Parallel()
	if said := strconv.Itoa(LenCURP) + " caracteres"; !strings.Contains(errores.FormaCURP, said) {
		t.Errorf("%q does not say %s", errores.FormaCURP, said)
	}
}

func TestIsCURP(t *testing.T) {
	t.Parallel()
	for _, s := range append(append([]string{}, curpsOficiales...), curpsDelManual...) {
		if !IsCURP(s) {
			t.Errorf("IsCURP(%q) = false", s)
		}
	}
	for _, s := range []string{
		"", "TEST010101HDFABC0", "TEST010101HDFABC012", "test010101hdfabc01", "TEST010101HDFABC0 ",
		"TEST010101HDFABC-1", "ÑEST010101HDFABC1", "TEST010101HDFÑBC01",
	} {
		if IsCURP(s) {
			t.Errorf("IsCURP(%q) = true", s)
		}
	}
}

func TestNormalizeCURP(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"  test010101hdfabc01\n": "TEST010101HDFABC01",
		"TEST010101HDFABC01":     "TEST010101HDFABC01",
		"ıest":                   "ıEST", // the dotless i is no I
		" ñ ":                    "ñ",
		"":                       "",
	} {
		if got := NormalizeCURP(s); got != want {
			t.Errorf("NormalizeCURP(%q) = %q, want %q", s, got, want)
		}
	}
}

func TestReadCURP_official(t *testing.T) {
	t.Parallel()
	tests := []struct {
		curp, nacimiento string
		sexo             Sexo
		lugar            Lugar
	}{
		{"BOXW310820HNERXN09", "1931-08-20", SexoHombre, LugarForaneo},
		{"HEGG560427MVZRRL04", "1956-04-27", SexoMujer, "VERACRUZ"},
		{"SABC560626MDFLRN01", "1956-06-26", SexoMujer, "CDMX"},
		{"XEXX010101HNEXXXA4", "2001-01-01", SexoHombre, LugarForaneo},
		{"PEXA900115HDFRXN06", "1990-01-15", SexoHombre, "CDMX"},
		{"LOXM851203MQTPXR00", "1985-12-03", SexoMujer, "QUERÉTARO"},
		{"GAXJ030708HNERXLB3", "2003-07-08", SexoHombre, LugarForaneo},
		{"RAXL991231MNLMXS05", "1999-12-31", SexoMujer, "NUEVO LEÓN"},
		{"RAXL000101MNLMXSA1", "2000-01-01", SexoMujer, "NUEVO LEÓN"},
	}
	for _, tt := range tests {
		want := CURP{
			Oficial: true, Digito: true,
			FechaNacimiento: MustParseFecha(tt.nacimiento), Sexo: tt.sexo, Lugar: tt.lugar,
		}
		if got := ReadCURP(tt.curp); got != want {
			t.Errorf("ReadCURP(%q) = %+v, want %+v", tt.curp, got, want)
		}
	}
}

func TestReadCURP_doubtful(t *testing.T) {
	t.Parallel()
	nada := CURP{Lugar: LugarDesconocido}
	tests := []struct {
		name, curp string
		want       CURP
	}{
		{"wrong check digit", "XEXX010101HNEXXXA0",
			CURP{Oficial: true, FechaNacimiento: MustParseFecha("2001-01-01"), Sexo: SexoHombre, Lugar: LugarForaneo}},
		{"the manual's own test", "TEST010101HDFABC01",
			CURP{FechaNacimiento: MustParseFecha("1901-01-01"), Sexo: SexoHombre, Lugar: "CDMX"}},
		{"non-binary, QO", "PEXA900115XQORXN02",
			CURP{Oficial: true, Digito: true, FechaNacimiento: MustParseFecha("1990-01-15"), Sexo: SexoOtro, Lugar: "QUERÉTARO"}},
		{"unknown state", "PEXA900115HZZRXN00",
			CURP{FechaNacimiento: MustParseFecha("1990-01-15"), Sexo: SexoHombre, Lugar: LugarDesconocido}},
		{"30 February", "PEXA900230HDFRXN01", CURP{Sexo: SexoHombre, Lugar: "CDMX"}},
		{"29 February 1900", "PEXA000229HDFRXN00", CURP{Sexo: SexoHombre, Lugar: "CDMX"}},
		{"random letters", "SA06EIMBDR5OVM72NY", nada},
		{"random letters", "B6PQYBJHZS91YIPXPI", nada},
		{"random letters", "AEN0ZEUQUDPMXUHVMP", nada},
		{"not a CURP", "PEXA900115HDFRXN0", nada},
		{"empty", "", nada},
	}
	for _, tt := range tests {
		if got := ReadCURP(tt.curp); got != tt.want {
			t.Errorf("%s: ReadCURP(%q) = %+v, want %+v", tt.name, tt.curp, got, tt.want)
		}
	}
}

func TestReadCURP_allocatesNothing(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { ReadCURP("PEXA900115HDFRXN06") }); n != 0 {
		t.Errorf("ReadCURP allocates %v times", n)
	}
}

// Each of the eighteen positions matters to the check digit.
func TestReadCURP_checkDigitSeesEveryPosition(t *testing.T) {
	t.Parallel()
	const curp = "PEXA900115HDFRXN06"
	for i := range curp {
		cambiada := curp[:i] + string(neighbour(curp[i])) + curp[i+1:]
		if ReadCURP(cambiada).Digito && !hidesFromCheckDigit(i) {
			t.Errorf("a change at position %d went unnoticed", i+1)
		}
	}
}

func neighbour(c byte) byte {
	if c == '9' || c == 'Z' {
		return c - 1
	}
	return c + 1
}

// hidesFromCheckDigit tells whether a step of one at a position is lost in the
// sum: its weight is a multiple of ten.
func hidesFromCheckDigit(i int) bool { return i < LenCURP-1 && (LenCURP-i)%10 == 0 }

func FuzzReadCURP(f *testing.F) {
	for _, s := range curpsOficiales {
		f.Add(s)
	}
	for _, s := range curpsDelManual {
		f.Add(s)
	}
	for _, s := range []string{"", "PEXA900115XQORXN02", "pexa900115hdfrxn06", "PEXA000229HDFRXNA0", "ÑEXA900115HDFRXN0\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c := ReadCURP(s)
		if c.Lugar == "" {
			t.Error("no place at all")
		}
		if c != ReadCURP(strings.Clone(s)) {
			t.Error("two readings differ")
		}
		if !IsCURP(s) && c != (CURP{Lugar: LugarDesconocido}) {
			t.Errorf("read %+v from what is no CURP", c)
		}
		if want := estructuraOficial.MatchString(s) && !c.FechaNacimiento.IsZero(); c.Oficial != want {
			t.Errorf("Oficial = %v, the expression and the calendar say %v", c.Oficial, want)
		}
		if c.Oficial && (c.Sexo == "" || c.Lugar == LugarDesconocido || c.FechaNacimiento.IsZero()) {
			t.Errorf("official, yet only %+v was read", c)
		}
	})
}

func BenchmarkReadCURP(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		ReadCURP("PEXA900115HDFRXN06")
	}
}

func TestCURP_decides(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, curp string
		sexo       Sexo
		lugar      Lugar
		wantSexo   Sexo
		wantLugar  Lugar
	}{
		{"nothing given", "PEXA900115HDFRXN06", "", "", SexoHombre, "CDMX"},
		{"the same", "PEXA900115HDFRXN06", SexoHombre, "CDMX", SexoHombre, "CDMX"},
		{"against the CURP", "PEXA900115HDFRXN06", SexoMujer, "PUEBLA", SexoHombre, "CDMX"},
		{"against it, its check digit wrong", "PEXA900115HDFRXN07", SexoMujer, "PUEBLA", SexoHombre, "CDMX"},
		{"born abroad", "XEXX010101HNEXXXA4", SexoMujer, "PUEBLA", SexoHombre, LugarForaneo},
		{"structure in doubt", "TEST010101HDFABC01", SexoMujer, "PUEBLA", SexoMujer, "PUEBLA"},
		{"structure in doubt, nothing given", "TEST010101HDFABC01", "", LugarDesconocido, SexoHombre, "CDMX"},
		{"code unknown", "PEXA900115HZZRXN06", SexoMujer, "PUEBLA", SexoMujer, "PUEBLA"},
		{"code unknown, nothing given", "PEXA900115HZZRXN06", "", "", SexoHombre, LugarDesconocido},
		{"at random", "SA06EIMBDR5OVM72NY", SexoMujer, "PUEBLA", SexoMujer, "PUEBLA"},
		{"at random, nothing given", "SA06EIMBDR5OVM72NY", "", "", "", LugarDesconocido},
	}
	for _, tt := range tests {
		c := ReadCURP(tt.curp)
		if sexo, lugar := c.SexoOf(tt.sexo), c.LugarOf(tt.lugar); sexo != tt.wantSexo || lugar != tt.wantLugar {
			t.Errorf("%s: %q and %q, want %q and %q", tt.name, sexo, lugar, tt.wantSexo, tt.wantLugar)
		}
	}
}
