package conformance

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

// checkLogins holds that there was one login per life of a token: the first, one for each
// token that the platform did not admit any more, and one for each that came mutilated.
func checkLogins(t *testing.T, i *harness.Institucion, mutilated int) {
	t.Helper()
	allowed := 1 + mutilated
	for _, r := range i.Plataforma.Received(simuladortest.Filtro{InstitucionID: i.ID}) {
		refused := r.Status == http.StatusUnauthorized || r.Status == http.StatusForbidden
		if r.Ruta != simuladortest.RutaLogin && refused {
			allowed++
		}
	}
	if got := len(logins(i)); got < 1 || got > allowed {
		t.Errorf("%d logins, want 1 to %d", got, allowed)
	}
}

// logins lists the logins that gave a token which arrived.
func logins(i *harness.Institucion) []simuladortest.Recibido {
	all := i.Plataforma.Received(simuladortest.Filtro{InstitucionID: i.ID, Ruta: simuladortest.RutaLogin})
	return slices.DeleteFunc(all, func(r simuladortest.Recibido) bool {
		return r.Status != http.StatusOK || r.RespondidoEn == nil
	})
}

// Many searches begin at once and need a token: one login serves them all.
func TestLogins_oneForManyAtOnce(t *testing.T) {
	t.Parallel()
	i := system.NewInstitucion(t)
	// Slow, so that all are waiting for it.
	fail(i, simuladortest.Falla{Ruta: simuladortest.RutaLogin, Tipo: simuladortest.FallaLentitud, EsperaMs: 500})
	var all []*busqueda
	for n := range 20 {
		all = append(all, newBusqueda(t, i, n))
	}
	for _, b := range all {
		b.activate(t)
	}
	for _, b := range all {
		b.awaitEstado(t, "monitoreo")
		b.saveLater(t)
	}
	for _, b := range all {
		b.awaitDecided(t, b.reporteID)
		b.check(t, b.reporteID)
	}
	if got := len(logins(i)); got != 1 {
		t.Errorf("%d logins, want 1", got)
	}
}

// Tokens that last a second expire in every phase of a search that lasts longer. They are
// renewed once 80 % of their life is over and never before, so that nothing is refused.
func TestLogins_tokensThatExpireMeanwhile(t *testing.T) {
	t.Parallel()
	const life = 2 * time.Second
	i := system.NewInstitucion(t)
	fail(i, simuladortest.Falla{Tipo: simuladortest.FallaTokenCaduco, VidaS: int(life / time.Second)})
	for _, ruta := range []simuladortest.Ruta{simuladortest.RutaNotificarCoincidencia, simuladortest.RutaBusquedaFinalizada} {
		fail(i, simuladortest.Falla{Ruta: ruta, Tipo: simuladortest.FallaLentitud, EsperaMs: 900})
	}
	b := newBusqueda(t, i, 0)
	b.activate(t)
	b.awaitEstado(t, "monitoreo")
	b.saveLater(t)
	b.awaitDecided(t, "expiring tokens")
	b.check(t, "expiring tokens")

	got := logins(i)
	if len(got) < 2 {
		t.Errorf("%d logins; no token expired, so the test proves nothing", len(got))
	}
	for n := 1; n < len(got); n++ {
		age := got[n].RecibidoEn.Sub(got[n-1].RecibidoEn)
		if age < life*4/5 {
			t.Errorf("a login %v after the one before, want at least 80 %% of %v", age, life)
		}
	}
}

// Tokens that the platform voids at once, in each phase, cost one login each and no match.
func TestLogins_tokensThatAreVoided(t *testing.T) {
	t.Parallel()
	i := system.NewInstitucion(t)
	b := newBusqueda(t, i, 0)
	b.activate(t)
	b.awaitEstado(t, "monitoreo")
	fail(i, simuladortest.Falla{Tipo: simuladortest.FallaTokenCaduco})
	b.saveLater(t)
	b.awaitDecided(t, "voided tokens")
	b.check(t, "voided tokens")
	if got := len(logins(i)); got != 2 {
		t.Errorf("%d logins, want 2", got)
	}
}
