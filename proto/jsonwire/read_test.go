package jsonwire

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/timestamppb"

	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

func TestRead(t *testing.T) {
	indice, folio, offset := int32(-7), "A-2", int64(9007199254740993)
	tests := []struct {
		name string
		body string
		want proto.Message
	}{
		{"texts and a message", `{"folio":"A-1","domicilio":{"calle":"Juárez"}}`,
			&registrosv1.Registro{Folio: "A-1", Domicilio: &registrosv1.Direccion{Calle: "Juárez"}}},
		{"any order and white space", " {\n\t\"curp\" : \"C\" ,\r \"folio\":\"F\" } ",
			&registrosv1.Registro{Folio: "F", Curp: "C"}},
		{"null is not given", `{"folio":null,"domicilio":null,"curp":"C"}`, &registrosv1.Registro{Curp: "C"}},
		{"no member", `{}`, &registrosv1.Registro{}},
		{"escapes", `{"folio":"a\"\\\/\b\f\n\r\t\u00f1\uD83D\uDE00z"}`,
			&registrosv1.Registro{Folio: "a\"\\/\b\f\n\r\tñ😀z"}},
		{"escaped NUL is the domain's matter", `{"folio":"a\u0000b"}`, &registrosv1.Registro{Folio: "a\x00b"}},
		{"escaped name", `{"fo\u006cio":"A"}`, &registrosv1.Registro{Folio: "A"}},
		{"a text of every length around a word", `{"folio":"1234567","curp":"12345678","nombre":"123456789","correo":""}`,
			&registrosv1.Registro{Folio: "1234567", Curp: "12345678", Nombre: "123456789"}},
		{"optional scalars and integers", `{"errores":[{"indice":-7,"folio":"A-2","byte":9007199254740993},{"folio":null}]}`,
			&erroresv1.Errores{Errores: []*erroresv1.ErrorDeCampo{{Indice: &indice, Folio: &folio, Byte: &offset}, {}}}},
		{"repeated texts", `{"ambitos":["cliente","eventos"],"empresa_id":"X"}`,
			&integracionv1.VerifyApiKeyResponse{EmpresaId: "X", Ambitos: []string{"cliente", "eventos"}}},
		{"booleans", `{"sin_cambios":true,"revision":"7"}`, &registrosv1.ListCasosResponse{SinCambios: true, Revision: "7"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.want.ProtoReflect().New().Interface()
			err := Read([]byte(tt.body), got)
			if err != nil {
				t.Fatalf("Read: %v", err)
			}
			if diff := cmp.Diff(tt.want, got, protocmp.Transform()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRead_refusals(t *testing.T) {
	tests := []struct {
		name, body, codigo, puntero string
		offset                      int64
	}{
		{"empty", "", CodigoVacio, "", 0},
		{"white space", " \n", CodigoVacio, "", 2},
		{"not JSON", "hola", CodigoSintaxis, "", 0},
		{"byte order mark", "\ufeff{}", CodigoSintaxis, "", 0},
		{"a NUL byte", "\x00", CodigoSintaxis, "", 0},
		{"root null", "null", CodigoTipo, "", 0},
		{"root text", `"x"`, CodigoTipo, "", 0},
		{"root array", `[]`, CodigoTipo, "", 0},
		{"root number", `7`, CodigoTipo, "", 0},
		{"trailing value", `{} {}`, CodigoDatosSobrantes, "", 3},
		{"trailing text", `{"folio":"A"}x`, CodigoDatosSobrantes, "", 13},
		{"unknown field", `{"diagnostico":"x"}`, CodigoCampoDesconocido, "/diagnostico", 1},
		{"unknown field below", `{"domicilio":{"pais":"x"}}`, CodigoCampoDesconocido, "/domicilio/pais", 14},
		{"camel case", `{"tipoEvento":"x"}`, CodigoCampoDesconocido, "/tipoEvento", 1},
		{"other case", `{"Folio":"x"}`, CodigoCampoDesconocido, "/Folio", 1},
		{"unknown field whose name is a text", `{"<b>hola</b>":"x"}`, CodigoCampoDesconocido, "/<b>hola<~1b>", 1},
		{"unknown field whose name is long", `{"` + strings.Repeat("ñ", 65) + `":"x"}`, CodigoCampoDesconocido, "/" + strings.Repeat("ñ", 64), 1},
		{"empty name", `{"":"x"}`, CodigoCampoDesconocido, "/", 1},
		{"repeated name", `{"folio":"A","curp":"C","folio":"A"}`, CodigoClaveRepetida, "/folio", 24},
		{"repeated name, once null", `{"folio":null,"folio":"A"}`, CodigoClaveRepetida, "/folio", 14},
		{"repeated name, once escaped", `{"folio":"A","f\u006flio":"A"}`, CodigoClaveRepetida, "/folio", 13},
		{"number for a text", `{"folio":7}`, CodigoTipo, "/folio", 9},
		{"boolean for a text", `{"folio":true}`, CodigoTipo, "/folio", 9},
		{"object for a text", `{"folio":{}}`, CodigoTipo, "/folio", 9},
		{"array for a text", `{"folio":["A"]}`, CodigoTipo, "/folio", 9},
		{"text for an object", `{"domicilio":"x"}`, CodigoTipo, "/domicilio", 13},
		{"array for an object", `{"domicilio":[]}`, CodigoTipo, "/domicilio", 13},
		{"misspelt null", `{"folio":nulo}`, CodigoSintaxis, "/folio", 9},
		{"unquoted name", `{folio:"A"}`, CodigoSintaxis, "", 1},
		{"single quotes", `{'folio':'A'}`, CodigoSintaxis, "", 1},
		{"trailing comma", `{"folio":"A",}`, CodigoSintaxis, "", 13},
		{"missing comma", `{"folio":"A" "curp":"C"}`, CodigoSintaxis, "", 13},
		{"missing colon", `{"folio" "A"}`, CodigoSintaxis, "/folio", 9},
		{"comment", `{/**/}`, CodigoSintaxis, "", 1},
		{"cut after the brace", `{`, CodigoSintaxis, "", 1},
		{"cut in a name", `{"fol`, CodigoSintaxis, "", 5},
		{"cut after a name", `{"folio":`, CodigoSintaxis, "/folio", 9},
		{"cut in a text", `{"folio":"A`, CodigoSintaxis, "/folio", 11},
		{"cut in a long text", `{"folio":"` + strings.Repeat("A", 30), CodigoSintaxis, "/folio", 40},
		{"cut in an escape", `{"folio":"\`, CodigoSintaxis, "/folio", 11},
		{"cut in a unicode escape", `{"folio":"\u00`, CodigoSintaxis, "/folio", 14},
		{"unknown escape", `{"folio":"\x41"}`, CodigoSintaxis, "/folio", 11},
		{"bad unicode escape", `{"folio":"\u00zz"}`, CodigoSintaxis, "/folio", 14},
		{"line break in a text", "{\"folio\":\"A\nB\"}", CodigoSintaxis, "/folio", 11},
		{"control character in a long text", "{\"folio\":\"ABCDEFGHIJ\x01KLMNOPQRSTUV\"}", CodigoSintaxis, "/folio", 20},
		{"lone high surrogate", `{"folio":"x\uD83D"}`, CodigoUTF8, "/folio", 11},
		{"lone low surrogate", `{"folio":"\uDE00x"}`, CodigoUTF8, "/folio", 10},
		{"two high surrogates", `{"folio":"\uD83D\uD83D"}`, CodigoUTF8, "/folio", 10},
		{"high surrogate and another escape", `{"folio":"\uD83D\n"}`, CodigoUTF8, "/folio", 10},
		{"invalid UTF-8", "{\"folio\":\"ni\xf1o\"}", CodigoUTF8, "/folio", 12},
		{"invalid UTF-8 after valid", "{\"folio\":\"aaaaaaaaaañ\xed\xa0\x80\"}", CodigoUTF8, "/folio", 22},
		{"replacement character is valid, what follows is not", "{\"folio\":\"\uFFFD\xff\"}", CodigoUTF8, "/folio", 13},
		{"invalid UTF-8 in a name", "{\"fo\xff\":\"A\"}", CodigoUTF8, "", 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := Read([]byte(tt.body), &registrosv1.Registro{})
			checkError(t, err, tt.codigo, tt.puntero, tt.offset)
		})
	}
}

func TestRead_refusesOtherKinds(t *testing.T) {
	tests := []struct {
		name, body string
		into       proto.Message
		codigo     string
		puntero    string
		offset     int64
	}{
		{"text for an integer", `{"errores":[{"indice":"7"}]}`, &erroresv1.Errores{}, CodigoTipo, "/errores/0/indice", 22},
		{"fraction", `{"errores":[{},{"indice":7.0}]}`, &erroresv1.Errores{}, CodigoTipo, "/errores/1/indice", 25},
		{"exponent", `{"errores":[{"indice":7e0}]}`, &erroresv1.Errores{}, CodigoTipo, "/errores/0/indice", 22},
		{"too large for int32", `{"errores":[{"indice":2147483648}]}`, &erroresv1.Errores{}, CodigoTipo, "/errores/0/indice", 22},
		{"too large for int64", `{"errores":[{"byte":9223372036854775808}]}`, &erroresv1.Errores{}, CodigoTipo, "/errores/0/byte", 20},
		{"leading zero", `{"errores":[{"indice":07}]}`, &erroresv1.Errores{}, CodigoSintaxis, "/errores/0", 23},
		{"minus alone", `{"errores":[{"indice":-}]}`, &erroresv1.Errores{}, CodigoSintaxis, "/errores/0/indice", 23},
		{"null element", `{"errores":[null]}`, &erroresv1.Errores{}, CodigoTipo, "/errores/0", 12},
		{"object for an array", `{"errores":{}}`, &erroresv1.Errores{}, CodigoTipo, "/errores", 11},
		{"number among texts", `{"ambitos":["cliente",7]}`, &integracionv1.VerifyApiKeyResponse{}, CodigoTipo, "/ambitos/1", 22},
		{"null among texts", `{"ambitos":[null]}`, &integracionv1.VerifyApiKeyResponse{}, CodigoTipo, "/ambitos/0", 12},
		{"text for a boolean", `{"sin_cambios":"true"}`, &registrosv1.ListCasosResponse{}, CodigoTipo, "/sin_cambios", 15},
		{"misspelt boolean", `{"sin_cambios":tru}`, &registrosv1.ListCasosResponse{}, CodigoSintaxis, "/sin_cambios", 15},
		{"array not closed", `{"errores":[{}`, &erroresv1.Errores{}, CodigoSintaxis, "/errores", 14},
		{"comma before the bracket", `{"errores":[{},]}`, &erroresv1.Errores{}, CodigoSintaxis, "/errores/1", 15},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checkError(t, Read([]byte(tt.body), tt.into), tt.codigo, tt.puntero, tt.offset)
		})
	}
}

func TestReadLenient(t *testing.T) {
	body := `{"id":"X","nuevo":{"nuevo":[1,"a",{"b":null}],"nuevo":-0.5e+10},"nuevo":true,"otra cosa":"x","CURP":"x","curp":"C"}`
	var got integracionv1.Activacion
	ignored, err := ReadLenient([]byte(body), &got)
	if err != nil {
		t.Fatalf("ReadLenient: %v", err)
	}
	if diff := cmp.Diff(&integracionv1.Activacion{Id: "X", Curp: "C"}, &got, protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"nuevo", "otro"}, ignored); diff != "" {
		t.Error("ignored names", diff)
	}
}

func TestReadLenient_refusals(t *testing.T) {
	tests := []struct {
		name, body, codigo, puntero string
		offset                      int64
	}{
		{"repeated known name", `{"id":"A","id":"A"}`, CodigoClaveRepetida, "/id", 10},
		{"wrong type", `{"curp":7}`, CodigoTipo, "/curp", 8},
		{"wrong types", `{"id":7,"curp":{"a":[]},"nombre":true}`, CodigoTipo, "/id", 6},
		{"wrong type before what is no JSON", `{"curp":7,"nombre":x}`, CodigoTipo, "/curp", 8},
		{"what is no JSON before a wrong type", `{"nombre":x,"curp":7}`, CodigoSintaxis, "/nombre", 10},
		{"wrong type that nests too deep", `{"curp":` + strings.Repeat("[", 100), CodigoTipo, "/curp", 8},
		{"broken value of an unknown field", `{"nuevo":{"a":[1,2,}}`, CodigoSintaxis, "/nuevo/a/2", 19},
		{"deep value of an unknown field", `{"nuevo":` + strings.Repeat("[", 100), CodigoProfundidad,
			"/nuevo" + strings.Repeat("/0", maxDepth-1), 9 + maxDepth - 1},
		{"invalid UTF-8 in an unknown field", "{\"nuevo\":\"\xff\"}", CodigoUTF8, "/nuevo", 10},
		{"array root", `[]`, CodigoTipo, "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ReadLenient([]byte(tt.body), &integracionv1.Activacion{})
			checkError(t, err, tt.codigo, tt.puntero, tt.offset)
		})
	}
}

// What else the body says may tell whose activation could not be read.
func TestReadLenient_readsOnAfterAWrongType(t *testing.T) {
	var got integracionv1.Activacion
	_, err := ReadLenient([]byte(`{"telefono":5512345678,"correo":["x"],"curp":null,"nuevo":{},"id":"X"}`), &got)
	checkError(t, err, CodigoTipo, "/telefono", 12)
	if diff := cmp.Diff(&integracionv1.Activacion{Id: "X"}, &got, protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
}

func TestReadLenient_boundsTheNames(t *testing.T) {
	var body strings.Builder
	body.WriteString(`{"id":"X"`)
	for i := range 100 {
		body.WriteString(`,"nuevo_` + string(rune('a'+i%26)) + string(rune('a'+i/26)) + `":1`)
	}
	body.WriteString(`}`)
	ignored, err := ReadLenient([]byte(body.String()), &integracionv1.Activacion{})
	if err != nil || len(ignored) != maxIgnored {
		t.Errorf("got %d names, %v; want %d", len(ignored), err, maxIgnored)
	}
}

func TestCheck(t *testing.T) {
	err := Check(&registrosv1.SaveLoteRequest{})
	if err != nil {
		t.Errorf("a batch: %v", err)
	}
	for _, m := range []proto.Message{
		&timestamppb.Timestamp{},
		&registrosv1.OpenCasoRequest{},              // a Timestamp within
		&integracionv1.NotifyCoincidenciaResponse{}, // an enum
		&integracionv1.VerifyApiKeyRequest{},        // bytes
	} {
		if Check(m) == nil {
			t.Errorf("%s: has no JSON form in the contract, yet passes", m.ProtoReflect().Descriptor().FullName())
		}
		if Read([]byte(`{}`), m) == nil {
			t.Errorf("%s: was read", m.ProtoReflect().Descriptor().FullName())
		}
	}
}

func checkError(t *testing.T, err error, codigo, puntero string, offset int64) {
	t.Helper()
	var problem *Error
	if !errors.As(err, &problem) {
		t.Fatalf("got %v, want a refusal %s", err, codigo)
	}
	if problem.Codigo != codigo || problem.Puntero != puntero || problem.Byte != offset {
		t.Errorf("got %s at %q, byte %d; want %s at %q, byte %d",
			problem.Codigo, problem.Puntero, problem.Byte, codigo, puntero, offset)
	}
	if problem.Mensaje == "" {
		t.Error("no message")
	}
}
