package conformance

import (
	"testing"

	"github.com/enlace-iis/enlace/deploy/conformance/inbound"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// What operators can point at any institution holds for ours, what only we demand included; the
// sample call of the manual is among it.
func TestInbound_theLocalSystem(t *testing.T) {
	t.Parallel()
	one, other := system.NewInstitucion(t), system.NewInstitucion(t)
	results, err := inbound.Run(t.Context(), inbound.Objetivo{
		BaseURL: one.BaseURL + "/i/" + one.ID, Clave: one.Clave, Real: true,
		OtraBaseURL: other.BaseURL + "/i/" + other.ID, OtraClave: other.Clave,
		HTTP: harness.HTTP,
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := inbound.Incumplidas(results) + inbound.Avisos(results); n > 0 || len(results) < 100 {
		t.Errorf("%d of %d do not hold\n%s", n, len(results), inbound.Tabla(results))
	}
}
