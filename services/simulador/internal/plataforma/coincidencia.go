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

// Criterio is how the platform reads what the manual leaves open. The zero one takes all that the
// manual allows.
type Criterio struct {
	// Foraneo is the one spelling that is taken: FORANEO (§7.2) or FORÁNEO (Annex 5). Empty: both.
	Foraneo string `json:"foraneo"`
	// Estricto demands the four fields of the event in phases 2 and 3, empty if need be (manual,
	// lines 271 and 280), which the table of §7.2 calls optional.
	Estricto bool `json:"estricto"`
}

// SetCriterio replaces how the platform reads. The error, if any, is an Errores.
func (p *Plataforma) SetCriterio(c Criterio) error {
	if c.Foraneo != "" && c.Foraneo != "FORANEO" && c.Foraneo != "FORÁNEO" {
		return Errores{"'foraneo' debe ser FORANEO o FORÁNEO"}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.criterio = c
	return nil
}

// Criterio is how the platform reads now.
func (p *Plataforma) Criterio() Criterio {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.criterio
}

// check judges what the criterion decides.
func (c Criterio) check(cuerpo map[string]any) Errores {
	var errores Errores
	lugar, _ := cuerpo["lugar_nacimiento"].(string)
	if c.Foraneo != "" && lugar != c.Foraneo && (lugar == "FORANEO" || lugar == "FORÁNEO") {
		errores = append(errores, "'lugar_nacimiento' no es un valor del catálogo")
	}
	if !c.Estricto || cuerpo["fase_busqueda"] == "1" {
		return errores
	}
	for _, nombre := range []string{"descripcion_lugar_evento", "direccion_evento"} {
		if _, presente := cuerpo[nombre]; !presente {
			errores = append(errores, fmt.Sprintf("'%s' es obligatorio", nombre))
		}
	}
	return errores
}

// checkCoincidencia judges the body of /notificar-coincidencia (§7.2).
func checkCoincidencia(cuerpo map[string]any, institucionID string, criterio Criterio) Errores {
	errores := checkObject("", cuerpo, camposCoincidencia)
	errores = append(errores, checkFase(cuerpo)...)
	errores = append(errores, criterio.check(cuerpo)...)
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
