package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// A rule writes into a field's schema what the proto only says in words.
type rule func(*openapi3.Schema)

// fieldRules are the limits of contract.md 4.1, 4.2 and 5 and of pui.md 1.5 to 1.8, by
// message and field. Requests are documented in their normal form; that spaces are trimmed,
// capitals optional and "" the same as absent is said in words.
var fieldRules = map[string]rule{
	"Registro.folio":                    chars(1, 64),
	"Registro.curp":                     curp,
	"Registro.tipo_evento":              chars(1, 500),
	"Registro.fecha_evento":             date,
	"Registro.descripcion_lugar_evento": chars(0, 500),
	"Registro.nombre":                   chars(0, 50),
	"Registro.primer_apellido":          chars(0, 50),
	"Registro.segundo_apellido":         chars(0, 50),
	"Registro.fecha_nacimiento":         date,
	"Registro.lugar_nacimiento":         oneOf(lugares...),
	"Registro.sexo_asignado":            oneOf("H", "M", "X"),
	"Registro.telefono":                 pattern(`^[ +()-]*([0-9][ +()-]*){8,15}$`),
	// Longer than the rule: such a correo is only left out, and no client need keep its record back.
	"Registro.correo": both(format("email"), chars(0, 254)),

	"Direccion.direccion":            chars(0, 500),
	"Direccion.calle":                chars(0, 50),
	"Direccion.numero":               chars(0, 20),
	"Direccion.colonia":              chars(0, 50),
	"Direccion.codigo_postal":        pattern(`^[0-9]{5}$`),
	"Direccion.municipio_o_alcaldia": chars(0, 100),
	"Direccion.entidad_federativa":   chars(0, 40),

	"ValidateRegistrosRequest.registros": items(1, 5000),
	"SaveLoteRequest.registros":          items(1, 5000),
	"SaveRegistrosRequest.registros":     items(1, 100),

	"PingResponse.mensaje":    oneOf("pong"),
	"PingResponse.id_empresa": rfc,
	"PingResponse.fecha":      instant,

	"Observacion.indice":   count,
	"Observacion.gravedad": oneOf("error", "advertencia"),
	"Observacion.puntero":  format("json-pointer"),

	"Conteo.gravedad": oneOf("error", "advertencia"),
	"Conteo.total":    count,

	"ResultadoRegistro.indice":    count,
	"ResultadoRegistro.resultado": oneOf("creado", "actualizado", "sin_cambios"),

	"ValidateRegistrosResponse.observaciones":          items(0, 5000),
	"ValidateRegistrosResponse.observaciones_omitidas": count,
	"ValidateRegistrosResponse.total":                  count,
	"ValidateRegistrosResponse.validos":                count,
	"ValidateRegistrosResponse.invalidos":              count,
	"SaveRegistrosResponse.observaciones":              items(0, 5000),
	"SaveRegistrosResponse.observaciones_omitidas":     count,
	"SaveRegistrosResponse.total":                      count,
	"SaveRegistrosResponse.creados":                    count,
	"SaveRegistrosResponse.actualizados":               count,
	"SaveRegistrosResponse.sin_cambios":                count,
	"SaveRegistrosResponse.coincidencias":              count,
	"SaveLoteResponse.id_lote":                         uuid,
	"SaveLoteResponse.observaciones":                   items(0, 5000),
	"SaveLoteResponse.observaciones_omitidas":          count,
	"SaveLoteResponse.total":                           count,
	"SaveLoteResponse.creados":                         count,
	"SaveLoteResponse.actualizados":                    count,
	"SaveLoteResponse.sin_cambios":                     count,
	"SaveLoteResponse.rechazados":                      count,
	"SaveLoteResponse.coincidencias":                   count,

	"Caso.id":                     uuid,
	"Caso.reporte_id":             reporteID,
	"Caso.curp":                   curp,
	"Caso.fecha_nacimiento":       date,
	"Caso.sexo_asignado":          oneOf("H", "M", "X"),
	"Caso.fecha_desaparicion":     date,
	"Caso.estado":                 oneOf("en_busqueda", "monitoreo", "cerrado"),
	"Caso.finalizacion":           oneOf("pendiente", "notificada", "rechazada"),
	"Caso.coincidencias":          count,
	"Caso.abierto_en":             instant,
	"Caso.busqueda_finalizada_en": instant,
	"Caso.cerrado_en":             instant,
	"Caso.actualizado_en":         instant,

	"Coincidencia.id":            uuid,
	"Coincidencia.caso_id":       uuid,
	"Coincidencia.reporte_id":    reporteID,
	"Coincidencia.curp":          curp,
	"Coincidencia.fase_busqueda": oneOf("1", "2", "3"),
	"Coincidencia.fecha_evento":  date,
	"Coincidencia.estado":        oneOf("pendiente", "notificada", "rechazada", "cancelada"),
	"Coincidencia.detectada_en":  instant,
	"Coincidencia.notificada_en": instant,

	"Aviso.id":          uuid,
	"Aviso.reporte_id":  reporteID,
	"Aviso.tipo":        oneOf("activacion", "activacion_prueba", "desactivacion"),
	"Aviso.curp":        curp,
	"Aviso.recibido_en": instant,

	"Credenciales.usuario": chars(1, 256),
	"Credenciales.clave":   both(chars(1, 256), format("password")),

	"Activacion.id":                   reporteID,
	"Activacion.curp":                 curp,
	"Activacion.nombre":               chars(0, 50),
	"Activacion.primer_apellido":      chars(0, 50),
	"Activacion.segundo_apellido":     chars(0, 50),
	"Activacion.fecha_nacimiento":     date,
	"Activacion.fecha_desaparicion":   date,
	"Activacion.lugar_nacimiento":     chars(0, 20),
	"Activacion.sexo_asignado":        oneOf("H", "M", "X"),
	"Activacion.telefono":             chars(0, 15),
	"Activacion.correo":               chars(0, 50),
	"Activacion.direccion":            chars(0, 500),
	"Activacion.calle":                chars(0, 50),
	"Activacion.numero":               chars(0, 20),
	"Activacion.colonia":              chars(0, 50),
	"Activacion.codigo_postal":        chars(0, 5),
	"Activacion.municipio_o_alcaldia": chars(0, 100),
	"Activacion.entidad_federativa":   chars(0, 40),
	"Desactivacion.id":                reporteID,

	"IssueApiKeyRequest.id_empresa": rfc,
	"IssueApiKeyRequest.nombre":     chars(1, 100),
	"IssueApiKeyRequest.ambitos":    ambitos,
	"IssueApiKeyRequest.caduca_en":  instant,
	"IssueApiKeyResponse.ambitos":   ambitos,
	"IssueApiKeyResponse.estado":    oneOf("activa"),
	"IssueApiKeyResponse.creada_en": instant,
	"IssueApiKeyResponse.caduca_en": instant,
	"ApiKey.ambitos":                ambitos,
	"ApiKey.estado":                 oneOf("activa", "caducada", "revocada"),
	"ApiKey.creada_en":              instant,
	"ApiKey.caduca_en":              instant,
	"ApiKey.ultimo_uso_en":          instant,
	"ApiKey.revocada_en":            instant,

	"ReceiveEventoResponse.estado": oneOf("recibido"),
}

