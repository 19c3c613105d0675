package integracion

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// The probe that finds the platform back says so, once, for its institution alone.
func TestMemoryCircuito_tellsOfARecovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var recovered []tenant.EmpresaID
		m := NewMemoryCircuito()
		m.Recovered = func(e tenant.EmpresaID) { recovered = append(recovered, e) }
		send := func(e tenant.EmpresaID, fails bool) {
			permit, wait := m.Acquire(e)
			for permit == nil {
				time.Sleep(wait)
				permit, wait = m.Acquire(e)
			}
			if fails {
				permit.Failed(0)
				return
			}
			permit.Succeeded()
		}
		send("A", false)
		for range openAfter + 2 {
			send("A", true)
		}
		send("B", false)
		if len(recovered) != 0 {
			t.Errorf("recovered without an outage or during it: %v", recovered)
		}
		send("A", false)
		send("A", false)
		if !slices.Equal(recovered, []tenant.EmpresaID{"A"}) {
			t.Errorf("recovered = %v, want A once", recovered)
		}
	})
}

// permitSpy remembers how it was returned.
type permitSpy struct{ returned string }

func (p *permitSpy) Succeeded()                 { p.returned += "succeeded" }
func (p *permitSpy) Failed(after time.Duration) { p.returned += "failed for " + after.String() }
func (p *permitSpy) Unused()                    { p.returned += "unused" }

// A platform whose list does not come still takes notifications.
func TestSettleListado(t *testing.T) {
	t.Parallel()
	for want, desenlace := range map[string]Desenlace{
		"succeeded":      {Clase: Aceptado},
		"unused":         {Clase: MasTarde, Falla: true},
		"failed for 30s": {Clase: MasTarde, Falla: true, RetryAfter: 30 * time.Second},
	} {
		var permit permitSpy
		settleListado(&permit, desenlace)
		if permit.returned != want {
			t.Errorf("returned as %q, want %q", permit.returned, want)
		}
	}
}
