package main

import (
	"encoding/json"
	"strings"
)

// schemaReference begins a reference to a schema.
const schemaReference = "#/components/schemas/"

// schemaName is what the documents call a message. Generators of clients call all that came
// back from a call "<operationId>Response"; an answer's schema of that name would be a second
// type with it, and the client would not compile.
func schemaName(message string) string {
	if rpc, is := strings.CutSuffix(message, "Response"); is {
		return rpc + "Resultado"
	}
	return message
}

// renameSchemas calls each message by its schemaName, wherever it is referred to too.
func (t *tree) renameSchemas(from *source) {
	schemas := t.child("components").child("schemas")
	for i, schema := range schemas.members {
		renamed := schemaName(schema.name)
		schemas.members[i].name = renamed
		from.properties[renamed] = from.properties[schema.name]
	}
	t.renameReferences()
}

func (t *tree) renameReferences() {
	for _, element := range t.elements {
		element.renameReferences()
	}
	for _, each := range t.members {
		each.value.renameReferences()
		if each.name != "$ref" {
			continue
		}
		var reference string
		// What is not a string is a property that is called $ref, not a reference.
		err := json.Unmarshal(each.value.scalar, &reference)
		message, is := strings.CutPrefix(reference, schemaReference)
		if err == nil && is {
			each.value.scalar = json.RawMessage(`"` + schemaReference + schemaName(message) + `"`)
		}
	}
}
