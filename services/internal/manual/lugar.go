package manual

// Lugar is a birthplace as the manual's Annex 5 writes it. The zero Lugar
// means "not given"; a place that is not known is LugarDesconocido.
type Lugar string

// The two values of Annex 5 that are no federal entity.
const (
	LugarForaneo     Lugar = "FORÁNEO"
	LugarDesconocido Lugar = "DESCONOCIDO"
)

// maxLugar bounds the field in the manual; every value of the list fits.
const maxLugar = 20

// lugarPorCodigo is Annex 5 by the state code of the CURP. The manual prints
// QO for Querétaro, but the CURPs that RENAPO issues carry QT: both count
// (pui.md 2.4). XX is missing on purpose, since no CURP carries it.
var lugarPorCodigo = map[string]Lugar{
	"AS": "AGUASCALIENTES",
	"BC": "BAJA CALIFORNIA",
	"BS": "BAJA CALIFORNIA SUR",
	"CC": "CAMPECHE",
	"CH": "CHIHUAHUA",
	"CL": "COAHUILA",
	"CM": "COLIMA",
	"CS": "CHIAPAS",
	"DF": "CDMX",
	"DG": "DURANGO",
	"GR": "GUERRERO",
	"GT": "GUANAJUATO",
	"HG": "HIDALGO",
	"JC": "JALISCO",
	"MC": "MÉXICO",
	"MN": "MICHOACÁN",
	"MS": "MORELOS",
	"NE": LugarForaneo,
	"NL": "NUEVO LEÓN",
	"NT": "NAYARIT",
	"OC": "OAXACA",
	"PL": "PUEBLA",
	"QO": "QUERÉTARO",
	"QR": "QUINTANA ROO",
	"QT": "QUERÉTARO",
	"SL": "SINALOA",
	"SP": "SAN LUIS POTOSÍ",
	"SR": "SONORA",
	"TC": "TABASCO",
	"TL": "TLAXCALA",
	"TS": "TAMAULIPAS",
	"VZ": "VERACRUZ",
	"YN": "YUCATÁN",
	"ZS": "ZACATECAS",
}

// lugarPorNombre finds a value of the list by its folded name.
var lugarPorNombre = indexLugares()

func indexLugares() map[string]Lugar {
	indice := map[string]Lugar{string(LugarDesconocido): LugarDesconocido}
	for _, lugar := range lugarPorCodigo {
		var buf [maxLugar]byte
		indice[string(foldLugar(buf[:0], string(lugar)))] = lugar
	}
	return indice
}

// ParseLugar finds a value of Annex 5 whatever its case and with or without
// its accents, and gives it as the list writes it.
func ParseLugar(s string) (Lugar, bool) {
	var buf [maxLugar]byte
	lugar, ok := lugarPorNombre[string(foldLugar(buf[:0], s))]
	return lugar, ok
}

// LugarOfCodigo is the place that a state code of the CURP stands for.
func LugarOfCodigo(codigo string) (Lugar, bool) {
	lugar, ok := lugarPorCodigo[codigo]
	return lugar, ok
}

// foldLugar appends s in capitals without accents; it is nil when s has a
// character, or a length, that no value of the list has.
func foldLugar(b []byte, s string) []byte {
	for _, r := range s {
		c, ok := foldVowel(r)
		if !ok {
			return nil
		}
		if c == 0 {
			continue
		}
		if len(b) == maxLugar {
			return nil
		}
		b = append(b, c)
	}
	return b
}

// foldVowel is the plain capital of a character of Annex 5, and 0 for the
// combining acute accent of a decomposed text, which is to be left out.
func foldVowel(r rune) (byte, bool) {
	switch r {
	case 'á', 'Á':
		return 'A', true
	case 'é', 'É':
		return 'E', true
	case 'í', 'Í':
		return 'I', true
	case 'ó', 'Ó':
		return 'O', true
	case 'ú', 'Ú':
		return 'U', true
	case '\u0301':
		return 0, true
	case ' ':
		return ' ', true
	}
	if r > 'z' {
		return 0, false
	}
	c := byte(r)
	if isLower(c) {
		return c - 'a' + 'A', true
	}
	return c, isUpper(c)
}
