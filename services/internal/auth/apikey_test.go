package auth

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

func newKey(t testing.TB, ambiente string) Key {
	t.Helper()
	key, err := Generate(ambiente)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestGenerate(t *testing.T) {
	format := regexp.MustCompile(`^iis_pruebas_[A-Za-z0-9]{16,26}_[A-Za-z0-9]{49}$`)
	seen := map[string]bool{}
	for range 100 {
		key := newKey(t, "pruebas")
		text := key.Reveal()
		if !format.MatchString(text) {
			t.Fatalf("format: %d characters", len(text))
		}
		if seen[key.ID] || seen[*key.secret] {
			t.Fatal("made twice")
		}
		seen[key.ID], seen[*key.secret] = true, true
		parsed, err := Parse(text)
		if err != nil || parsed.Reveal() != text || parsed.SecretHash() != key.SecretHash() {
			t.Fatalf("parsed %v, %v", parsed, err)
		}
	}
}

func TestGenerate_refusesAnAmbienteThatWouldNotParse(t *testing.T) {
	for _, ambiente := range []string{"", "Produccion", "pre_prod", "a-b", "ñ", strings.Repeat("a", 17)} {
		_, err := Generate(ambiente)
		if err == nil {
			t.Errorf("%q accepted", ambiente)
		}
	}
}

// A fixed key keeps the format from changing: keys in use must go on working.
func TestParse_fixedKey(t *testing.T) {
	key := Key{Ambiente: "produccion", ID: "ABCDEFGHIJKLMNOPQRST", secret: new(strings.Repeat("0", 42) + "1")}
	const text = "iis_produccion_ABCDEFGHIJKLMNOPQRST_0000000000000000000000000000000000000000001"

	got := key.Reveal()

	if got != text+"1ii7vv" {
		t.Error(got)
	}
	if hash := fmt.Sprintf("%x", key.SecretHash()); hash != "58b23c8f17c6b4b8659ebd95e2116d22f25cc97317879b7f39ffb2a34a2fbf40" {
		t.Error(hash)
	}
}

func TestParse_refusesEveryMistypedCharacter(t *testing.T) {
	text := newKey(t, "pruebas").Reveal()
	for i := range len(text) {
		for _, other := range []byte("a7Z_") {
			mistyped := []byte(text)
			mistyped[i] = other
			if string(mistyped) == text {
				continue
			}
			_, err := Parse(string(mistyped))
			if !errs.Is(err, errores.CredencialInvalida) {
				t.Errorf("character %d as %q: %v", i, other, err)
			}
		}
	}
}

func TestParse_refusesOtherShapes(t *testing.T) {
	text := newKey(t, "pruebas").Reveal()
	for _, wrong := range []string{
		"", "iis", "iis___", "_", text + "x", " " + text, text + "\n", text[:len(text)-1], "x" + text,
		strings.ToUpper(text), strings.Replace(text, "iis_", "iis_x_", 1), strings.Repeat("iis_", 1<<16),
	} {
		key, err := Parse(wrong)
		if !errs.Is(err, errores.CredencialInvalida) || key.ID != "" || key.secret != nil {
			t.Errorf("%.80q: %v, %v", wrong, key, err)
		}
	}
}

func TestKey_hashCoversEverything(t *testing.T) {
	key := newKey(t, "pruebas")
	for name, other := range map[string]Key{
		"ambiente": {Ambiente: "produccion", ID: key.ID, secret: key.secret},
		"id":       {Ambiente: key.Ambiente, ID: newKey(t, "pruebas").ID, secret: key.secret},
		"secret":   {Ambiente: key.Ambiente, ID: key.ID, secret: newKey(t, "pruebas").secret},
	} {
		if other.SecretHash() == key.SecretHash() {
			t.Errorf("%s is not covered", name)
		}
	}
}

func TestKey_neverPrintsItsSecret(t *testing.T) {
	key := newKey(t, "pruebas")
	pointer := &key
	wrapped := struct{ Key Key }{key}
	// Package fmt calls no methods on what an unexported field holds.
	hidden := struct{ key Key }{key}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T", "%t", "%o"} {
		fmt.Fprintf(&out, verb+verb+verb+verb+"\n", key, pointer, wrapped, hidden)
	}
	fmt.Fprintln(&out, key, []Key{key}, map[string]Key{"k": key}, key.String())
	for _, log := range []*slog.Logger{slog.New(slog.NewJSONHandler(&out, nil)), slog.New(slog.NewTextHandler(&out, nil))} {
		log.Info("key", "key", key, "pointer", pointer, "wrapped", wrapped, "hidden", hidden, "keys", []Key{key})
	}
	err := json.NewEncoder(&out).Encode(map[string]any{"key": key, "wrapped": wrapped})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Parse(key.Reveal() + "x")
	fmt.Fprintln(&out, err)

	printed := out.String()
	for _, part := range []string{*key.secret, (*key.secret)[:12], fmt.Sprintf("%x", *key.secret), key.checksum()} {
		if strings.Contains(strings.ToLower(printed), strings.ToLower(part)) {
			t.Fatal("the secret was printed")
		}
	}
	if !strings.Contains(printed, key.ID) {
		t.Error("the id was not printed")
	}
}

// The last digits of a key check it, so a text that parses is one that Reveal writes.
func FuzzParse(f *testing.F) {
	key := Key{Ambiente: "pruebas", ID: "0123456789ABCDEFGHIJ", secret: new(strings.Repeat("Zz0", 14) + "9")}
	f.Add(key.Reveal())
	f.Add(strings.Replace(key.Reveal(), "Zz", "zZ", 1))
	f.Add("iis_pruebas_0123456789ABCDEFGHIJ_")
	f.Add("iis____")
	f.Add("iis_a_" + strings.Repeat("a", 16) + "_" + strings.Repeat("\xff", 49))
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		key, err := Parse(text)
		if err != nil {
			if key.ID != "" || key.secret != nil || !errs.Is(err, errores.CredencialInvalida) {
				t.Fatalf("refused with %v, %v", key, err)
			}
			return
		}
		if key.Reveal() != text {
			t.Fatalf("%q reads as another key", text)
		}
		if strings.Contains(key.String(), *key.secret) {
			t.Fatal("the secret was printed")
		}
	})
}

func BenchmarkParse(b *testing.B) {
	text := newKey(b, "pruebas").Reveal()
	b.ReportAllocs()
	for b.Loop() {
		key, err := Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		key.SecretHash()
	}
}
