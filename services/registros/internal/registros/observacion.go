package registros

import (
	"cmp"
	"strconv"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/manual"
)

// Observacion is one thing to tell about one record of a batch. It carries no
// value of the record but its folio, so that it may be logged and shown.
type Observacion struct {
	// Indice is the record's place in what was sent, from 0.
	Indice int
	// Folio is the record's, and "" when it has none that is valid.
	Folio Folio
	// Gravedad says whether the record is refused for it.
	Gravedad Gravedad
	// Puntero is the JSON Pointer of the field in the documented body.
	Puntero string
	// Codigo is the rule that was broken.
	Codigo Codigo
	// Mensaje tells a person, in Spanish, how to mend it.
	Mensaje string
}

// Gravedad separates what is refused from what is only doubted.
type Gravedad string

// A record with an error is not written; one with warnings is (contract.md 4.1).
const (
	GravedadError       Gravedad = "error"
	GravedadAdvertencia Gravedad = "advertencia"
)

// Codigo names a rule of the record. Clients program against these texts: a
// codigo may be added, never changed.
type Codigo string

// The rules whose breach is an error.
const (
	CodigoRequerido           Codigo = errores.Requerido
	CodigoLongitud            Codigo = errores.Longitud
	CodigoFormato             Codigo = errores.Formato
	CodigoCaracterNoPermitido Codigo = errores.CaracterNoPermitido
	CodigoFechaInvalida       Codigo = errores.FechaInvalida
	CodigoFechaFutura         Codigo = "fecha_futura"
	CodigoFechaAnteriorA1900  Codigo = "fecha_anterior_a_1900"
	CodigoFolioRepetido       Codigo = "folio_repetido"

	// These say that the record does not have the documented form.
	CodigoCampoDesconocido Codigo = errores.CampoDesconocido
	CodigoCampoRepetido    Codigo = errores.CampoRepetido
	CodigoTipoIncorrecto   Codigo = errores.TipoIncorrecto
	// In a field that is not required it is a warning, CodigoCampoDescartado.
	CodigoUTF8 Codigo = errores.UTF8
)

// What is only doubted, or left out of the record: warnings.
const (
	CodigoCampoDescartado       Codigo = "campo_descartado"
	CodigoNoCoincideConCURP     Codigo = "no_coincide_con_curp"
	CodigoCURPEstructura        Codigo = "curp_estructura"
	CodigoCURPDigitoVerificador Codigo = "curp_digito_verificador"
	CodigoCURPFechaNacimiento   Codigo = "curp_fecha_nacimiento"
	CodigoTextoNoAdmitido       Codigo = "texto_no_admitido_por_la_plataforma"
	CodigoSinLugar              Codigo = "sin_lugar"
	CodigoDatoDeSalud           Codigo = "dato_de_salud"
)

// mensaje says how to mend a field that breaks a rule. It is made of the
// rule's words alone and never of the value.
func (c Codigo) mensaje(f *campo) string {
	switch c {
	case CodigoRequerido:
		return "Falta " + f.nombre + ": es obligatorio y no puede ir vacío."
	case CodigoLongitud:
		return "El campo " + f.nombre + " admite como máximo " + strconv.Itoa(f.maximo) + " caracteres: acórtelo."
	case CodigoFormato:
		return cmp.Or(f.forma, "El campo "+f.nombre+" no tiene ni letras ni cifras.")
	case CodigoCaracterNoPermitido:
		return "El campo " + f.nombre + " contiene caracteres de control (saltos de línea, tabuladores, nulos): quítelos."
	case CodigoFechaInvalida:
		return "El campo " + f.nombre + " debe ser una fecha del calendario con la forma AAAA-MM-DD."
	case CodigoFechaFutura:
		return "El campo " + f.nombre + " no puede ser posterior al día de hoy."
	case CodigoFechaAnteriorA1900:
		return "El campo " + f.nombre + " no puede ser anterior a " + eventoMinimo.String() + "."
	case CodigoCampoDesconocido:
		return "Este campo no existe en un registro: quítelo o corrija su nombre."
	case CodigoCampoRepetido:
		return "Este campo aparece más de una vez en el registro: envíelo una sola vez."
	case CodigoTipoIncorrecto:
		return "Se esperaba " + f.tipo + "."
	case CodigoUTF8:
		return "El texto no es UTF-8 válido: envíe el cuerpo en UTF-8."
	case CodigoCURPEstructura:
		return "La CURP no tiene la estructura oficial: revísela. El registro se admite y se busca con ella tal como está."
	case CodigoCURPDigitoVerificador:
		return "El dígito verificador de la CURP (el último) no es el que corresponde: revísela. El registro se admite."
	case CodigoCURPFechaNacimiento:
		return "La fecha de nacimiento no coincide con la que indica la CURP: revise ambas. El registro se admite."
	case CodigoNoCoincideConCURP:
		return "El campo " + f.nombre + " no coincide con la CURP, que es la que cuenta: revise ambos."
	case CodigoSinLugar:
		return "Nada dice dónde ocurrió el evento: dé descripcion_lugar_evento o direccion_evento. Sin ellos se notifica sin lugar."
	default:
		return ""
	}
}

// neutro names what is told in place of an act.
const neutro = "«" + manual.TipoEventoNeutro + "» o el acto neutro que su institución haya elegido"

// mensajeDatoDeSalud says what is kept in place of a text.
func mensajeDatoDeSalud(f *campo, kept string) string {
	escriba := "escriba solo el lugar. El registro se guarda sin esas palabras."
	switch {
	case f.obligatorio:
		escriba = "escriba el acto administrativo, por ejemplo «Toma de muestra» o «Entrega de resultados». El registro se guarda, y se notifica como " + neutro + "."
	case kept == "":
		escriba = "escriba solo el lugar. El registro se guarda sin este campo."
	}
	return "El campo " + f.nombre + " nombra un estudio, un resultado, un diagnóstico o un tratamiento, que este servicio no guarda: " + escriba
}

// mensajeTransliterado says what the platform is told in place of a text, which integracion
// makes with the same function.
func mensajeTransliterado(f *campo, notificado string) string {
	que := "se notifica con los equivalentes que admite, hasta " + strconv.Itoa(f.maximo) + " caracteres"
	switch {
	case notificado == "" && f.obligatorio:
		que = "se notifica como " + neutro
	case notificado == "":
		que = "no se incluye en la notificación"
	}
	return "El campo " + f.nombre + " tiene caracteres que la plataforma no recibe: se guarda como está y " + que + "."
}

// mensajeFolioRepetido names the first record with the folio, which is the one
// that counts.
func mensajeFolioRepetido(primero int) string {
	return "El folio ya aparece en este envío, en el registro con índice " + strconv.Itoa(primero) +
		": envíe cada folio una sola vez."
}
