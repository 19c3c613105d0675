package plataforma

import (
	"mime"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// readBody wants what §7 wants of every body: a JSON object, declared as JSON.
func readBody(peticion Peticion) (map[string]any, Errores) {
	tipo, _, err := mime.ParseMediaType(peticion.ContentType)
	if err != nil || tipo != "application/json" {
		return nil, Errores{"'Content-Type' debe ser application/json"}
	}
	return parseObject(peticion.Cuerpo)
}

// parseObject reads a body that must be one JSON object. Repeated keys, invalid
// UTF-8 and trailing data are refused by the decoder's defaults.
func parseObject(cuerpo []byte) (map[string]any, Errores) {
	var valor any
	if err := json.Unmarshal(cuerpo, &valor); err != nil {
		return nil, Errores{"El cuerpo no es un JSON válido"}
	}
	objeto, ok := valor.(map[string]any)
	if !ok {
		return nil, Errores{"El cuerpo debe ser un objeto JSON"}
	}
	return objeto, nil
}

// loggedBody is the body as received, but for the clave of a login: the log is
// there to be read and shown.
func loggedBody(peticion Peticion) jsontext.Value {
	if peticion.Ruta == RutaLogin {
		return loggedLogin(peticion.Cuerpo)
	}
	return AsJSON(peticion.Cuerpo)
}

func loggedLogin(cuerpo []byte) jsontext.Value {
	objeto, errores := parseObject(cuerpo)
	if len(errores) > 0 {
		return nil
	}
	if _, hay := objeto["clave"]; hay {
		objeto["clave"] = "***"
	}
	oculto, err := json.Marshal(objeto, json.Deterministic(true))
	if err != nil {
		return nil
	}
	return oculto
}

// AsJSON keeps JSON as it is and makes a JSON string of anything else.
func AsJSON(cuerpo []byte) jsontext.Value {
	if len(cuerpo) == 0 {
		return nil
	}
	if valor := jsontext.Value(cuerpo); valor.IsValid() {
		return valor.Clone()
	}
	texto, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(string(cuerpo), "\uFFFD"))
	if err != nil {
		return nil
	}
	return texto
}
