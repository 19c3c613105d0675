package edge

import (
	"net/http"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
)

// A filter of an operators' list reaches its service; whatever else stands in the address is
// refused before it.
func TestQuery_filtersOfOperators(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	var asked integracionv1.ListEmpresasRequest
	s.on(integracionv1.EmpresaService_ListEmpresas_FullMethodName, func(c *call) error {
		c.receive(t, &asked)
		return c.stream.SendMsg(&integracionv1.ListEmpresasResponse{})
	})
	get := func(path string) *answer { return s.send("GET", path, "", "Authorization", goodToken) }
	got := get("/operador/empresas?estado=suspendida")
	if got.StatusCode != http.StatusOK || !proto.Equal(&asked, &integracionv1.ListEmpresasRequest{Estado: "suspendida"}) {
		t.Errorf("%d %s, asked %v", got.StatusCode, got.body, &asked)
	}
	for _, path := range []string{
		"/operador/empresas?estado=activa&estado=suspendida", "/operador/empresas?page=2", "/operador/empresas?estado=%00",
		"/operador/empresas?estado=" + strings.Repeat("a", maxFilter+1), "/operador/empresas?%zz", "/operador/empresas/AAA010101AAA?estado=activa",
		"/operador/empresas/AAA010101AAA?id_empresa=OTRA",
	} {
		wantRefusal(t, get(path), http.StatusBadRequest, "parametro_no_admitido")
	}
	wantRefusal(t, s.send("POST", "/operador/empresas?estado=activa", "{}", "Authorization", goodToken, "Content-Type", "application/json"),
		http.StatusBadRequest, "parametro_no_admitido")
}
