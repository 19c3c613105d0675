package jsonwire

import (
	"encoding/json"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

func TestAppend(t *testing.T) {
	folio, vacio := "A-2", ""
	tests := []struct {
		name string
		v    any
		want string
	}{
		{"every field of an empty message", &registrosv1.ValidateRegistrosResponse{},
			`{"total":0,"validos":0,"invalidos":0,"observaciones":[],"resumen":[],"observaciones_omitidas":0}`},
		{"optional: absent, empty and given", &registrosv1.ValidateRegistrosResponse{Total: -3, Observaciones: []*registrosv1.Observacion{
			{Indice: 0}, {Indice: 1, Folio: &vacio}, {Indice: 2, Folio: &folio, Gravedad: "error"}}},
			`{"total":-3,"validos":0,"invalidos":0,"observaciones":[` +
				`{"indice":0,"folio":null,"gravedad":"","puntero":"","codigo":"","mensaje":""},` +
				`{"indice":1,"folio":"","gravedad":"","puntero":"","codigo":"","mensaje":""},` +
				`{"indice":2,"folio":"A-2","gravedad":"error","puntero":"","codigo":"","mensaje":""}],"resumen":[],"observaciones_omitidas":0}`},
		{"absent message", &integracionv1.RotateApiKeyRequest{KeyId: "X"}, `{"key_id":"X","rotacion":null}`},
		{"given message", &integracionv1.RotateApiKeyRequest{Rotacion: &integracionv1.Rotacion{CaducaEn: "X"}},
			`{"key_id":"","rotacion":{"anterior_hasta":"","caduca_en":"X"}}`},
		{"repeated texts", &integracionv1.VerifyApiKeyResponse{Ambitos: []string{"cliente", "eventos"}},
			`{"empresa_id":"","empresa_nombre":"","ambitos":["cliente","eventos"],"tiene_sitio":false}`},
		{"boolean", &registrosv1.ListCasosResponse{SinCambios: true}, `{"revision":"","sin_cambios":true,"casos":[]}`},
		{"bare list", []*integracionv1.Desactivacion{{Id: "a"}, {Id: "b"}}, `[{"id":"a"},{"id":"b"}]`},
		{"bare list that is nil", []*integracionv1.Desactivacion(nil), `[]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Append([]byte("before "), tt.v)
			if err != nil {
				t.Fatalf("Append: %v", err)
			}
			if string(got) != "before "+tt.want {
				t.Errorf("got  %s\nwant before %s", got, tt.want)
			}
		})
	}
}

func TestAppend_refusesWhatHasNoForm(t *testing.T) {
	for _, v := range []any{7, []string{"a"}, []*int{}, &registrosv1.OpenCasoRequest{}} {
		_, err := Append(nil, v)
		if err == nil {
			t.Errorf("%T was written", v)
		}
	}
}

func TestAppendText(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", `""`},
		{"Juárez <b>&'/", `"Juárez <b>&'/"`},
		{"a\"b\\c", `"a\"b\\c"`},
		{"\n\r\t\b\x00\x1f\x7f", `"\n\r\t\u0008\u0000\u001f\u007f"`},
		{"a\u2028b\u2029c", `"a\u2028b\u2029c"`},
		{"ni\xf1o\xff", `"ni\ufffdo\ufffd"`},
		{"\ufffd 😀", "\"\ufffd 😀\""},
	}
	for _, tt := range tests {
		got := AppendText(nil, tt.text)
		if string(got) != tt.want {
			t.Errorf("%q: got %s, want %s", tt.text, got, tt.want)
		}
	}
}

func TestStream(t *testing.T) {
	chunks := []*integracionv1.ListAvisosResponse{
		{Revision: "7"},
		{Reportes: []*integracionv1.Aviso{{Id: "1"}, {Id: "2"}}},
		{},
		{Reportes: []*integracionv1.Aviso{{Id: "3", Curp: proto.String("C")}}},
	}
	stream, err := NewStream(&integracionv1.ListAvisosResponse{}, "reportes")
	if err != nil {
		t.Fatal(err)
	}
	buffer := []byte("[")
	for _, chunk := range chunks {
		buffer = appendChunk(t, stream, buffer, chunk)
	}
	buffer = append(buffer, ']')

	var got []map[string]any
	err = json.Unmarshal(buffer, &got)
	if err != nil {
		t.Fatalf("%s: %v", buffer, err)
	}
	if len(got) != 3 || got[2]["curp"] != "C" || got[0]["curp"] != nil || len(got[0]) != 5 {
		t.Errorf("got %s", buffer)
	}
}

// appendChunk writes the elements of a chunk, each behind a comma but for the first of all.
func appendChunk(t *testing.T, stream Stream, buffer []byte, chunk proto.Message) []byte {
	t.Helper()
	encoded, err := proto.Marshal(chunk)
	if err != nil {
		t.Fatal(err)
	}
	for element, err := range stream.Elements(encoded) {
		if len(buffer) > 1 {
			buffer = append(buffer, ',')
		}
		if err == nil {
			buffer, err = stream.Append(buffer, element)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return buffer
}

func TestNewStream_refusesWhatIsNoList(t *testing.T) {
	for _, name := range []string{"revision", "otro"} {
		_, err := NewStream(&integracionv1.ListAvisosResponse{}, name)
		if err == nil {
			t.Errorf("%s: is no list, yet passes", name)
		}
	}
}

// FuzzStream compares what a stream writes of any message with what [Append] does; what is no
// message it refuses.
func FuzzStream(f *testing.F) {
	for _, seed := range streamed {
		text, err := proto.Marshal(seed.chunk)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		f.Add(text[:len(text)-1])
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, each := range streamed {
			stream, err := NewStream(each.chunk, each.field)
			if err != nil {
				t.Fatal(err)
			}
			chunk := each.chunk.ProtoReflect().New().Interface()
			err = proto.Unmarshal(text, chunk)
			if err != nil {
				for element, err := range stream.Elements(text) {
					if err == nil {
						_, _ = stream.Append(nil, element) // which must not panic
					}
				}
				continue
			}
			got := string(appendChunk(t, stream, []byte("["), chunk)) + "]"
			whole, err := Append(nil, chunk)
			if err != nil || !strings.Contains(string(whole), `"`+each.field+`":`+got) {
				t.Errorf("%s wrote %s, and not as it stands in %s: %v", each.field, got, whole, err)
			}
		}
	})
}

// streamed are lists with all that the contract's messages have.
var streamed = []struct {
	field string
	chunk proto.Message
}{
	{"expedientes", &integracionv1.FindPersonaResponse{Expedientes: []*integracionv1.Expediente{{}, {
		IdEmpresa: "LAB010101AB1", Ciclos: []*integracionv1.ReporteSeguido{{Ciclo: -1}, {}}, Historia: []*integracionv1.Momento{{}},
	}}}},
	{"empresas", &integracionv1.ListEmpresasResponse{Empresas: []*integracionv1.Empresa{{}, {
		Nombre: "ñ\u2028", ReportesActivos: 7, EntregaPausadaEn: new(""), Sitio: &integracionv1.Sitio{}, Pasos: &integracionv1.Pasos{ClaveEntrada: true},
	}}}},
	{"api_keys", &integracionv1.ListApiKeysResponse{ApiKeys: []*integracionv1.ApiKey{{Ambitos: []string{"cliente", ""}}, {}}}},
	{"casos", &registrosv1.ListCasosResponse{Revision: "7", Casos: []*registrosv1.Caso{{Coincidencias: 3}, {Finalizacion: "pendiente", Estado: "monitoreo"}}}},
}

// FuzzAppendText compares the texts that come back with those that went in.
func FuzzAppendText(f *testing.F) {
	for _, text := range []string{"", "a\"\\\n\x00\x7f", "ñ\u2028😀", "\xff\xc3", "\uFFFD"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		written := AppendText(nil, text)
		var got string
		err := json.Unmarshal(written, &got)
		if err != nil {
			t.Fatalf("%q was written as %s: %v", text, written, err)
		}
		if want := strings.ToValidUTF8(text, "\uFFFD"); !sameRunes(got, want) {
			t.Errorf("%q came back as %q", text, got)
		}
		if err := Valid(written); err != nil {
			t.Errorf("%s: our own reader refuses it: %v", written, err)
		}
	})
}

// sameRunes compares texts whose runs of invalid bytes may be replaced one by one or as a
// whole.
func sameRunes(a, b string) bool {
	return strings.ReplaceAll(a, "\uFFFD", "") == strings.ReplaceAll(b, "\uFFFD", "")
}
