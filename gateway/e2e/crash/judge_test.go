package crash

import (
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	curp   = "CRSH000001HDFABC01"
	at     = "LAB010101001"
	search = "A1B2C3D4E5F6-550e8400-e29b-41d4-a716-000000010000"
)

// second makes instants of a case readable.
func second(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// written is a content that was sent and acknowledged at two seconds.
func written(marca, fecha string, sent, acked float64) Version {
	return Version{
		Empresa: at, Curp: curp, Folio: "F-" + marca, Number: 1, Fecha: fecha, Marca: marca, Telefono: "tel-" + marca,
		Written: Span{Sent: second(sent), Acked: second(acked)},
	}
}

// activated is a report of 2026-11-22, activated between the seconds 10 and 11.
func activated(desaparicion string) Ciclo {
	return Ciclo{
		Empresa: at, ReporteID: search, Curp: curp, Desaparicion: desaparicion, Dia1: "2026-11-22", Dia2: "2026-11-22",
		Activated: Span{Sent: second(10), Acked: second(11)}, Deactivated: Span{Sent: Never, Acked: Never},
	}
}

func told(fase string, v Version, when float64) Llegada {
	l := Llegada{
		Empresa: at, ReporteID: search, Fase: fase, Curp: curp, Nombre: nombre, Telefono: v.Telefono,
		Tipo: tipoEvento, Fecha: v.Fecha, Marca: v.Marca, At: second(when), Answered: second(when + 0.1), Status: 200, Delivered: true,
	}
	if fase == "1" {
		l.Tipo, l.Fecha, l.Marca = "", "", ""
	}
	return l
}

func ended(when float64) Llegada { return told(fin, Version{}, when) }

// The person has a record of the disappearance's day, one of its eve and one of today, all
// from before the report.
var (
	eve      = written("eve", "2026-11-18", 1, 2)
	boundary = written("boundary", "2026-11-19", 1, 2)
	today    = written("today", "2026-11-22", 1, 2)
)

type judgeCase struct {
	ciclo        Ciclo
	versions     []Version
	llegadas     []Llegada
	disturbances []Disturbance
	// lost, wrong and twice are parts of what is to be said, in order.
	lost, wrong, twice []string
}

func TestJudge_dates(t *testing.T) {
	dated, undated := activated("2026-11-19"), activated("")
	old, reached := written("old", "2014-11-21", 1, 2), written("reached", "2014-11-22", 1, 2)
	late, edge := written("late", "2014-11-21", 21, 22), written("edge", "2014-11-22", 21, 22)
	eveLate := written("eveLate", "2026-11-18", 21, 22)
	for name, tt := range map[string]judgeCase{
		"all of it is told": {
			ciclo: dated, versions: []Version{eve, boundary, today},
			llegadas: []Llegada{told("1", today, 14), told("2", boundary, 15), told("2", today, 16), ended(17)},
		},
		"nothing is told": {
			ciclo: dated, versions: []Version{eve, boundary}, lost: []string{"phase 1", "boundary", "end"},
		},
		"an event before the disappearance": {
			ciclo: dated, versions: []Version{eve},
			llegadas: []Llegada{told("1", eve, 14), told("2", eve, 15), ended(16)}, wrong: []string{"phase 2 with eve"},
		},
		"twelve years to the day": {
			ciclo: activated("2010-01-01"), versions: []Version{old, reached},
			llegadas: []Llegada{told("1", reached, 14), ended(16)}, lost: []string{"reached"},
		},
		"older than twelve years": {
			ciclo: activated("2010-01-01"), versions: []Version{old},
			llegadas: []Llegada{told("1", old, 14), told("2", old, 15), ended(16)}, wrong: []string{"phase 2 with old"},
		},
		"written late, and older than twelve years": {
			ciclo: activated("2010-01-01"), versions: []Version{late}, llegadas: []Llegada{ended(16), told("3", late, 23)}, wrong: []string{"phase 3 with late"},
		},
		"written late, twelve years to the day": {
			ciclo: activated("2010-01-01"), versions: []Version{edge}, llegadas: []Llegada{ended(16)}, lost: []string{"edge"},
		},
		"written late, before the disappearance": {
			ciclo: dated, versions: []Version{eveLate}, llegadas: []Llegada{ended(16)}, lost: []string{"eveLate"},
		},
		"written late, before the disappearance, and told": {
			ciclo: dated, versions: []Version{eveLate}, llegadas: []Llegada{ended(16), told("3", eveLate, 23)},
		},
		"no date: written late": {
			ciclo: undated, versions: []Version{eveLate}, llegadas: []Llegada{ended(16)}, lost: []string{"eveLate"},
		},
		"no date: written late, and older than twelve years": {
			ciclo: undated, versions: []Version{late}, llegadas: []Llegada{ended(16), told("3", late, 23)}, wrong: []string{"phase 3 with late"},
		},
		"no date: today's event of before": {
			ciclo: undated, versions: []Version{today}, llegadas: []Llegada{told("1", today, 14), ended(16)}, lost: []string{"today"},
		},
		"no date: today's event in phase 2": {
			ciclo: undated, versions: []Version{today},
			llegadas: []Llegada{told("1", today, 14), told("2", today, 15), ended(16)}, wrong: []string{"phase 2 with today"},
		},
		"no date: an earlier event": {
			ciclo: undated, versions: []Version{boundary},
			llegadas: []Llegada{told("1", boundary, 14), ended(15), told("3", boundary, 16)}, wrong: []string{"phase 3 with boundary"},
		},
		"no date, at midnight: either": {
			ciclo: Ciclo{
				Empresa: at, ReporteID: search, Curp: curp, Dia1: "2026-11-22", Dia2: "2026-11-23",
				Activated: undated.Activated, Deactivated: undated.Deactivated,
			},
			versions: []Version{today}, llegadas: []Llegada{told("1", today, 14), ended(16)},
		},
	} {
		t.Run(name, func(t *testing.T) { check(t, tt) })
	}
}

// What is written before the end of the load was there before the Caso opened, also if it was
// activated earlier, and nothing is told until then.
func TestJudge_loads(t *testing.T) {
	loading := activated("2026-11-19")
	loading.Carga = Span{Sent: second(20), Acked: second(21)}
	between := written("between", "2026-11-22", 12, 13)
	for name, tt := range map[string]judgeCase{
		"all of it is told": {
			ciclo: loading, versions: []Version{boundary, between},
			llegadas: []Llegada{told("1", between, 24), told("2", boundary, 25), told("2", between, 26), ended(27)},
		},
		"what was written meanwhile is overlooked": {
			ciclo: loading, versions: []Version{between}, llegadas: []Llegada{ended(27)}, lost: []string{"phase 1", "between"},
		},
		"what was written meanwhile is told in phase 3": {
			ciclo: loading, versions: []Version{between},
			llegadas: []Llegada{told("1", between, 24), ended(25), told("3", between, 26)}, wrong: []string{"phase 3 with between"},
		},
		"the end of the search while it is loading": {
			ciclo: loading, llegadas: []Llegada{ended(15)}, wrong: []string{"while the institution was loading"},
		},
	} {
		t.Run(name, func(t *testing.T) { check(t, tt) })
	}
}

func TestJudge_order(t *testing.T) {
	dated := activated("2026-11-19")
	meanwhile := written("meanwhile", "2026-11-22", 10.5, 12)
	onward := written("onward", "2026-11-22", 20, 21)
	for name, tt := range map[string]judgeCase{
		"written beside the activation, found by the search": {
			ciclo: dated, versions: []Version{meanwhile}, llegadas: []Llegada{told("2", meanwhile, 14), ended(15)},
		},
		"written beside the activation, found afterwards": {
			ciclo: dated, versions: []Version{meanwhile}, llegadas: []Llegada{ended(15), told("3", meanwhile, 16)},
		},
		"written beside the activation, found by both": {
			ciclo: dated, versions: []Version{meanwhile},
			llegadas: []Llegada{told("2", meanwhile, 14), ended(15), told("3", meanwhile, 16)}, wrong: []string{"in two phases"},
		},
		"written afterwards": {
			ciclo: dated, versions: []Version{onward}, llegadas: []Llegada{ended(15)}, lost: []string{"onward"},
		},
		"written afterwards, told as history": {
			ciclo: dated, versions: []Version{onward}, llegadas: []Llegada{ended(15), told("2", onward, 22)},
			wrong: []string{"phase 2 with onward", "wrong side"},
		},
		"phase 2 after the end": {
			ciclo: dated, versions: []Version{today}, llegadas: []Llegada{told("1", today, 13), ended(14), told("2", today, 15)},
			wrong: []string{"wrong side"},
		},
		"phase 3 before the end": {
			ciclo: dated, versions: []Version{meanwhile}, llegadas: []Llegada{told("3", meanwhile, 13), ended(14)}, wrong: []string{"wrong side"},
		},
		"phase 1 after phase 2": {
			ciclo: dated, versions: []Version{today}, llegadas: []Llegada{told("2", today, 13), told("1", today, 14), ended(15)},
			wrong: []string{"phase 1 was told after phase 2"},
		},
		"before the activation": {
			ciclo: dated, llegadas: []Llegada{ended(9)}, wrong: []string{"before the activation"},
		},
		"before it was sent": {
			ciclo: dated, versions: []Version{onward}, llegadas: []Llegada{ended(15), told("3", onward, 19)},
			wrong: []string{"before it was sent"},
		},
	} {
		t.Run(name, func(t *testing.T) { check(t, tt) })
	}
}

func TestJudge_contents(t *testing.T) {
	dated := activated("2026-11-19")
	second := written("second", "2026-11-22", 3, 4)
	second.Folio, second.Number = today.Folio, 2
	replaced := []Version{today, second}
	altered := told("2", today, 14)
	altered.Telefono = "5500000000"
	another := told("2", today, 14)
	another.Curp = "CRSH000001HDFABC02"
	refused := told("2", today, 14)
	refused.Status = 400
	refused.Answered = refused.At
	for name, tt := range map[string]judgeCase{
		"replaced before the search": {
			ciclo: dated, versions: replaced, llegadas: []Llegada{told("1", second, 13), told("2", second, 14), ended(15)},
		},
		"the replaced one instead": {
			ciclo: dated, versions: replaced, llegadas: []Llegada{told("1", today, 13), told("2", today, 14), ended(15)},
			lost: []string{"second"}, wrong: []string{"not the newest"},
		},
		"an older event as the newest": {
			ciclo: dated, versions: []Version{eve, today}, llegadas: []Llegada{told("1", eve, 13), told("2", today, 14), ended(15)},
			wrong: []string{"not the newest"},
		},
		"phase 1 with an event": {
			ciclo: dated, versions: []Version{eve},
			llegadas: []Llegada{{
				Empresa: at, ReporteID: search, Fase: "1", Curp: curp, Nombre: nombre, Telefono: eve.Telefono, Fecha: eve.Fecha,
				At: 13e9, Answered: 13e9, Status: 200,
			}, ended(15)},
			wrong: []string{"tells an event"},
		},
		"another telephone": {
			ciclo: dated, versions: []Version{today}, llegadas: []Llegada{told("1", today, 13), altered, ended(15)}, wrong: []string{"not what was sent"},
		},
		"another person": {
			ciclo: dated, versions: []Version{today}, llegadas: []Llegada{told("1", today, 13), another, ended(15)}, wrong: []string{"another person"},
		},
		"another institution's record": {
			ciclo: dated, llegadas: []Llegada{told("2", today, 14), ended(15)}, wrong: []string{"none of the person's records"},
		},
		"refused": {
			ciclo: dated, versions: []Version{today}, llegadas: []Llegada{told("1", today, 13), refused, ended(15)},
			lost: []string{"today"}, wrong: []string{"refused with 400"},
		},
	} {
		t.Run(name, func(t *testing.T) { check(t, tt) })
	}
}

func TestJudge_repetitions(t *testing.T) {
	dated := activated("2026-11-19")
	kill := Disturbance{What: "kill integracion", From: second(14.05), To: second(15), Commit: true}
	elsewhere, tooLate := kill, kill
	elsewhere.Commit = false
	tooLate.From, tooLate.To = second(17), second(18)
	onTheWay := elsewhere
	onTheWay.What, onTheWay.Answer = "cut the platform", true
	again := []Llegada{told("1", today, 13), told("2", today, 14), told("2", today, 40), ended(41)}
	heldBack := slices.Clone(again)
	heldBack[1].Delivered = false
	lostAnswer := told("2", today, 14)
	lostAnswer.Status, lostAnswer.Answered, lostAnswer.Delivered = 0, Never, false
	for name, tt := range map[string]judgeCase{
		"for no reason":          {ciclo: dated, versions: []Version{today}, llegadas: again, wrong: []string{"nothing cut the first answer off"}},
		"for a fault elsewhere":  {ciclo: dated, versions: []Version{today}, llegadas: again, disturbances: []Disturbance{elsewhere}, wrong: []string{"nothing cut the first answer off"}},
		"for a fault too late":   {ciclo: dated, versions: []Version{today}, llegadas: again, disturbances: []Disturbance{tooLate}, wrong: []string{"nothing cut the first answer off"}},
		"cut from the commit":    {ciclo: dated, versions: []Version{today}, llegadas: again, disturbances: []Disturbance{kill}, twice: []string{"kill integracion"}},
		"cut from the answer":    {ciclo: dated, versions: []Version{today}, llegadas: heldBack, disturbances: []Disturbance{onTheWay}, twice: []string{"cut the platform"}},
		"although it had come":   {ciclo: dated, versions: []Version{today}, llegadas: again, disturbances: []Disturbance{onTheWay}, wrong: []string{"nothing cut the first answer off"}},
		"kept back by nobody":    {ciclo: dated, versions: []Version{today}, llegadas: heldBack, wrong: []string{"nothing cut the first answer off"}},
		"the platform never had": {ciclo: dated, versions: []Version{today}, llegadas: []Llegada{told("1", today, 13), lostAnswer, told("2", today, 20), ended(21)}},
	} {
		t.Run(name, func(t *testing.T) { check(t, tt) })
	}
}

func TestJudge_deactivation(t *testing.T) {
	gone := activated("2026-11-19")
	gone.Deactivated = Span{Sent: second(20), Acked: second(21)}
	for name, tt := range map[string]judgeCase{
		"whatever was not told yet is not due": {ciclo: gone, versions: []Version{today}},
		"told while it was being answered":     {ciclo: gone, versions: []Version{today}, llegadas: []Llegada{told("1", today, 20.5)}},
		"told afterwards": {
			ciclo: gone, versions: []Version{today}, llegadas: []Llegada{told("1", today, 21.5)}, wrong: []string{"after the deactivation"},
		},
	} {
		t.Run(name, func(t *testing.T) { check(t, tt) })
	}
}

func check(t *testing.T, tt judgeCase) {
	t.Helper()
	got := Judge(tt.ciclo, tt.versions, tt.llegadas, tt.disturbances)
	wantEach(t, "lost", got.Lost, tt.lost)
	wantEach(t, "wrong", got.Wrong, tt.wrong)
	wantEach(t, "twice", got.Twice, tt.twice)
}

func wantEach(t *testing.T, what string, got, want []string) {
	t.Helper()
	ok := len(got) == len(want)
	for n := 0; ok && n < len(want); n++ {
		ok = strings.Contains(got[n], want[n])
	}
	if !ok {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func TestSplit(t *testing.T) {
	first, next := activated(""), activated("")
	next.Activated.Sent = second(30)
	parts := Split([]Ciclo{first, next}, []Llegada{ended(5), ended(29), ended(30), ended(40)})
	if len(parts[0]) != 2 || len(parts[1]) != 2 {
		t.Errorf("split into %d and %d, want 2 and 2", len(parts[0]), len(parts[1]))
	}
}
