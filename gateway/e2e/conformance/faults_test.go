package conformance

import (
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

// falla is a way in which the platform misbehaves, and what becomes of the step that it hits.
type falla struct {
	name string
	simuladortest.Falla
	rejects bool // the platform refuses the step for good
}

// fallas are all that the simulator can do (architecture.md, section 8) but expiring
// tokens, which are in sesiones_test.go. What fails does so twice, so that the failure of a
// repetition is part of it; what passes is done once.
var fallas = []falla{
	{name: "300", Falla: status(300, 1)},
	{name: "400", Falla: status(400, 1), rejects: true},
	{name: "401", Falla: status(401, 2)},
	{name: "403", Falla: status(403, 2)},
	{name: "429", Falla: status(429, 2)},
	{name: "429 with Retry-After", Falla: retryAfter(status(429, 2))},
	{name: "500", Falla: status(500, 2)},
	{name: "504", Falla: status(504, 2)},
	{name: "slow within the timeout", Falla: simuladortest.Falla{Tipo: simuladortest.FallaLentitud, EsperaMs: 300, Veces: 1}},
	{name: "slow beyond the timeout", Falla: simuladortest.Falla{Tipo: simuladortest.FallaLentitud, EsperaMs: 60_000, Veces: 1}},
	{name: "dropped before acceptance", Falla: simuladortest.Falla{Tipo: simuladortest.FallaCorte, Veces: 2}},
	{name: "dropped after acceptance", Falla: simuladortest.Falla{Tipo: simuladortest.FallaCorte, Despues: true, Veces: 2}},
	{name: "broken JSON", Falla: simuladortest.Falla{Tipo: simuladortest.FallaJSONRoto, Veces: 1}},
}

func status(code, veces int) simuladortest.Falla {
	return simuladortest.Falla{Tipo: simuladortest.FallaStatus, Status: code, Veces: veces}
}

func retryAfter(f simuladortest.Falla) simuladortest.Falla {
	f.RetryAfterS = 1
	return f
}

// momento is a step of a search at which something goes wrong.
type momento struct {
	name string
	ruta simuladortest.Ruta
	// pass is how many requests of the route go well before; late means that the fault
	// only begins once the search is over.
	pass int
	late bool
	paso string
}

func momentos() []momento {
	notificar, finalizada := simuladortest.RutaNotificarCoincidencia, simuladortest.RutaBusquedaFinalizada
	return []momento{
		{name: "phase 1", ruta: notificar, paso: pasoBasico},
		{name: "phase 2", ruta: notificar, pass: 1, paso: pasoHistorico()},
		{name: "the end of the search", ruta: finalizada, paso: harness.Fin},
		{name: "phase 3", ruta: notificar, late: true, paso: pasoContinuo()},
	}
}

// Every fault at every step: the step is repeated until the platform has it, or is
// rejected for good, and all others are told in their order.
func TestFaults_ofWhatIsTold(t *testing.T) {
	t.Parallel()
	for _, f := range fallas {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			i := system.NewInstitucion(t)
			for n, m := range momentos() {
				b := newBusqueda(t, i, n)
				if f.rejects {
					b.rejected = m.paso
				}
				b.run(t, m, f.Falla)
			}
			checkLogins(t, i, 0)
		})
	}
}

// Every fault of the login at every step: a login is only a means, so whatever it comes to,
// nothing is rejected nor lost.
func TestFaults_ofTheLogin(t *testing.T) {
	t.Parallel()
	for _, f := range fallas {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			i := system.NewInstitucion(t)
			mutilated := 0
			for n, m := range momentos() {
				login := f.Falla
				if f.Tipo == simuladortest.FallaJSONRoto {
					mutilated += f.Veces
				}
				login.Ruta = simuladortest.RutaLogin
				fail(i, login)
				// A token that is not admitted any more makes it log in at this very step.
				newBusqueda(t, i, n).run(t, m, status(401, 1))
			}
			checkLogins(t, i, mutilated)
		})
	}
}

func fail(i *harness.Institucion, f simuladortest.Falla) {
	f.InstitucionID = i.ID
	i.Plataforma.Fail(f)
}

// start puts the fault in force for the requests that come after those that go well.
func (m momento) start(i *harness.Institucion, f simuladortest.Falla) {
	if m.pass > 0 {
		fail(i, simuladortest.Falla{Ruta: m.ruta, Tipo: simuladortest.FallaLentitud, EsperaMs: 1, Veces: m.pass})
	}
	f.Ruta = m.ruta
	fail(i, f)
}
