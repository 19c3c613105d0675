package grpcapi

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/enlace-iis/enlace/services/integracion/internal/eventos"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

// readEvento reads a signed body, as strictly as the gateway reads every other (contract,
// section 2): unknown and repeated fields, wrong types, trailing data and invalid UTF-8 are
// refused with their place. The codes are the gateway's, of package jsonwire.
func readEvento(cuerpo []byte) (eventos.EventoFirmado, error) {
	if len(bytes.TrimSpace(cuerpo)) == 0 {
		return eventos.EventoFirmado{}, errJSON(errs.Field{Codigo: "vacio", Mensaje: "El cuerpo está vacío; se esperaba JSON."})
	}
	var evento *eventos.EventoFirmado
	err := json.Unmarshal(cuerpo, &evento, json.RejectUnknownMembers(true))
	if err != nil {
		return eventos.EventoFirmado{}, errJSON(jsonProblem(cuerpo, err))
	}
	if evento == nil { // null
		return eventos.EventoFirmado{}, errJSON(errs.Field{Codigo: "tipo", Mensaje: "Se esperaba un objeto."})
	}
	return *evento, nil
}

func errJSON(field errs.Field) error {
	field.Indice = errs.SinIndice
	return errs.New(errs.JSONInvalido, "El cuerpo no es el JSON que se espera.").WithFields(field)
}

func jsonProblem(cuerpo []byte, err error) errs.Field {
	semantic, wrongValue := errors.AsType[*json.SemanticError](err)
	if wrongValue {
		field := errs.Field{Puntero: shownPointer(semantic.JSONPointer), Byte: semantic.ByteOffset}
		if errors.Is(err, json.ErrUnknownName) {
			field.Codigo, field.Mensaje = "campo_desconocido", "Este campo no existe."
			return field
		}
		field.Codigo, field.Mensaje = "tipo", expected(semantic.JSONPointer)
		return field
	}
	syntactic, broken := errors.AsType[*jsontext.SyntacticError](err)
	if !broken {
		return errs.Field{Codigo: "sintaxis", Mensaje: mensajeSintaxis}
	}
	field := errs.Field{Puntero: shownPointer(syntactic.JSONPointer), Byte: syntactic.ByteOffset}
	field.Codigo, field.Mensaje = syntaxProblem(cuerpo, syntactic)
	return field
}

const mensajeSintaxis = "Aquí el cuerpo deja de ser JSON válido."

func syntaxProblem(cuerpo []byte, err *jsontext.SyntacticError) (codigo, mensaje string) {
	offset := min(err.ByteOffset, int64(len(cuerpo)))
	read, rest := cuerpo[:offset], cuerpo[offset:]
	first, size := utf8.DecodeRune(rest)
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return "clave_repetida", "Este campo aparece más de una vez."
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "sintaxis", "El JSON está incompleto."
	case first == utf8.RuneError && size == 1:
		return "utf8", "El texto no es UTF-8 válido."
	case jsontext.Value(read).IsValid():
		return "datos_sobrantes", "Sobra contenido después del JSON."
	default:
		return "sintaxis", mensajeSintaxis
	}
}

// expected says what should stand in a place; everything but these objects is a text.
func expected(pointer jsontext.Pointer) string {
	switch pointer {
	case "", "/datos", "/datos/direccion_evento", "/datos/domicilio":
		return "Se esperaba un objeto."
	default:
		return "Se esperaba un texto entre comillas."
	}
}

// maxName is the longest name of a field that is repeated to the client.
const maxName = 40

// shownPointer cuts a pointer before the first name that is no plain identifier: the client
// made it up, and it may hold anything.
func shownPointer(pointer jsontext.Pointer) string {
	shown := ""
	for name := range pointer.Tokens() {
		if !isIdentifier(name) {
			return shown
		}
		shown += "/" + name
	}
	return shown
}

func isIdentifier(name string) bool {
	if name == "" || len(name) > maxName {
		return false
	}
	return strings.IndexFunc(name, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) < 0
}
