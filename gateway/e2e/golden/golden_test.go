package golden

import (
	"flag"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

var update = flag.Bool("update", false, "write what is answered into the golden cases")

// Every file of testdata is a case: adding one is adding a file, and running this test once
// with -update.
func TestGolden(t *testing.T) {
	cases := goldenCases(t)
	t.Run("orden", func(t *testing.T) {
		for _, c := range cases {
			if c.While != "" {
				continue
			}
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				c.run(t, system)
			})
		}
	})
	// One after the other: they take parts of a system away.
	strained := strainedOnce(t)
	for _, c := range cases {
		if c.While != "" {
			t.Run(c.name, func(t *testing.T) { c.run(t, strained()) })
		}
	}
	t.Run("ejemplos", everyExampleIsTaken)
	t.Run("rechazos", everyOperationRefuses)
	t.Run("averias", everyOperationFails)
	t.Run("documento", everythingDocumentedOccurs)
}

// Nothing is documented that the cases before did not meet: no status of an operation, no
// header of it, no field of an answer, with a value and as null where it may be.
func everythingDocumentedOccurs(t *testing.T) {
	for _, fact := range harness.Recorder.Seen.Missing(system.Document) {
		t.Error("it is documented and never occurs: " + fact)
	}
}

// newcomers are institutions of one case alone.
var newcomers = map[string]func(*testing.T, *institucion){
	"nueva": func(*testing.T, *institucion) {},
	// Its initial load is not finished.
	"cargando": func(*testing.T, *institucion) {},
	// What is to be told to its platform reaches nobody.
	"sin_plataforma": func(t *testing.T, i *institucion) {
		i.system.ConnectSalida(t, i.ID, "http://127.0.0.1:1")
	},
	// Its platform refuses all matches, and the end of the search, for good.
	"rechazada": func(_ *testing.T, i *institucion) {
		for _, ruta := range []simuladortest.Ruta{simuladortest.RutaNotificarCoincidencia, simuladortest.RutaBusquedaFinalizada} {
			i.Plataforma.Fail(simuladortest.Falla{InstitucionID: i.ID, Ruta: ruta, Tipo: simuladortest.FallaStatus, Status: http.StatusBadRequest})
		}
	},
}

// institucion is a case's institution, in its system.
type institucion struct {
	*harness.Institucion
	system *harness.System
}

// shared is the institutions that cases share, by system and name.
var shared sync.Map

func (c *goldenCase) institucion(t *testing.T, s *harness.System) *institucion {
	t.Helper()
	create := func() *institucion {
		if s != system {
			s.ForgetSesion(t) // strainedLimits bind operators too
		}
		if c.Whose == "cargando" {
			return &institucion{Institucion: s.NewCargando(t), system: s}
		}
		return &institucion{Institucion: s.NewInstitucion(t), system: s}
	}
	if newcomer, exists := newcomers[c.Whose]; exists {
		i := create()
		newcomer(t, i)
		return i
	}
	type key struct {
		system *harness.System
		name   string
	}
	once, _ := shared.LoadOrStore(key{s, c.Whose}, sync.OnceValue(create))
	return once.(func() *institucion)()
}

var addresses atomic.Int32

// nextAddress is one that few requests come from.
func nextAddress() string {
	n := addresses.Add(1)
	return fmt.Sprintf("198.51.%d.%d", n/250, n%250)
}

func (c *goldenCase) run(t *testing.T, s *harness.System) {
	i := c.institucion(t, s)
	known := i.known()
	from := nextAddress()
	for _, each := range c.Setup {
		each.from(from)
		got := each.do(t, i, known)
		if got.Status >= 500 {
			t.Fatalf("%s of the setup answered %d: %s", each.Path, got.Status, got.Body)
		}
	}
	if c.Asked.Credential != "" {
		i.credential(t, c.Asked.Credential) // made while everything is in order
	}
	if c.While != "" {
		bring, exists := circumstances[c.While]
		if !exists {
			t.Fatalf("no circumstance is called %q", c.While)
		}
		bring(t, s)
	}
	c.Asked.from(from)
	got := c.Asked.do(t, i, known)
	checkEveryAnswer(t, got)
	stated := c.state(t, i, got)
	if *update {
		err := c.rewrite(stated)
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := compare(t, c.expect, stated); diff != "" {
		t.Errorf("the answer is not that of %s (-want +got):\n%s", c.path, diff)
	}
}

// from says where a request comes from; only a system that takes the test for its proxy
// heeds it.
func (s *step) from(address string) {
	if s.Headers == nil {
		s.Headers = map[string]string{}
	}
	if _, given := s.Headers["X-Forwarded-For"]; !given {
		s.Headers["X-Forwarded-For"] = address
	}
}
