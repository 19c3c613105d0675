package manual

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

// otrosNombres are what institutions call the places of Annex 5 besides: official names of
// the states, old ones of the capital, and usual abbreviations.
var otrosNombres = map[string]Lugar{
	"Baja California Norte":           "BAJA CALIFORNIA",
	"Coahuila de Zaragoza":            "COAHUILA",
	"Ciudad de México":                "CDMX",
	"Cd de México":                    "CDMX",
	"México DF":                       "CDMX",
	"Distrito Federal":                "CDMX",
	"DF":                              "CDMX",
	"D F":                             "CDMX",
	"Estado de México":                "MÉXICO",
	"Edo de México":                   "MÉXICO",
	"Edo de Mex":                      "MÉXICO",
	"Edo México":                      "MÉXICO",
	"Edo Mex":                         "MÉXICO",
	"Edomex":                          "MÉXICO",
	"Michoacán de Ocampo":             "MICHOACÁN",
	"Querétaro de Arteaga":            "QUERÉTARO",
	"Querétaro Arteaga":               "QUERÉTARO",
	"Veracruz de Ignacio de la Llave": "VERACRUZ",
	"Veracruz Llave":                  "VERACRUZ",
	"Extranjero":                      LugarForaneo,
	"Extranjera":                      LugarForaneo,
	"Nacido en el extranjero":         LugarForaneo,
	"Nacida en el extranjero":         LugarForaneo,
	"Otro país":                       LugarForaneo,
	"Desconocida":                     LugarDesconocido,
	"Se desconoce":                    LugarDesconocido,
}

// lugarPorNombre finds a value of the list by its folded name.
var lugarPorNombre = indexLugares()

func indexLugares() map[string]Lugar {
	indice := map[string]Lugar{}
	add := func(nombre string, lugar Lugar) {
		var buf [maxLugar]byte
		indice[string(foldLugar(buf[:0], nombre))] = lugar
	}
	add(string(LugarDesconocido), LugarDesconocido)
	for _, lugar := range lugarPorCodigo {
		add(string(lugar), lugar)
	}
	for nombre, lugar := range otrosNombres {
		add(nombre, lugar)
	}
	return indice
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

// LugarOfCodigo is the place that a state code of the CURP stands for.
func LugarOfCodigo(codigo string) (Lugar, bool) {
	lugar, ok := lugarPorCodigo[codigo]
	return lugar, ok
}

// foldLugar appends s as names of places are compared: D. F. is DF, and one space is like
// several.
func foldLugar(b []byte, s string) []byte {
	var buf [maxLugar]byte
	kept := b
	for _, c := range AppendFolded(buf[:0], s) {
		isSpace := c == ' '
		if c == '.' || isSpace && (len(kept) == 0 || kept[len(kept)-1] == ' ') {
			continue
		}
		kept = append(kept, c)
	}
	return kept
}
