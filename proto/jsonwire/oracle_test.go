package jsonwire

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

var errOracle = errors.New("refused by the oracle")

// oracleSyntax applies the rules on any JSON: RFC 8259, UTF-8, no lone surrogate, depth.
func oracleSyntax(body []byte) error {
	if !json.Valid(body) || !utf8.Valid(body) || hasLoneSurrogate(body) {
		return errOracle
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	depth := 0
	for {
		token, err := decoder.Token()
		if err != nil {
			return nil
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth > maxDepth {
			return errOracle
		}
	}
}

var escapes = regexp.MustCompile(`\\(?:u[0-9a-fA-F]{4}|.)`)

func hasLoneSurrogate(body []byte) bool {
	all := escapes.FindAllIndex(body, -1)
	for i := 0; i < len(all); i++ {
		char, ok := escapedRune(body, all[i])
		if !ok || !utf16.IsSurrogate(char) {
			continue
		}
		if i+1 == len(all) || all[i+1][0] != all[i][1] {
			return true
		}
		second, ok := escapedRune(body, all[i+1])
		if !ok || utf16.DecodeRune(char, second) == utf8.RuneError {
			return true
		}
		i++
	}
	return false
}

func escapedRune(body []byte, at []int) (rune, bool) {
	if at[1]-at[0] != 6 {
		return 0, false
	}
	char, err := strconv.ParseUint(string(body[at[0]+2:at[1]]), 16, 16)
	return rune(char), err == nil
}

// oracleBatch reads a batch as a tree of members and applies contract.md 4.2.
func oracleBatch(body []byte) (*registrosv1.SaveLoteRequest, error) {
	err := oracleSyntax(body)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	root, err := readTree(decoder)
	if err != nil {
		return nil, err
	}
	records, ok := root.([]any)
	object, isLone := root.([]member)
	if isLone {
		records, ok = []any{root}, true
		if len(object) == 0 {
			records = nil
		}
		if isEnvelope(object) {
			isLone = false
			records, ok = object[0].value.([]any)
			ok = (ok || object[0].value == nil) && len(object) == 1 && object[0].name == "registros"
		}
	}
	if !ok {
		return nil, errOracle
	}
	batch := &registrosv1.SaveLoteRequest{}
	for _, each := range records {
		record := &registrosv1.Registro{}
		fillTree(each, record, record, "")
		batch.Registros = append(batch.Registros, record)
		if isLone && holdsABatch(each) {
			return nil, errOracle
		}
	}
	return batch, nil
}

func isEnvelope(object []member) bool {
	fields := (&registrosv1.Registro{}).ProtoReflect().Descriptor().Fields()
	for _, m := range object {
		if m.name == "registros" || m.name != "ilegibles" && fields.ByTextName(m.name) != nil {
			return m.name == "registros"
		}
	}
	return false
}

func holdsABatch(tree any) bool {
	object, _ := tree.([]member)
	return slices.ContainsFunc(object, func(m member) bool { return m.name == "registros" })
}

type member struct {
	name  string
	value any
}

func readTree(decoder *json.Decoder) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('['):
		list := []any{}
		for decoder.More() {
			value, err := readTree(decoder)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err := decoder.Token()
		return list, err
	case json.Delim('{'):
		object := []member{}
		for decoder.More() {
			name, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			value, err := readTree(decoder)
			if err != nil {
				return nil, err
			}
			object = append(object, member{name: name.(string), value: value})
		}
		_, err := decoder.Token()
		return object, err
	default:
		return token, nil
	}
}

// fillTree fills a record, or a message within it, and notes in the record what it cannot read.
func fillTree(tree any, m proto.Message, record *registrosv1.Registro, within string) {
	note := func(codigo, name string) {
		if len(record.Ilegibles) < maxIlegibles {
			record.Ilegibles = append(record.Ilegibles, &registrosv1.Ilegible{Codigo: codigo, Campo: within + name})
		}
	}
	object, ok := tree.([]member)
	if !ok {
		note("tipo_incorrecto", "")
		return
	}
	seen := map[string]bool{}
	fields := m.ProtoReflect().Descriptor().Fields()
	for _, each := range object {
		field := fields.ByTextName(each.name)
		switch {
		case field == nil || each.name == "ilegibles":
			note("campo_desconocido", pointerEscaper.Replace(shown(each.name)))
		case seen[each.name]:
			note("campo_repetido", each.name)
		case each.value == nil:
		case field.Message() != nil:
			text, ok := each.value.(string)
			if ok && strings.TrimSpace(text) == "" {
				break
			}
			_, ok = each.value.([]member)
			if !ok {
				note("tipo_incorrecto", each.name)
				break
			}
			fillTree(each.value, m.ProtoReflect().Mutable(field).Message().Interface(), record, each.name+"/")
		default:
			text, ok := textOf(each)
			if !ok {
				note("tipo_incorrecto", each.name)
				break
			}
			m.ProtoReflect().Set(field, protoreflect.ValueOfString(text))
		}
		seen[each.name] = true
	}
}

var plainInteger = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

func textOf(m member) (string, bool) {
	number, ok := m.value.(json.Number)
	if !ok {
		text, ok := m.value.(string)
		return text, ok
	}
	takes := m.name == "folio" || m.name == "telefono" || m.name == "codigo_postal" || m.name == "numero"
	return number.String(), takes && plainInteger.MatchString(number.String())
}
