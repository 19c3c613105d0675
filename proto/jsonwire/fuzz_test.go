package jsonwire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

// FuzzReadRegistros compares what is accepted, and what was read, with an oracle made of
// the standard library's lax decoder and the contract's rules written out one by one.
func FuzzReadRegistros(f *testing.F) {
	for _, body := range []string{
		`{"registros":[{"folio":"A","domicilio":{"calle":"Juárez"}},{"folio":null}]}`,
		`[{"folio":"a\"\\\/\b\f\n\r\t\u00f1\uD83D\uDE00"}]`, `{"folio":"A","folio":"B"}`, `{"folio":7}`,
		`{"folio":"\uD83D"}`, "{\"folio\":\"\xff\"}", `{"registros":null}`, `{}`, `[]`, `[null]`, `null`, ``, `{"x":1}`,
		`[{"direccion_evento":{"codigo_postal":"03100"}}] `, `[{"telefono":5512345678,"domicilio":{"numero":1.0,"codigo_postal":-1,"x/y~":[]}},7,{}]`,
		`{"ilegibles":[{"campo":"x"}],"domicilio":[],"domicilio":{}}`, `{"folio":"A","registros":[{}]}`, `{"registros":[],"registros":[]}`, `[{}`, `{"folio":"A"} x`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if json.Valid(body) && oracleSyntax(body) != nil {
			return // FuzzReadRegistros_recordAlone says what holds
		}
		var got registrosv1.SaveLoteRequest
		err := ReadRegistros(bytes.Clone(body), &got, 5001)
		want, refused := oracleBatch(body)
		if (err != nil) != (refused != nil) {
			t.Fatalf("%q: we say %v, the oracle %v", body, err, refused)
		}
		if err != nil {
			checkPlace(t, body, err)
			return
		}
		if !proto.Equal(&got, want) {
			t.Errorf("%q: read %v, the oracle %v", body, &got, want)
		}
	})
}

// FuzzReadRegistros_recordAlone puts any JSON, whatever its texts and depth, where a record has
// a value: it costs no other record its place, and what is read can be sent on.
func FuzzReadRegistros_recordAlone(f *testing.F) {
	for _, value := range []string{
		"\"MU\xd1OZ\"", `"\ud800"`, `"\ud800\u0041"`, `{"\udc00":"\ud800"}`, "{\"\xff\":{\"\xff\":[]}}",
		strings.Repeat("[", 100) + strings.Repeat("]", 100), `-1`, `""`, `" "`, `{"calle":"\ud800","numero":-1}`,
	} {
		f.Add([]byte(value))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		if !json.Valid(value) {
			return
		}
		for _, name := range []string{"folio", "curp", "domicilio", "ajeno"} {
			var got registrosv1.SaveLoteRequest
			body := fmt.Appendf(nil, `[{"folio":"before"},{%q:%s},{"folio":"after"}]`, name, value)
			err := ReadRegistros(body, &got, 5001)
			all := got.GetRegistros()
			if err != nil || len(all) != 3 || all[0].GetFolio() != "before" || all[2].GetFolio() != "after" {
				t.Fatalf("%s: %s: %v, %v", name, value, all, err)
			}
			_, err = proto.Marshal(&got)
			if err != nil {
				t.Errorf("%s: %s: %v", name, value, err)
			}
		}
	})
}

// FuzzValid compares with the standard library on any JSON.
func FuzzValid(f *testing.F) {
	for _, body := range []string{`[1,-0.5e+7,true,false,null,"x",{"a":{}}]`, `01`, `1.`, `"\u12"`, "\"\xed\xa0\x80\"", `[[[[]]]]`, `{"a" :1 , "b":2}`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		err := Valid(body)
		refused := oracleSyntax(body)
		if (err != nil) != (refused != nil) {
			t.Fatalf("%q: we say %v, the oracle %v", body, err, refused)
		}
		if err != nil {
			checkPlace(t, body, err)
		}
	})
}

func checkPlace(t *testing.T, body []byte, err error) {
	t.Helper()
	var problem *Error
	if !errors.As(err, &problem) {
		t.Fatalf("%q: not a refusal: %v", body, err)
	}
	if problem.Byte < 0 || problem.Byte > int64(len(body)) {
		t.Errorf("%q: byte %d is outside the body", body, problem.Byte)
	}
	if !regexp.MustCompile(`^(/[^\p{Cc}]{0,128})*$`).MatchString(problem.Puntero) {
		t.Errorf("%q: pointer %q shows what it must not", body, problem.Puntero)
	}
}
