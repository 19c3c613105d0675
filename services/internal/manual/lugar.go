package manual

import (
	"bytes"
	"strings"
)

// Lugar is a birthplace as the manual's Annex 5 writes it. The zero Lugar
// means "not given"; a place that is not known is LugarDesconocido.
type Lugar string

// The two values of Annex 5 that are no federal entity.
const (
	LugarForaneo     Lugar = "FORÁNEO"
	LugarDesconocido Lugar = "DESCONOCIDO"
)

// maxLugar bounds the names that are looked for; every one of them fits.
const maxLugar = 64

// lugares is Annex 5, each place with its state codes in the CURP and with what institutions
// call it besides: official names of the states, old ones of the capital, and usual
// abbreviations. The manual prints QO for Querétaro, but the CURPs that RENAPO issues carry QT:
// both count (pui.md 2.4). XX is missing on purpose, since no CURP carries it.
var lugares = []struct {
	lugar   Lugar
	codigos string
	otros   []string
}{
	{"AGUASCALIENTES", "AS", []string{"Ags"}},
	{"BAJA CALIFORNIA", "BC", []string{"Baja California Norte", "B C", "BC", "BCN"}},
	{"BAJA CALIFORNIA SUR", "BS", []string{"Baja California S", "B C S", "BCS"}},
	{"CAMPECHE", "CC", []string{"Camp"}},
	{"CHIHUAHUA", "CH", []string{"Chih"}},
	{"COAHUILA", "CL", []string{"Coahuila de Zaragoza", "Coah"}},
	{"COLIMA", "CM", []string{"Col"}},
	{"CHIAPAS", "CS", []string{"Chis"}},
	{"CDMX", "DF", []string{
		"Ciudad de México", "Ciudad de México CDMX", "Ciudad de México DF", "Cd de México", "Cd México", "Cd Mx", "Cd Mex", "México DF", "México D F",
		"México Distrito Federal", "México CDMX", "México Ciudad de México", "Distrito Federal", "Distrito Federal CDMX", "CDMX DF", "DF", "D F",
	}},
	{"DURANGO", "DG", []string{"Dgo"}},
	{"GUERRERO", "GR", []string{"Gro"}},
	{"GUANAJUATO", "GT", []string{"Gto"}},
	{"HIDALGO", "HG", []string{"Hgo"}},
	{"JALISCO", "JC", []string{"Jal"}},
	{"MÉXICO", "MC", []string{"Estado de México", "Estado de Mex", "Edo de México", "Edo de Mex", "Edo México", "Edo Mex", "Edomex", "México Estado de", "Mex"}},
	{"MICHOACÁN", "MN", []string{"Michoacán de Ocampo", "Mich"}},
	{"MORELOS", "MS", []string{"Mor"}},
	{LugarForaneo, "NE", []string{
		"Extranjero", "Extranjera", "Nacido en el extranjero", "Nacida en el extranjero", "Nacido en extranjero", "Nacida en extranjero",
		"Nacido extranjero", "Nacida extranjera", "Nacido en otro país", "Nacida en otro país", "En el extranjero", "Otro país",
	}},
	{"NUEVO LEÓN", "NL", []string{"Nvo León", "N León", "N L", "NL"}},
	{"NAYARIT", "NT", []string{"Nay"}},
	{"OAXACA", "OC", []string{"Oax"}},
	{"PUEBLA", "PL", []string{"Puebla de Zaragoza", "Pue"}},
	{"QUERÉTARO", "QO QT", []string{"Querétaro de Arteaga", "Querétaro Arteaga", "Qro"}},
	{"QUINTANA ROO", "QR", []string{"Q Roo", "QRoo", "Q R", "QR"}},
	{"SINALOA", "SL", nil},
	{"SAN LUIS POTOSÍ", "SP", []string{"S L P", "SLP", "San Luis P"}},
	{"SONORA", "SR", []string{"Son"}},
	{"TABASCO", "TC", []string{"Tab"}},
	{"TLAXCALA", "TL", []string{"Tlax"}},
	{"TAMAULIPAS", "TS", []string{"Tamps"}},
	{"VERACRUZ", "VZ", []string{"Veracruz de Ignacio de la Llave", "Veracruz Llave", "Ver"}},
	{"YUCATÁN", "YN", []string{"Yuc"}},
	{"ZACATECAS", "ZS", []string{"Zac"}},
	{LugarDesconocido, "", []string{"Desconocida", "Se desconoce"}},
}

// Where a place is found by a state code of the CURP, and by its folded name.
var lugarPorCodigo, lugarPorNombre = indexLugares()

func indexLugares() (porCodigo, porNombre map[string]Lugar) {
	porCodigo, porNombre = map[string]Lugar{}, map[string]Lugar{}
	for _, l := range lugares {
		for codigo := range strings.FieldsSeq(l.codigos) {
			porCodigo[codigo] = l.lugar
		}
		for _, nombre := range append(l.otros, string(l.lugar)) {
			var buf [maxLugar]byte
			porNombre[string(foldLugar(buf[:0], nombre))] = l.lugar
		}
	}
	return porCodigo, porNombre
}

// ParseLugar finds a value of Annex 5 by its name or one of its usual other names, whatever
// its case and with or without its accents, and gives it as the list writes it.
func ParseLugar(s string) (Lugar, bool) {
	if len(s) > maxLugar {
		return "", false
	}
	var buf [maxLugar]byte
	lugar, ok := lugarPorNombre[string(foldLugar(buf[:0], s))]
	return lugar, ok
}

// IsEntidad reports whether s is one of the 32 federal entities, by its name or one of its usual
// other names and abbreviations: an address may also say "Estado de Jalisco" and "Jalisco, México".
func IsEntidad(s string) bool {
	if len(s) > maxLugar {
		return false
	}
	var buf [maxLugar]byte
	folded := foldLugar(buf[:0], s)
	return isEntidad(folded) || isEntidad(bytes.TrimSuffix(folded, []byte(" mexico"))) ||
		isEntidad(bytes.TrimPrefix(folded, []byte("estado de "))) || isEntidad(bytes.TrimPrefix(folded, []byte("edo de ")))
}

func isEntidad(folded []byte) bool {
	if string(folded) == "sin" { // Sinaloa in an address; a birthplace that says so says nothing
		return true
	}
	lugar, ok := lugarPorNombre[string(folded)]
	return ok && lugar != LugarForaneo && lugar != LugarDesconocido
}

// LugarOfCodigo is the place that a state code of the CURP stands for.
func LugarOfCodigo(codigo string) (Lugar, bool) {
	lugar, ok := lugarPorCodigo[codigo]
	return lugar, ok
}

// foldLugar appends s as names of places are compared: D. F. is DF, and commas, hyphens,
// brackets and several spaces are like one space.
func foldLugar(b []byte, s string) []byte {
	var buf [maxLugar]byte
	kept := b
	for _, c := range AppendFolded(buf[:0], s) {
		switch c {
		case '.':
			continue
		case ' ', ',', '-', '(', ')':
			c = ' '
			if len(kept) == 0 || kept[len(kept)-1] == ' ' {
				continue
			}
		}
		kept = append(kept, c)
	}
	return bytes.TrimSuffix(kept, []byte(" "))
}
