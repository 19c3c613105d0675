package resincronizacion

import (
	"testing"
	"time"

	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/internal/envio"
)

// permitSpy remembers how it was returned.
type permitSpy struct{ returned string }

func (p *permitSpy) Succeeded() { p.returned += "succeeded" }
func (p *permitSpy) Failed(after time.Duration) time.Duration {
	p.returned += "failed for " + after.String()
	return 0
}
func (p *permitSpy) Unclear() time.Duration { return 0 }
func (p *permitSpy) Unused()                { p.returned += "unused" }

// A platform whose list does not come still takes notifications.
func TestSettleListado(t *testing.T) {
	t.Parallel()
	for want, desenlace := range map[string]entregas.Desenlace{
		"succeeded":      {Resultado: envio.Aceptado},
		"unused":         {Resultado: envio.MasTarde, Falla: true},
		"failed for 30s": {Resultado: envio.MasTarde, Falla: true, RetryAfter: 30 * time.Second},
	} {
		var permit permitSpy
		settleListado(&permit, desenlace)
		if permit.returned != want {
			t.Errorf("returned as %q, want %q", permit.returned, want)
		}
	}
}
