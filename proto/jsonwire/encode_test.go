package jsonwire

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

// TestEncode writes every kind of field as package proto does, byte for byte.
func TestEncode(t *testing.T) {
	t.Parallel()
	long, empty := strings.Repeat("Ñ", 20_000), ""
	for _, m := range []proto.Message{
		&registrosv1.SaveLoteRequest{},
		&registrosv1.SaveLoteRequest{Registros: []*registrosv1.Registro{
			{Folio: "A", DireccionEvento: &registrosv1.Direccion{}, Domicilio: &registrosv1.Direccion{Calle: long, Numero: "1"}},
			{Folio: long}, {}, nil,
			{Folio: "B", Ilegibles: []*registrosv1.Ilegible{{Campo: "x", Omitidos: -1}}},
		}},
		&registrosv1.ListCasosResponse{Revision: "r-1", SinCambios: true, Casos: []*registrosv1.Caso{
			{Id: "1", Nombre: &empty, PrimerApellido: &long, Coincidencias: 300},
		}},
	} {
		want, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Encode(nil, m)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%.200v: wrote %d bytes, package proto %d, or others: %v", m, len(got), len(want), err)
		}
	}
}

// TestEncode_refusesWhatIsNotUnicode as package proto does.
func TestEncode_refusesWhatIsNotUnicode(t *testing.T) {
	t.Parallel()
	broken := "\xff"
	for _, m := range []proto.Message{
		&registrosv1.Registro{Folio: broken},
		&registrosv1.SaveLoteRequest{Registros: []*registrosv1.Registro{{Folio: "A", Ilegibles: []*registrosv1.Ilegible{{Campo: broken}}}}},
		&registrosv1.Registro{Domicilio: &registrosv1.Direccion{Calle: broken}},
		&registrosv1.ListCasosResponse{Casos: []*registrosv1.Caso{{Nombre: &broken}}},
	} {
		_, err := Encode([]byte("before"), m)
		if err == nil {
			t.Errorf("%v was written", m)
		}
	}
}

// TestCodec has a message stay what it was while the next one is written and read.
func TestCodec(t *testing.T) {
	t.Parallel()
	c := NewCodec()
	var sent []mem.BufferSlice
	for _, folio := range []string{"A", "B"} {
		data, err := c.Marshal(&registrosv1.Registro{Folio: strings.Repeat(folio, 5000)})
		if err != nil {
			t.Fatal(err)
		}
		sent = append(sent, data)
	}
	var first, second registrosv1.Registro
	err := errors.Join(c.Unmarshal(sent[0], &first), c.Unmarshal(sent[1], &second))
	sent[0].Free()
	sent[1].Free()
	if err != nil || first.GetFolio() != strings.Repeat("A", 5000) || second.GetFolio() != strings.Repeat("B", 5000) {
		t.Errorf("%.10s, %.10s: %v", first.GetFolio(), second.GetFolio(), err)
	}
}
