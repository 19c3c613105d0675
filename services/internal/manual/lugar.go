package manual

import "bytes"

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
var otrosNombres = map[Lugar][]string{
	"AGUASCALIENTES":      {"Ags"},
	"BAJA CALIFORNIA":     {"Baja California Norte", "B C", "BC", "BCN"},
	"BAJA CALIFORNIA SUR": {"Baja California S", "B C S", "BCS"},
	"CAMPECHE":            {"Camp"},
	"CDMX": {
		"Ciudad de México", "Ciudad de México CDMX", "Ciudad de México DF", "Cd de México", "Cd México", "Cd Mx", "Cd Mex", "México DF", "México D F",
		"México Distrito Federal", "México CDMX", "México Ciudad de México", "Distrito Federal", "Distrito Federal CDMX", "CDMX DF", "DF", "D F",
	},
	"CHIAPAS":         {"Chis"},
	"CHIHUAHUA":       {"Chih"},
	"COAHUILA":        {"Coahuila de Zaragoza", "Coah"},
	"COLIMA":          {"Col"},
	"DURANGO":         {"Dgo"},
	"GUANAJUATO":      {"Gto"},
	"GUERRERO":        {"Gro"},
	"HIDALGO":         {"Hgo"},
	"JALISCO":         {"Jal"},
	"MÉXICO":          {"Estado de México", "Estado de Mex", "Edo de México", "Edo de Mex", "Edo México", "Edo Mex", "Edomex", "México Estado de", "Mex"},
	"MICHOACÁN":       {"Michoacán de Ocampo", "Mich"},
	"MORELOS":         {"Mor"},
	"NAYARIT":         {"Nay"},
	"NUEVO LEÓN":      {"Nvo León", "N León", "N L", "NL"},
	"OAXACA":          {"Oax"},
	"PUEBLA":          {"Pue"},
	"QUERÉTARO":       {"Querétaro de Arteaga", "Querétaro Arteaga", "Qro"},
	"QUINTANA ROO":    {"Q Roo", "QRoo", "Q R"},
	"SAN LUIS POTOSÍ": {"S L P", "SLP", "San Luis P"},
	"SONORA":          {"Son"},
	"TABASCO":         {"Tab"},
	"TAMAULIPAS":      {"Tamps"},
	"TLAXCALA":        {"Tlax"},
	"VERACRUZ":        {"Veracruz de Ignacio de la Llave", "Veracruz Llave", "Ver"},
	"YUCATÁN":         {"Yuc"},
	"ZACATECAS":       {"Zac"},
	LugarForaneo: {
		"Extranjero", "Extranjera", "Nacido en el extranjero", "Nacida en el extranjero", "Nacido en extranjero", "Nacida en extranjero",
		"Nacido extranjero", "Nacida extranjera", "Nacido en otro país", "Nacida en otro país", "En el extranjero", "Otro país",
	},
	LugarDesconocido: {"Desconocida", "Se desconoce"},
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
	for lugar, nombres := range otrosNombres {
		for _, nombre := range nombres {
			add(nombre, lugar)
		}
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
