package postgres_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// dias are the days around every boundary of the rule: the disappearance, twelve years before
// the activation, and the activation.
var dias = []string{
	"1999-12-31", "2000-01-01", "2014-06-14", "2014-06-15", "2026-03-31", "2026-04-01",
	"2026-06-14", "2026-06-15", "2026-06-16", "2026-06-19", "2026-06-20", "2026-06-21",
}

// phaseOf says by the contract's words (section 8) which phase tells an event, 0 for none. Days
// are compared as texts. All of a story's records say the same of the person, so that what is
// older than the disappearance adds nothing.
func phaseOf(desaparicion, dia string, before bool) int {
	const activation, twelveYearsBefore = "2026-06-15", "2014-06-15"
	switch {
	case dia < twelveYearsBefore, dia < desaparicion, before && desaparicion == "" && dia < activation:
		return 0
	case !before, dia > activation, desaparicion == "":
		return 3
	default:
		return 2
	}
}

// story is the life of a Caso: what is written before it opens, before a repeated activation
// and after it, and which dates the activations give.
type story struct {
	first, second string
	// repeated: there is a second activation; searched: the search ran before that.
	repeated, searched bool
}

func stories() []story {
	var all []story
	dates := []string{"", "2000-01-01", "2026-04-01", "2026-06-15", "2026-06-20"}
	for _, first := range dates {
		all = append(all, story{first: first, searched: true})
		for _, second := range dates[1:] {
			all = append(all, story{first, second, true, true}, story{first, second, true, false})
		}
	}
	return all
}

// want says which phase tells each folio.
func (s story) want() map[string]int {
	want := map[string]int{}
	tell := func(when string, fase func(dia string) int) {
		for _, dia := range dias {
			folio := when + dia
			if n := fase(dia); n != 0 && want[folio] == 0 {
				want[folio] = n
			}
		}
	}
	last := s.first
	if s.searched {
		tell("A", func(dia string) int { return phaseOf(s.first, dia, true) })
	}
	tell("B", func(dia string) int { return phaseOf(s.first, dia, false) })
	if s.repeated {
		last = s.second
		tell("A", func(dia string) int { return phaseOf(last, dia, true) })
		tell("B", func(dia string) int { return phaseOf(last, dia, true) })
	}
	tell("C", func(dia string) int { return phaseOf(last, dia, false) })
	return want
}

// run plays the story for a person of its own and tells what became of it.
func (s story) run(t *testing.T, b bundle, n int) map[string]int {
	t.Helper()
	curp := fmt.Sprintf("PLAY%014d", n)
	write := func(when string) {
		var regs []registros.Registro
		for _, dia := range dias {
			regs = append(regs, newRegistro(fmt.Sprintf("%d:%s%s", n, when, dia), func(r *registros.Registro) { r.CURP, r.FechaEvento = curp, fecha(dia) }))
		}
		b.save(t, empresaUno, regs...)
	}
	activate := func(desaparicion string) registros.CasoID {
		caso, err := b.store.OpenCaso(t.Context(), empresaUno, newReporte(func(r *registros.Reporte) {
			withoutDate(r)
			if desaparicion != "" {
				r.FechaDesaparicion = fecha(desaparicion)
			}
			r.ID, r.Persona.CURP = fmt.Sprintf("%d-550e8400-e29b-41d4-a716-446655440000", n), curp
		}))
		if err != nil {
			t.Fatal(err)
		}
		return caso
	}
	write("A")
	caso := activate(s.first)
	if s.searched {
		b.search(t, empresaUno, caso)
	}
	write("B")
	if s.repeated {
		activate(s.second)
	}
	write("C")
	b.search(t, empresaUno, caso)
	return b.phasesTold(t, caso)
}

// phasesTold gives the phase that told each folio; one that was told twice has -1.
func (b bundle) phasesTold(t *testing.T, caso registros.CasoID) map[string]int {
	t.Helper()
	told := map[string]int{}
	for _, step := range b.told(t, empresaUno, caso) {
		fase, folio, _ := strings.Cut(step, ":")
		_, folio, _ = strings.Cut(folio, ":")
		switch {
		case step == "fin" || fase == "1":
		case told[folio] != 0:
			told[folio] = -1
		default:
			told[folio] = int(fase[0] - '0')
		}
	}
	return told
}

// Every event is told once by the phase that the rule says, whatever its day, whenever it was
// committed, whichever date was given and when (contract.md section 8, pui.md rule 12).
func TestStore_eachEventIsToldOnceByItsPhase(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for n, s := range stories() {
		got, want := s.run(t, b, n), s.want()
		if maps.Equal(got, want) {
			continue
		}
		folios := slices.Concat(slices.Collect(maps.Keys(got)), slices.Collect(maps.Keys(want)))
		slices.Sort(folios)
		for _, folio := range slices.Compact(folios) {
			if got[folio] != want[folio] {
				t.Errorf("%+v: %s told in phase %d, want %d", s, folio, got[folio], want[folio])
			}
		}
	}
}
