package manual

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// anexo5 repeats the table of pui.md 2.4, so that a slip in the one that the
// code reads does not pass.
const anexo5 = `AS AGUASCALIENTES|BC BAJA CALIFORNIA|BS BAJA CALIFORNIA SUR|CC CAMPECHE|CS CHIAPAS|CH CHIHUAHUA|
DF CDMX|CL COAHUILA|CM COLIMA|DG DURANGO|GT GUANAJUATO|GR GUERRERO|HG HIDALGO|JC JALISCO|MC MÉXICO|MN MICHOACÁN|
MS MORELOS|NT NAYARIT|NL NUEVO LEÓN|OC OAXACA|PL PUEBLA|QO QUERÉTARO|QT QUERÉTARO|QR QUINTANA ROO|SP SAN LUIS POTOSÍ|
SL SINALOA|SR SONORA|TC TABASCO|TS TAMAULIPAS|TL TLAXCALA|VZ VERACRUZ|YN YUCATÁN|ZS ZACATECAS|NE FORÁNEO`

func TestLugar_annex5(t *testing.T) {
	t.Parallel()
	rows := strings.Split(strings.ReplaceAll(anexo5, "\n", ""), "|")
	if len(rows) != len(lugarPorCodigo) {
		t.Errorf("%d codes, want %d", len(lugarPorCodigo), len(rows))
	}
	sinAcento := strings.NewReplacer("Á", "A", "É", "E", "Í", "I", "Ó", "O", "Ú", "U")
	for _, row := range rows {
		codigo, nombre, _ := strings.Cut(row, " ")
		lugar, ok := LugarOfCodigo(codigo)
		if !ok || string(lugar) != nombre {
			t.Errorf("LugarOfCodigo(%q) = %q, %v, want %q", codigo, lugar, ok, nombre)
		}
		if utf8.RuneCountInString(nombre) > maxLugar {
			t.Errorf("%q is longer than the manual allows", nombre)
		}
		for _, escrito := range []string{
			nombre, strings.ToLower(nombre), sinAcento.Replace(nombre), norm.NFD.String(nombre),
		} {
			got, ok := ParseLugar(escrito)
			if !ok || got != lugar {
				t.Errorf("ParseLugar(%q) = %q, %v, want %q", escrito, got, ok, lugar)
			}
		}
	}
}

func TestParseLugar(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]Lugar{
		"FORANEO": LugarForaneo, "Foráneo": LugarForaneo, "desconocido": LugarDesconocido, "Nuevo Leon": "NUEVO LEÓN",
		"Ciudad de México": "CDMX", "DISTRITO FEDERAL": "CDMX", "D. F.": "CDMX", "df": "CDMX", "México D.F.": "CDMX",
		"Estado de Mexico": "MÉXICO", "EDO. DE MÉX.": "MÉXICO", "México": "MÉXICO", "MICHOACAN DE OCAMPO": "MICHOACÁN",
		"Coahuila de Zaragoza": "COAHUILA", "veracruz de ignacio de la llave": "VERACRUZ", "Querétaro de Arteaga": "QUERÉTARO",
		"EXTRANJERO": LugarForaneo, "Baja  California": "BAJA CALIFORNIA", "Baja California Norte": "BAJA CALIFORNIA",
		"México, D.F.": "CDMX", "MEXICO, D. F.": "CDMX", "Ciudad de México (CDMX)": "CDMX", "Cd. Mx.": "CDMX", "NACIDO EXTRANJERO": LugarForaneo,
		"Nvo. León": "NUEVO LEÓN", "N.L.": "NUEVO LEÓN", "N. L.": "NUEVO LEÓN", "S.L.P.": "SAN LUIS POTOSÍ", "Q. Roo": "QUINTANA ROO", "Q.R.": "QUINTANA ROO", "Puebla de Zaragoza": "PUEBLA",
		"B.C.": "BAJA CALIFORNIA", "B.C.S.": "BAJA CALIFORNIA SUR", "Veracruz-Llave": "VERACRUZ", "Edo. Méx.": "MÉXICO", "Jal.": "JALISCO",
		"JALISCO ": "JALISCO", "México (Estado de)": "MÉXICO",
	} {
		got, ok := ParseLugar(s)
		if !ok || got != want {
			t.Errorf("ParseLugar(%q) = %q, %v, want %q", s, got, ok, want)
		}
	}
	for _, s := range []string{
		"", " ", ".", "XX", "MARTE", "JALISC0", "-", "()", "NUEVO", "Baja", "BAJA CALIFORNIA SUR Y NORTE", "CIUDAD", strings.Repeat("A", 65),
		"DISTRITO FEDERAL" + strings.Repeat(" ", 100), "\xff",
	} {
		got, ok := ParseLugar(s)
		if ok || got != "" {
			t.Errorf("ParseLugar(%q) = %q, accepted", s, got)
		}
	}
}

func TestLugarOfCodigo_unknown(t *testing.T) {
	t.Parallel()
	for _, codigo := range []string{"", "XX", "df", "ZZ", "DFX"} {
		if lugar, ok := LugarOfCodigo(codigo); ok {
			t.Errorf("LugarOfCodigo(%q) = %q", codigo, lugar)
		}
	}
}

func TestIsEntidad(t *testing.T) {
	t.Parallel()
	entidades := 0
	for _, l := range lugares {
		if l.lugar == LugarForaneo || l.lugar == LugarDesconocido {
			continue
		}
		entidades++
		for _, s := range append(l.otros, string(l.lugar)) {
			if !IsEntidad(s) || !IsEntidad(strings.ToLower(s)) {
				t.Errorf("IsEntidad(%q) = false", s)
			}
		}
	}
	if entidades != 32 {
		t.Errorf("%d entities, want 32", entidades)
	}
	for _, s := range []string{"Jal.", "Estado de Jalisco", "Edo. de Puebla", "Jalisco, México", "EDO. DE MÉX.", "Sin.", "D.F.", "Q. Roo", "CDMX, México"} {
		if !IsEntidad(s) {
			t.Errorf("IsEntidad(%q) = false", s)
		}
	}
	for _, s := range []string{
		"", "Entregado", "Extranjero", "FORÁNEO", "DESCONOCIDO", "Guadalajara", "Texas", "14", "Activo", "Jalisco 5", "x" + strings.Repeat(" ", 100), "Puebla, Puebla",
	} {
		if IsEntidad(s) {
			t.Errorf("IsEntidad(%q) = true", s)
		}
	}
}
