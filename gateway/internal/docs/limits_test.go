package docs

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestDocument_sentencesAgreeWithLimits holds what a sentence of the document counts to the
// limits beside it.
func TestDocument_sentencesAgreeWithLimits(t *testing.T) {
	var document any
	text, err := Config{PublicURL: "https://api.example.mx"}.document()
	if err != nil {
		t.Fatal(err)
	}
	err = json.Unmarshal(text, &document)
	if err != nil {
		t.Fatal(err)
	}
	if counted := checkSentences(t, "", document); counted < 30 {
		t.Errorf("only %d sentences were found", counted)
	}
}

var (
	// counts is how a description says what a value may hold: "hasta 50 caracteres".
	counts = regexp.MustCompile(`(?i)(?:de (\d+) a |hasta |, )(\d+) (?:caracteres|letras|registros)`)
	// rows is how a route says how many rows it answers with at most.
	rows = regexp.MustCompile(`(?i)los (?:últimos )?(\d+) `)
)

// checkSentences looks at a part of the document and all below it, and tells how many of its
// sentences count something.
func checkSentences(t *testing.T, at string, part any) (counted int) {
	t.Helper()
	switch part := part.(type) {
	case []any:
		for i, each := range part {
			counted += checkSentences(t, at+"/"+strconv.Itoa(i), each)
		}
	case map[string]any:
		for name, each := range part {
			counted += checkSentences(t, at+"/"+name, each)
		}
		counted += checkSchema(t, at, part) + checkRows(t, at, part)
	}
	return counted
}

func checkSchema(t *testing.T, at string, schema map[string]any) int {
	t.Helper()
	title, _ := schema["title"].(string)
	description, _ := schema["description"].(string)
	said := counts.FindStringSubmatch(title + description)
	if said == nil || schema["type"] == nil || at == "" {
		return 0
	}
	least, most := said[1], said[2]
	if strings.Contains(said[0], ", ") {
		least = most // "CURP, 18 caracteres"
	}
	if least == "" {
		least = "0"
	}
	gotLeast, gotMost := limitsOf(schema)
	if gotMost != most || gotLeast != least {
		t.Errorf("%s: %q, and the limits are %s and %s", at, said[0], gotLeast, gotMost)
	}
	return 1
}

// inPattern is a length that a pattern holds: "^[A-Z0-9]{18}$".
var inPattern = regexp.MustCompile(`^\^\[[^]]+\]\{(\d+)(?:,(\d+))?\}\$$`)

// limitsOf gives the least and the most of a schema.
func limitsOf(schema map[string]any) (least, most string) {
	pattern, _ := schema["pattern"].(string)
	if bounds := inPattern.FindStringSubmatch(pattern); bounds != nil {
		return bounds[1], max(bounds[1], bounds[2])
	}
	kind := "Length"
	if schema["type"] == "array" {
		kind = "Items"
	}
	number := func(name string) string {
		value, _ := schema[name+kind].(float64)
		return strconv.Itoa(int(value))
	}
	return number("min"), number("max")
}

// checkRows holds the summary of a route to the most rows of its answer.
func checkRows(t *testing.T, at string, operation map[string]any) int {
	t.Helper()
	summary, _ := operation["summary"].(string)
	answer, err := json.Marshal(operation["responses"])
	if err != nil {
		t.Fatal(err)
	}
	said := rows.FindStringSubmatch(summary)
	if said == nil {
		return 0
	}
	if !strings.Contains(string(answer), `"maxItems":`+said[1]+",") && !strings.Contains(string(answer), `"maxItems":`+said[1]+"}") {
		t.Errorf("%s: %q, and its answer has another limit", at, summary)
	}
	return 1
}
