package jsonwire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

// batchBody is a lote of n full records of some 900 bytes each, the record on which the
// decoders of the design were compared.
func batchBody(tb testing.TB, n int) []byte {
	tb.Helper()
	direccion := `{"direccion":"Avenida Insurgentes Sur 1234, Interior 5","calle":"Avenida Insurgentes Sur","numero":"1234-5",` +
		`"colonia":"Del Valle Centro","codigo_postal":"03100","municipio_o_alcaldia":"Benito Juárez","entidad_federativa":"Ciudad de México"}`
	var body bytes.Buffer
	body.WriteString(`{"registros":[`)
	for i := range n {
		if i > 0 {
			body.WriteByte(',')
		}
		fmt.Fprintf(&body, `{"folio":"LAB-2026-%08d","curp":"PEXA900115HDFRXN06","tipo_evento":"Toma de muestra",`+
			`"fecha_evento":"2026-03-14","descripcion_lugar_evento":"Sucursal Centro, planta baja","direccion_evento":%s,`+
			`"nombre":"NOMBRE","primer_apellido":"PRIMER APELLIDO","segundo_apellido":"SEGUNDO APELLIDO",`+
			`"fecha_nacimiento":"1990-01-15","lugar_nacimiento":"CDMX","sexo_asignado":"H","telefono":"5555555555",`+
			`"correo":"correo.de.contacto@example.com","domicilio":%s}`, i, direccion, direccion)
	}
	body.WriteString(`]}`)
	return body.Bytes()
}

func BenchmarkReadRegistros(b *testing.B) {
	body := batchBody(b, 5000)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		var lote registrosv1.SaveLoteRequest
		err := ReadRegistros(body, &lote, 5001)
		if err != nil || len(lote.GetRegistros()) != 5000 {
			b.Fatal("batch was not read", err)
		}
	}
}

// BenchmarkStandardLibrary is the same batch by encoding/json, for the ratio.
func BenchmarkStandardLibrary(b *testing.B) {
	body := batchBody(b, 5000)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		var lote struct {
			Registros []*registrosv1.Registro `json:"registros"`
		}
		err := json.Unmarshal(body, &lote)
		if err != nil || len(lote.Registros) != 5000 {
			b.Fatal("batch was not read", err)
		}
	}
}

func BenchmarkStream(b *testing.B) {
	nombre := "NOMBRE"
	chunk := &registrosv1.ListCasosResponse{}
	for i := range 500 {
		chunk.Casos = append(chunk.Casos, &registrosv1.Caso{
			Id: fmt.Sprintf("0198a1b2-0000-7000-8000-%012d", i), ReporteId: "A1B2C3D4E5F6-550e8400-e29b-41d4-a716-446655440000",
			Curp: "PEXA900115HDFRXN06", Nombre: &nombre, PrimerApellido: &nombre, SegundoApellido: &nombre,
			Estado: "monitoreo", Coincidencias: 3, AbiertoEn: "2026-03-14T12:00:00.000Z", ActualizadoEn: "2026-03-14T12:00:00.000Z",
		})
	}
	stream, err := NewStream(chunk, "casos")
	if err != nil {
		b.Fatal(err)
	}
	encoded, err := proto.Marshal(chunk)
	if err != nil {
		b.Fatal(err)
	}
	appendAll := func(buffer []byte) []byte {
		for element, err := range stream.Elements(encoded) {
			if err == nil {
				buffer, err = stream.Append(buffer, element)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		return buffer
	}
	buffer := appendAll(nil)
	b.SetBytes(int64(len(buffer)))
	b.ReportAllocs()
	for b.Loop() {
		buffer = appendAll(buffer[:0])
	}
}
