package plataforma

import (
	"fmt"
	"regexp"
)

// The expressions of §7.2 that several fields share.
var (
	expresionNombre    = regexp.MustCompile(`^[A-Za-zÁÉÍÓÚÜÑáéíóúüñ '-]{1,50}$`)
	expresionDomicilio = regexp.MustCompile(`^[A-Za-zÁÉÍÓÚÜÑáéíóúüñ0-9 .,#'/:()\-]*$`)
)

// camposDomicilio is the table of an address, of the person or of the event.
var camposDomicilio = []campo{
	{"direccion", false, texto(0, 500, expresionDomicilio)},
	{"calle", false, texto(0, 50, expresionDomicilio)},
	{"numero", false, texto(0, 20, expresionDomicilio)},
	{"colonia", false, texto(0, 50, expresionDomicilio)},
	{"codigo_postal", false, texto(0, 5, regexp.MustCompile(`^\d{0,5}$`))},
	{"municipio_o_alcaldia", false, texto(0, 100, expresionDomicilio)},
	{"entidad_federativa", false, texto(0, 40, expresionDomicilio)},
}

var camposNombreCompleto = []campo{
	{"nombre", false, texto(1, 50, expresionNombre)},
	{"primer_apellido", false, texto(1, 50, expresionNombre)},
	{"segundo_apellido", false, texto(1, 50, expresionNombre)},
}

// camposCoincidencia is the table of §7.2, in its order. What depends on the
// phase is checkFase's.
var camposCoincidencia = []campo{
	{"curp", true, texto(18, 18, regexp.MustCompile(`^[A-Z0-9]{18}$`))},
	{"nombre_completo", false, objeto(camposNombreCompleto)},
	{"fecha_nacimiento", false, fecha},
	{"lugar_nacimiento", true, lugarNacimiento},
	{"sexo_asignado", false, texto(1, 1, regexp.MustCompile(`^[MHX]{1}$`))},
	{"telefono", false, texto(0, 15, regexp.MustCompile(`^\+?\d{0,15}$`))},
	{"correo", false, texto(0, 50, regexp.MustCompile(`^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,50}$`))},
	{"domicilio", false, objeto(camposDomicilio)},
	{"fotos", false, fotos},
	{"formato_fotos", false, texto(0, 20, nil)},
	{"huellas", false, huellas},
	{"formato_huellas", false, texto(0, 50, nil)},
	{"id", true, reglaID},
	{"institucion_id", true, reglaInstitucionID},
	{"tipo_evento", false, texto(0, 500, expresionDomicilio)},
	{"fecha_evento", false, fecha},
	{"descripcion_lugar_evento", false, texto(0, 500, expresionDomicilio)},
	{"direccion_evento", false, objeto(camposDomicilio)},
	{"fase_busqueda", true, texto(1, 1, regexp.MustCompile(`^[1-3]$`))},
}

// checkCoincidencia judges the body of /notificar-coincidencia (§7.2).
func checkCoincidencia(cuerpo map[string]any, institucionID string) Errores {
	errores := checkObject("", cuerpo, camposCoincidencia)
	errores = append(errores, checkFase(cuerpo)...)
	return append(errores, checkOwner(cuerpo, institucionID)...)
}

// checkFase holds the event's fields against the phase: phase 1 tells of the
// person only, phases 2 and 3 of a dated event. The manual's own example of
// phase 1 breaks this rule of its text; the text counts (pui.md 3.1).
func checkFase(cuerpo map[string]any) Errores {
	var errores Errores
	switch cuerpo["fase_busqueda"] {
	case "1":
		for _, nombre := range []string{"tipo_evento", "fecha_evento", "descripcion_lugar_evento", "direccion_evento"} {
			if _, presente := cuerpo[nombre]; presente {
				errores = append(errores, fmt.Sprintf("'%s' no corresponde a la fase 1", nombre))
			}
		}
	case "2", "3":
		for _, nombre := range []string{"tipo_evento", "fecha_evento"} {
			valor, presente := cuerpo[nombre]
			if !presente || valor == "" {
				errores = append(errores, fmt.Sprintf("'%s' es obligatorio", nombre))
			}
		}
	}
	return errores
}

// fotos are encrypted texts; without any the array is to be omitted (§9).
func fotos(nombre string, valor any) Errores {
	lista, ok := valor.([]any)
	if !ok {
		return Errores{fmt.Sprintf("'%s' debe ser un arreglo", nombre)}
	}
	if len(lista) == 0 {
		return Errores{fmt.Sprintf("'%s' debe omitirse cuando no hay ninguna", nombre)}
	}
	for i, foto := range lista {
		if s, esTexto := foto.(string); !esTexto || s == "" {
			return Errores{fmt.Sprintf("'%s[%d]' debe ser una cadena de texto", nombre, i)}
		}
	}
	return nil
}

// camposHuellas are the labels of Annex 4.
var camposHuellas = labels("rone", "rtwo", "rthree", "rfour", "rfive",
	"lone", "ltwo", "lthree", "lfour", "lfive", "rpalm", "lpalm")

func labels(nombres ...string) []campo {
	campos := make([]campo, 0, len(nombres))
	for _, nombre := range nombres {
		campos = append(campos, campo{nombre, false, huella})
	}
	return campos
}

func huella(nombre string, valor any) Errores {
	if s, esTexto := valor.(string); !esTexto || s == "" {
		return Errores{fmt.Sprintf("'%s' debe ser una cadena de texto", nombre)}
	}
	return nil
}

// huellas are encrypted texts by finger; without any the object is to be
// omitted (§9).
func huellas(nombre string, valor any) Errores {
	if dedos, ok := valor.(map[string]any); ok && len(dedos) == 0 {
		return Errores{fmt.Sprintf("'%s' debe omitirse cuando no hay ninguna", nombre)}
	}
	return objeto(camposHuellas)(nombre, valor)
}
