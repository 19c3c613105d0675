package edge

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
)

const (
	evidenciaRPC = integracionv1.BitacoraService_ExportEvidencia_FullMethodName
	evidencia    = "/operador/empresas/LAB010101AB1/evidencia"
)

// pieces makes ExportEvidencia send a file; failure comes after the last piece.
func (s *services) pieces(failure error, all ...string) {
	s.on(evidenciaRPC, func(c *call) error {
		for i, each := range all {
			piece := &integracionv1.ExportEvidenciaResponse{Contenido: []byte(each)}
			if i == 0 {
				piece.Tipo, piece.Nombre = "text/csv", "evidencia LAB.csv"
			}
			err := c.stream.SendMsg(piece)
			if err != nil {
				return err
			}
		}
		return failure
	})
}

func TestFile_isSentAsItIs(t *testing.T) {
	s := newStack(t, nil)
	s.pieces(nil, "uno\n", strings.Repeat("x", 100_000), "", "fin\n")
	got := s.get(evidencia+"?desde=2026-01-01&formato=csv", "Authorization", goodToken)
	if string(got.body) != "uno\n"+strings.Repeat("x", 100_000)+"fin\n" || got.StatusCode != http.StatusOK {
		t.Errorf("%d, %d bytes", got.StatusCode, len(got.body))
	}
	for name, want := range map[string]string{
		"Content-Type": "text/csv; charset=utf-8", "Content-Disposition": `attachment; filename="evidencia LAB.csv"`,
		"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
	} {
		if got.Header.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, got.Header.Get(name), want)
		}
	}
	head := s.send(http.MethodHead, evidencia, "", "Authorization", goodToken)
	if head.StatusCode != http.StatusOK || len(head.body) > 0 || head.Header.Get("Content-Type") != "text/csv; charset=utf-8" {
		t.Errorf("HEAD: %d %v, %d bytes", head.StatusCode, head.Header, len(head.body))
	}
}

func TestFile_thatFailsAtFirstIsAnOrdinaryRefusal(t *testing.T) {
	s := newStack(t, nil)
	s.pieces(refusal(codes.Unavailable, "NO_DISPONIBLE", "registros no contesta."))
	got := s.get(evidencia, "Authorization", goodToken)
	if got.StatusCode != http.StatusServiceUnavailable || got.Header.Get("Content-Disposition") != "" {
		t.Errorf("%d %v %s", got.StatusCode, got.Header, got.body)
	}
}

// Half a file never looks whole.
func TestFile_thatFailsInTheMiddleIsCut(t *testing.T) {
	s := newStack(t, nil)
	s.pieces(refusal(codes.Aborted, "CONFLICTO", "La Bitácora no es la que se selló."), "uno\n", "dos\n")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.server.URL+evidencia, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", goodToken)
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err == nil {
		t.Errorf("the file looks whole: %q", content)
	}
	if strings.Contains(string(content), "Bitácora") {
		t.Errorf("the error shows: %q", content)
	}
}