// lugares is Annex 5 of the manual (pui.md 2.4).
var lugares = []string{
	"AGUASCALIENTES", "BAJA CALIFORNIA", "BAJA CALIFORNIA SUR", "CAMPECHE", "CDMX", "CHIAPAS", "CHIHUAHUA", "COAHUILA", "COLIMA",
	"DURANGO", "GUANAJUATO", "GUERRERO", "HIDALGO", "JALISCO", "MÉXICO", "MICHOACÁN", "MORELOS", "NAYARIT", "NUEVO LEÓN", "OAXACA",
	"PUEBLA", "QUERÉTARO", "QUINTANA ROO", "SAN LUIS POTOSÍ", "SINALOA", "SONORA", "TABASCO", "TAMAULIPAS", "TLAXCALA", "VERACRUZ",
	"YUCATÁN", "ZACATECAS", "FORÁNEO", "DESCONOCIDO",
}

var (
	curp      = pattern(`^[A-Z0-9]{18}$`)
	rfc       = pattern(`^[A-ZÑ&]{3,4}[0-9]{6}[A-Z0-9]{3}$`)
	date      = format("date")
	instant   = format("date-time")
	uuid      = format("uuid")
	reporteID = both(chars(36, 75),
		pattern(`^([!#$&-;=?-~]*-)?[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$`))
)

func chars(least, most uint64) rule {
	return func(s *openapi3.Schema) { s.MinLength, s.MaxLength = least, &most }
}

func pattern(expression string) rule {
	return func(s *openapi3.Schema) { s.Pattern = expression }
}

func format(name string) rule {
	return func(s *openapi3.Schema) { s.Format = name }
}

func items(least, most uint64) rule {
	return func(s *openapi3.Schema) { s.MinItems, s.MaxItems = least, &most }
}

func both(first, second rule) rule {
	return func(s *openapi3.Schema) { first(s); second(s) }
}

func oneOf(values ...string) rule {
	return func(s *openapi3.Schema) {
		for _, value := range values {
			s.Enum = append(s.Enum, value)
		}
	}
}

func count(s *openapi3.Schema) {
	s.Min = new(float64)
}

func ambitos(s *openapi3.Schema) {
	items(1, 2)(s)
	s.UniqueItems = true
	oneOf("cliente", "eventos")(s.Items.Value)
}

// applyFieldRules writes the table into the messages' schemas.
func applyFieldRules(schemas openapi3.Schemas) error {
	for _, place := range slices.Sorted(maps.Keys(fieldRules)) {
		message, field, _ := strings.Cut(place, ".")
		schema := schemas[message]
		if schema == nil || schema.Value.Properties[field] == nil {
			return fmt.Errorf("fields.go: the protos have no %s", place)
		}
		fieldRules[place](schema.Value.Properties[field].Value)
	}
	return nil
}
