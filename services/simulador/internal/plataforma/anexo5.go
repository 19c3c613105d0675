package plataforma

import "fmt"

// lugaresNacimiento are the values of Annex 5 (pui.md 2.4), as §7.2 wants them
// sent. Both spellings of FORÁNEO are there because the manual prints both.
var lugaresNacimiento = map[string]bool{
	"AGUASCALIENTES": true, "BAJA CALIFORNIA": true, "BAJA CALIFORNIA SUR": true,
	"CAMPECHE": true, "CHIAPAS": true, "CHIHUAHUA": true, "CDMX": true,
	"COAHUILA": true, "COLIMA": true, "DURANGO": true, "GUANAJUATO": true,
	"GUERRERO": true, "HIDALGO": true, "JALISCO": true, "MÉXICO": true,
	"MICHOACÁN": true, "MORELOS": true, "NAYARIT": true, "NUEVO LEÓN": true,
	"OAXACA": true, "PUEBLA": true, "QUERÉTARO": true, "QUINTANA ROO": true,
	"SAN LUIS POTOSÍ": true, "SINALOA": true, "SONORA": true, "TABASCO": true,
	"TAMAULIPAS": true, "TLAXCALA": true, "VERACRUZ": true, "YUCATÁN": true,
	"ZACATECAS": true, "FORÁNEO": true, "FORANEO": true, "DESCONOCIDO": true,
}

// lugarNacimiento is the rule of the one enumerated field.
func lugarNacimiento(nombre string, valor any) Errores {
	errores := texto(0, 20, nil)(nombre, valor)
	if len(errores) > 0 {
		return errores
	}
	if !lugaresNacimiento[valor.(string)] {
		return Errores{fmt.Sprintf("'%s' no es un valor del catálogo", nombre)}
	}
	return nil
}
