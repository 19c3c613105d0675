package crash

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Verdict is what the ledger says of one Ciclo.
type Verdict struct {
	// Expected counts what must be told, Told what was, each once.
	Expected, Told int
	// Matches is Told without the ends of searches.
	Matches int
	// Lost is what must have been told and was not; while the system works it may still come.
	Lost []string
	// Wrong is what must not have been told, or not so.
	Wrong []string
	// Twice is what was told again because of a fault, and which.
	Twice []string
}

// outcomeGrace is how long after the platform's answer our commit may be under way.
const outcomeGrace = 2 * time.Second

// Judge holds what reached the platform about a Ciclo, in order, against what its institution
// was acknowledged: versions are those of its records that name the person.
func Judge(c Ciclo, versions []Version, llegadas []Llegada, disturbances []Disturbance) Verdict {
	j := &judgement{ciclo: c, versions: versions, disturbances: disturbances, first: Never}
	for _, l := range llegadas {
		j.first = min(j.first, l.At)
	}
	for _, l := range llegadas {
		j.hear(l)
	}
	j.basicos()
	for _, v := range versions {
		j.version(v)
	}
	if j.mandatory(fin, 1) && len(j.taken) > 0 {
		j.order()
	}
	return j.verdict
}

// judgement is one Judge at work.
type judgement struct {
	ciclo        Ciclo
	versions     []Version
	disturbances []Disturbance
	// first is when the Caso was certainly open: something of it has been told.
	first   time.Duration
	taken   []Llegada
	verdict Verdict
}

func (j *judgement) wrong(format string, values ...any) {
	what := fmt.Sprintf("%s %s: ", j.ciclo.Empresa, j.ciclo.ReporteID) + fmt.Sprintf(format, values...)
	j.verdict.Wrong = append(j.verdict.Wrong, what)
}

// hear holds one request against what may be told at all.
func (j *judgement) hear(l Llegada) {
	what := what(l.Fase, l.Marca)
	if l.At < j.ciclo.Activated.Sent {
		j.wrong("%s was told before the activation", what)
	}
	if l.At < j.ciclo.Carga.Sent {
		j.wrong("%s was told while the institution was loading", what)
	}
	if l.At > j.ciclo.Deactivated.Acked {
		j.wrong("%s was told %v after the deactivation was answered", what, l.At-j.ciclo.Deactivated.Acked)
	}
	if l.Fase != fin && l.Curp != j.ciclo.Curp {
		j.wrong("%s names another person", what)
	}
	if l.Fase == "2" || l.Fase == "3" {
		j.event(l)
	}
	switch l.Status {
	case 0, 401, 403: // lost, or a token that the platform forgot
	case 200, 300:
		j.take(l)
	default:
		j.wrong("%s was refused with %d", what, l.Status)
	}
}

// take counts what the platform took, and explains what it took again.
func (j *judgement) take(l Llegada) {
	same := func(earlier Llegada) bool { return earlier.Fase == l.Fase && earlier.Marca == l.Marca }
	last := -1
	for i, earlier := range j.taken {
		if same(earlier) {
			last = i
		}
	}
	j.taken = append(j.taken, l)
	if last < 0 {
		j.verdict.Told++
		if l.Fase != fin {
			j.verdict.Matches++
		}
		return
	}
	before := j.taken[last]
	// An answer that went out can only have been lost by us.
	fault, found := overlapping(j.disturbances, before.At, before.Answered+outcomeGrace,
		func(d Disturbance) bool { return d.Commit || d.Answer && !before.Delivered })
	if !found {
		j.wrong("%s was told at %v and again at %v, and nothing cut the first answer off; meanwhile: %s",
			what(l.Fase, l.Marca), before.At, l.At, j.meanwhile(before.At, l.At))
		return
	}
	j.verdict.Twice = append(j.verdict.Twice, fmt.Sprintf("%s: %s", what(l.Fase, l.Marca), fault.What))
}

// meanwhile names what was done between two instants and shortly before.
func (j *judgement) meanwhile(from, to time.Duration) string {
	var names []string
	for _, d := range j.disturbances {
		if d.From <= to && d.To >= from-outcomeGrace {
			names = append(names, fmt.Sprintf("%s at %v", d.What, d.From.Round(time.Millisecond)))
		}
	}
	return strings.Join(names, ", ")
}

// event holds a match of phase 2 or 3 against the content that it claims to be.
func (j *judgement) event(l Llegada) {
	i := slices.IndexFunc(j.versions, func(v Version) bool { return v.Marca == l.Marca })
	if i < 0 {
		j.wrong("%s is of none of the person's records here", what(l.Fase, l.Marca))
		return
	}
	v := j.versions[i]
	if l.At < v.Written.Sent {
		j.wrong("%s was told before it was sent", what(l.Fase, l.Marca))
	}
	if l.Telefono != v.Telefono || l.Fecha != v.Fecha || l.Tipo != tipoEvento || l.Nombre != nombre {
		j.wrong("%s is not what was sent", what(l.Fase, l.Marca))
	}
	may := j.may(v)
	if !slices.Contains(may.fases, l.Fase) {
		j.wrong("%s of %s, which belongs to %v (disappearance %q, activation %s)",
			what(l.Fase, l.Marca), v.Fecha, may.fases, j.ciclo.Desaparicion, j.ciclo.Dia1)
	}
}

// version holds that a content was told if it had to be, and in one phase only.
func (j *judgement) version(v Version) {
	historica, continua := j.count("2", v.Marca), j.count("3", v.Marca)
	if historica > 0 && continua > 0 {
		j.wrong("%s was told in two phases", v.Marca)
	}
	if !j.may(v).must || j.ciclo.Deactivated.Sent != Never {
		return
	}
	j.verdict.Expected++
	if historica+continua == 0 {
		j.verdict.Lost = append(j.verdict.Lost, fmt.Sprintf("%s %s: %s of %s (disappearance %q)",
			j.ciclo.Empresa, j.ciclo.ReporteID, v.Marca, v.Fecha, j.ciclo.Desaparicion))
	}
}

// mandatory counts a step that must be told if it is due, and tells whether it was.
func (j *judgement) mandatory(fase string, due int) bool {
	told := j.count(fase, "") > 0
	if due == 0 || j.ciclo.Deactivated.Sent != Never {
		return told
	}
	j.verdict.Expected++
	if !told {
		j.verdict.Lost = append(j.verdict.Lost, fmt.Sprintf("%s %s: %s", j.ciclo.Empresa, j.ciclo.ReporteID, what(fase, "")))
	}
	return told
}

func (j *judgement) count(fase, marca string) int {
	n := 0
	for _, l := range j.taken {
		if l.Fase == fase && (l.Fase == "1" || l.Marca == marca) {
			n++
		}
	}
	return n
}

// order holds that phase 1 and 2 precede the end of the search, and phase 3 follows it.
func (j *judgement) order() {
	end := slices.IndexFunc(j.taken, func(l Llegada) bool { return l.Fase == fin })
	for i, l := range j.taken {
		early := l.Fase == "1" || l.Fase == "2"
		if early && i > end || l.Fase == "3" && i < end {
			j.wrong("%s was told on the wrong side of the end of the search", what(l.Fase, l.Marca))
		}
		if l.Fase == "1" && slices.ContainsFunc(j.taken[:i], func(l Llegada) bool { return l.Fase == "2" }) {
			j.wrong("phase 1 was told after phase 2")
		}
	}
}

func what(fase, marca string) string {
	switch fase {
	case fin:
		return "the end of the search"
	case "1":
		return "phase 1"
	default:
		return "phase " + fase + " with " + marca
	}
}
