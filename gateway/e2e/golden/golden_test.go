package golden

import (
	"flag"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/sistema"
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
}

// institucion is a case's institution, in its system.
type institucion struct {
	*sistema.Institucion
	system *sistema.Sistema
}

// shared is the institutions that cases share, by system and name.
var shared sync.Map

func (c *goldenCase) institucion(t *testing.T, s *sistema.Sistema) *institucion {
	t.Helper()
	create := func() *institucion { return &institucion{Institucion: s.NewInstitucion(t), system: s} }
	if c.Whose == "nueva" {
		return create()
	}
	type key struct {
		system *sistema.Sistema
		name   string
	}
	once, _ := shared.LoadOrStore(key{s, c.Whose}, sync.OnceValue(create))
	return once.(func() *institucion)()
}

var addresses atomic.Int32

func (c *goldenCase) run(t *testing.T, s *sistema.Sistema) {
	i := c.institucion(t, s)
	known := i.known()
	from := fmt.Sprintf("198.51.100.%d", addresses.Add(1)%250)
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
	stated := settle(t, i, got)
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
