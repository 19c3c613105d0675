package grpcapi_test

import (
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/enlace-iis/enlace/proto/errores"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/integraciontest"
)

// What an operator does to institutions by gRPC leaves the operator's own name, and a key of an
// institution opens none of it. registros is away here, which takes nothing else away.
func TestEmpresa_actsHaveTheOperatorsName(t *testing.T) {
	t.Parallel()
	s, clave := newOperador(t, integraciontest.Options{})
	token := s.Login(operadora, clave)
	conn := s.Dial()
	empresas := integracionv1.NewEmpresaServiceClient(conn)
	made, err := empresas.CreateEmpresas(bearer(t, token), &integracionv1.CreateEmpresasRequest{
		Empresas: []*integracionv1.NuevaEmpresa{{IdEmpresa: "NUE010101AA1", Nombre: "NUEVA", Sitio: &integracionv1.NuevoSitio{Descripcion: "Centro"}}},
	})
	if err != nil || len(made.GetEmpresas()) != 1 || made.GetEmpresas()[0].GetClave() == "" {
		t.Fatalf("created %v, %v", made, err)
	}
	changed, err := empresas.SuspendEmpresa(bearer(t, token), &integracionv1.SuspendEmpresaRequest{IdEmpresa: "NUE010101AA1"})
	e := changed.GetEmpresa()
	if err != nil || e.GetEstado() != "suspendida" || e.GetSitio().GetDescripcion() != "Centro" || !e.GetPasos().GetClaveEntrada() || e.GetActividad() != nil {
		t.Errorf("suspended %v, %v", changed, err)
	}
	stream, err := integracionv1.NewBitacoraServiceClient(conn).ListBitacora(bearer(t, token), &integracionv1.ListBitacoraRequest{IdEmpresa: "NUE010101AA1"})
	if err != nil {
		t.Fatal(err)
	}
	var acts []string
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range chunk.GetAsientos() {
			acts = append(acts, a.GetActor()+" "+a.GetAccion())
		}
	}
	if want := []string{"operadora empresa_creada", "operadora empresa_suspendida", "operadora bitacora_vista"}; !slices.Equal(acts, want) {
		t.Errorf("the Bitácora says %v, want %v", acts, want)
	}
	_, err = empresas.GetEmpresa(bearer(t, s.Login("PUI", s.SetClaveEntrada(empresa))), &integracionv1.GetEmpresaRequest{IdEmpresa: empresa})
	wantMotivo(t, err, errores.SinPermiso)
	_, err = empresas.GetEmpresa(bearer(t, token), &integracionv1.GetEmpresaRequest{IdEmpresa: "NAD010101AA1"})
	wantMotivo(t, err, errores.NoEncontrado)
}
