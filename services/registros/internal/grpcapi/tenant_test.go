package grpcapi_test

import (
	"testing"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

// What one institution has, another neither sees nor touches, through any RPC: the same
// folio is another record, the same CURP no match, the lists are empty.
func TestTenancy(t *testing.T) {
	t.Parallel()
	s := setup(t)
	client := registrosv1.NewRegistroServiceClient(s.conn)
	cargas := registrosv1.NewCargaServiceClient(s.conn)
	finished, err := cargas.FinishCarga(s.uno, &registrosv1.FinishCargaRequest{})
	if err != nil || finished.GetIdEmpresa() != "LAB010101AB1" || finished.GetCargaTerminadaEn() == "" {
		t.Fatalf("finished %v, %v", finished, err)
	}
	others, err := cargas.GetCarga(s.dos, &registrosv1.GetCargaRequest{})
	if err != nil || others.GetIdEmpresa() != "LAB020202CD2" || others.CargaTerminadaEn != nil {
		t.Errorf("another institution's load: %v, %v", others, err)
	}
	_, err = registrosv1.NewBusquedaServiceClient(s.conn).OpenCaso(s.integracion, openCaso())
	if err != nil {
		t.Fatal(err)
	}
	records := []*registrosv1.Registro{registro("A")}
	records[0].FechaEvento = "2026-06-15"

	mine, err := client.SaveLote(s.uno, &registrosv1.SaveLoteRequest{Registros: records})
	if err != nil {
		t.Fatal(err)
	}
	if mine.GetCoincidencias() != 1 {
		t.Fatalf("own write found %d coincidencias, want 1", mine.GetCoincidencias())
	}
	theirs, err := client.SaveLote(s.dos, &registrosv1.SaveLoteRequest{Registros: records})
	if err != nil {
		t.Fatal(err)
	}
	if theirs.GetCreados() != 1 || theirs.GetCoincidencias() != 0 {
		t.Errorf("another institution's write: %v", theirs)
	}
	casos, err := s.listCasos(s.dos)
	if err != nil {
		t.Fatal(err)
	}
	if len(casos) != 0 {
		t.Errorf("another institution sees %d casos", len(casos))
	}
	own, err := s.listCasos(s.uno)
	if err != nil {
		t.Fatal(err)
	}
	if len(own) != 1 || own[0].GetCoincidencias() != 1 || own[0].Nombre != nil {
		t.Errorf("own casos = %v", own)
	}
}
