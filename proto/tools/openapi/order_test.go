package main

import (
	"strings"
	"testing"
)

func TestTree(t *testing.T) {
	const source = `{"z":[1,{"b":null,"a":"<á>"}],"a":1.50,"m":{}}`
	parsed, err := parseTree([]byte(source))
	if err != nil {
		t.Fatal(err)
	}
	parsed.arrange([]string{"m", "a"})
	text, err := parsed.document()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.Fields(string(text)), "")
	if want := `{"m":{},"a":1.50,"z":[1,{"b":null,"a":"<á>"}]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTree_broken(t *testing.T) {
	for _, text := range []string{``, `{`, `{"a":}`, `[1,`, `{"a" 1}`} {
		_, err := parseTree([]byte(text))
		if err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

// TestArrangeDocument leaves alone what only looks like a keyword.
func TestArrangeDocument(t *testing.T) {
	parsed, err := parseTree([]byte(`{"components":{"schemas":{"A":{"properties":{"type":{"type":"string","description":"x"},"b":{}},"type":"object"}}},
		"paths":{"/b":{"get":{"responses":{"200":{"content":{"x":{"example":{"type":1,"description":2}}}}},"summary":"s"}},"/a":{}},"openapi":"3.0.3"}`))
	if err != nil {
		t.Fatal(err)
	}
	parsed.arrangeDocument(&source{paths: []string{"/a", "/b"}, properties: map[string][]string{"A": {"b", "type"}}})
	text, err := parsed.document()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.Fields(string(text)), "")
	want := `{"openapi":"3.0.3","paths":{"/a":{},"/b":{"get":{"summary":"s","responses":{"200":{"content":{"x":{"example":{"type":1,"description":2}}}}}}}},` +
		`"components":{"schemas":{"A":{"type":"object","properties":{"b":{},"type":{"description":"x","type":"string"}}}}}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestHeadline(t *testing.T) {
	for comment, want := range map[string][2]string{
		"Una frase.":                {"Una frase", ""},
		"Una frase. Y otra.":        {"Una frase", "Y otra."},
		"Un título\n\nUn párrafo.":  {"Un título", "Un párrafo."},
		"Hasta 5000. Ninguno. Fin.": {"Hasta 5000", "Ninguno. Fin."},
	} {
		first, rest := headline(comment)
		if first != want[0] || rest != want[1] {
			t.Errorf("%q: got %q and %q", comment, first, rest)
		}
	}
}

func TestComment(t *testing.T) {
	got := comment("  Una línea\nque sigue.\n\nOtra. ")
	if got != "Una línea que sigue.\n\nOtra." {
		t.Errorf("got %q", got)
	}
}
