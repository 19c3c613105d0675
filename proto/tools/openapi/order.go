package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A tree is a JSON value that remembers the order of its members. Readers of a document
// meet its parts in a sensible order, which maps would make alphabetical.
type tree struct {
	kind    json.Delim // '{', '[' or 0
	members []member   // of an object, or of an array, without names
	scalar  json.RawMessage
}

type member struct {
	name  string
	value *tree
}

func parseTree(data []byte) (*tree, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return readTree(decoder)
}

func readTree(decoder *json.Decoder) (*tree, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	kind, isWhole := token.(json.Delim)
	if !isWhole {
		text, err := marshal(token)
		return &tree{scalar: text}, err
	}
	whole := &tree{kind: kind}
	for decoder.More() {
		var each member
		if kind == '{' {
			name, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			each.name = name.(string)
		}
		each.value, err = readTree(decoder)
		if err != nil {
			return nil, err
		}
		whole.members = append(whole.members, each)
	}
	_, err = decoder.Token()
	return whole, err
}

// child finds a member; of what is missing it gives an empty tree.
func (t *tree) child(name string) *tree {
	for _, each := range t.members {
		if each.name == name {
			return each.value
		}
	}
	return &tree{}
}

func (t *tree) names() []string {
	names := make([]string, len(t.members))
	for i, each := range t.members {
		names[i] = each.name
	}
	return names
}

// arrange orders the members: those of the list as in the list, then the others as they were.
func (t *tree) arrange(list []string) {
	rank := func(name string) int {
		i := slices.Index(list, name)
		if i < 0 {
			return len(list)
		}
		return i
	}
	slices.SortStableFunc(t.members, func(a, b member) int { return rank(a.name) - rank(b.name) })
}

// keywords is the order in which the members of any OpenAPI object are written.
var keywords = strings.Fields(`openapi info servers x-tagGroups security tags
	name in title version summary description operationId parameters requestBody
	required type allOf oneOf nullable format pattern enum minLength maxLength minimum maximum
	minItems maxItems uniqueItems items properties additionalProperties
	headers content schema example examples paths components responses`)

// arrangeDocument orders a whole document: keywords as above, paths and properties as in
// the protos, names and statuses by alphabet, and what examples contain not at all.
func (t *tree) arrangeDocument(from *source) {
	t.arrangeKeywords()
	t.child("paths").arrange(from.paths)
	schemas := t.child("components").child("schemas")
	for _, schema := range schemas.members {
		schema.value.child("properties").arrange(from.properties[schema.name])
	}
}

func (t *tree) arrangeKeywords() {
	t.arrange(keywords)
	for _, each := range t.members {
		switch each.name {
		case "example", "value":
		case "examples":
			each.value.arrange(exampleOrder())
			for _, named := range each.value.members {
				named.value.arrangeKeywords()
			}
		case "paths", "properties", "responses", "headers", "content", "schemas", "securitySchemes":
			for _, named := range each.value.members {
				named.value.arrangeKeywords()
			}
		default:
			each.value.arrangeKeywords()
		}
	}
}

// exampleOrder puts the documented shape of a body first, and errors in the contract's order.
func exampleOrder() []string {
	var names []string
	for _, shape := range recordShapes {
		names = append(names, shape.name)
	}
	return append(names, codigos()...)
}

// document writes the tree as an indented file.
func (t *tree) document() ([]byte, error) {
	var compact, indented bytes.Buffer
	t.write(&compact)
	err := json.Indent(&indented, compact.Bytes(), "", "  ")
	if err != nil {
		return nil, fmt.Errorf("indent document: %w", err)
	}
	indented.WriteByte('\n')
	return indented.Bytes(), nil
}

func (t *tree) write(out *bytes.Buffer) {
	if t.kind == 0 {
		out.Write(t.scalar)
		return
	}
	out.WriteString(t.kind.String())
	for i, each := range t.members {
		if i > 0 {
			out.WriteByte(',')
		}
		if t.kind == '{' {
			// A string always has a JSON form.
			name, _ := marshal(each.name)
			out.Write(append(name, ':'))
		}
		each.value.write(out)
	}
	// The closing sign is the second after the opening one.
	out.WriteString((t.kind + 2).String())
}

// marshal is json.Marshal without the escapes for HTML.
func marshal(v any) (json.RawMessage, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	if err != nil {
		return nil, errors.Join(errors.New("marshal"), err)
	}
	return bytes.TrimSpace(out.Bytes()), nil
}
