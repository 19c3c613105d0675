package crash

import (
	"slices"
	"time"
)

// mayTell is what the rules say of one content and one Ciclo.
type mayTell struct {
	fases []string
	// must says that the content is told, whatever the order in which things came to pass.
	must bool
}

// may applies the rules (contract.md section 8; pui.md 3.1 and 3.2, rules 5 and 7): the day of
// the event decides, and whether the content was there when the Caso opened. Each content has a
// telephone of its own, so that it adds to what was told.
func (j *judgement) may(v Version) mayTell {
	c := j.ciclo
	before, after := v.Written.Acked < c.opened(), v.Written.Sent > j.first
	// A content that was replaced before the Caso looked at it is nobody's any more.
	lasting := after || !slices.ContainsFunc(j.versions, func(w Version) bool {
		return w.Folio == v.Folio && w.Number > v.Number
	})
	historica := c.Desaparicion != "" && v.Fecha >= earliest(c.Desaparicion, c.Dia1) && v.Fecha <= c.Dia2
	switch {
	case v.Fecha < earliest("", c.Dia1):
		return mayTell{}
	case after:
		return mayTell{fases: []string{"3"}, must: v.Fecha >= earliest("", c.Dia2)}
	case c.Desaparicion == "" && v.Fecha >= c.Dia1:
		return mayTell{fases: []string{"3"}, must: lasting && v.Fecha >= c.Dia2}
	case historica && before:
		return mayTell{fases: []string{"2"}, must: lasting}
	case historica:
		return mayTell{fases: []string{"2", "3"}, must: lasting}
	case before:
		return mayTell{}
	default:
		// Older than the search of what was there reaches, and there before or after the Caso.
		return mayTell{fases: []string{"3"}}
	}
}

// historicaAnios is how far back phases 2 and 3 reach.
const historicaAnios = 12

// earliest is the first day of phase 2, and without a disappearance that of phase 3.
func earliest(desaparicion, activacion string) string {
	day, err := time.Parse(time.DateOnly, activacion)
	if err != nil {
		panic(err) // the days are ours
	}
	return max(desaparicion, day.AddDate(-historicaAnios, 0, 0).Format(time.DateOnly))
}

// basicos holds phase 1: due when the institution had anything of the person before the
// activation, or the end of its initial load if that came later, and composed of what was the newest then or since.
func (j *judgement) basicos() {
	due := 0
	for _, v := range j.versions {
		if v.Written.Acked < j.ciclo.opened() {
			due = 1
		}
	}
	j.mandatory("1", due)
	for _, l := range j.taken {
		if l.Fase != "1" {
			continue
		}
		if l.Tipo != "" || l.Fecha != "" || l.Marca != "" {
			j.wrong("phase 1 tells an event")
		}
		if !slices.ContainsFunc(j.versions, func(v Version) bool { return v.Telefono == l.Telefono && j.maybeNewest(v, l.At) }) {
			j.wrong("phase 1 tells %q and %q, which were not the newest", l.Nombre, l.Telefono)
		}
	}
}

// maybeNewest tells whether a content can have been the person's newest when phase 1 looked:
// nothing newer was certainly there before the activation.
func (j *judgement) maybeNewest(v Version, at time.Duration) bool {
	if v.Written.Sent > at {
		return false
	}
	return !slices.ContainsFunc(j.versions, func(w Version) bool {
		there := w.Written.Acked < j.ciclo.opened()
		replaces := w.Folio == v.Folio && w.Number > v.Number
		return there && (replaces || w.Folio != v.Folio && w.Fecha > v.Fecha)
	})
}

// Split gives each Ciclo of a report, in order, what reached the platform in its time: from
// its activation to the next one. What came before the first belongs to the first.
func Split(ciclos []Ciclo, llegadas []Llegada) [][]Llegada {
	parts := make([][]Llegada, len(ciclos))
	for _, l := range llegadas {
		i := len(ciclos) - 1
		for i > 0 && l.At < ciclos[i].Activated.Sent {
			i--
		}
		parts[i] = append(parts[i], l)
	}
	return parts
}
