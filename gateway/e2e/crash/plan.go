package crash

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// What every record of the load says.
const (
	tipoEvento = "Toma de muestra"
	nombre     = "NOMBRE"
)

// Plan is what happens in one round: chains of steps, each chain beside the others, and
// faults.
type Plan struct {
	Number int
	Seed   uint64
	// Carga is when institutions that are loading end their load.
	Carga  time.Duration
	Chains [][]Step
	Faults []Fault
}

// The kinds of Step.
const (
	doSingle     = "registros"
	doLote       = "lote"
	doEvento     = "eventos"
	doActivate   = "activar"
	doDeactivate = "desactivar"
)

// Step is one request, which is repeated until it is acknowledged.
type Step struct {
	// After is when it is due, from the start of the round; a chain may be late.
	After   time.Duration
	Do      string
	Empresa string
	// Versions are what it writes.
	Versions []*Version
	// Ciclo is what it activates or deactivates.
	Ciclo *Ciclo
}

const (
	// personas is how many people a round is about.
	personas = 5
	// fillers is how many records of people whom nobody misses the round's batch has.
	fillers = 30
	// roundTime is within what most of a round is sent, and its faults begin; a deactivation
	// may come as long afterwards.
	roundTime = 2500 * time.Millisecond
)

// planner draws a Plan.
type planner struct {
	*rand.Rand
	plan     *Plan
	empresas []string
	today    time.Time // in Mexico City
	marcas   int
}

// NewPlan draws the round of a number from its seed. today is the day in Mexico City.
func NewPlan(number int, seed uint64, empresas []string, targets Targets, today time.Time) *Plan {
	p := &planner{
		Rand: rand.New(rand.NewPCG(seed, 0)), plan: &Plan{Number: number, Seed: seed}, //nolint:gosec // to be drawn again
		empresas: empresas, today: today,
	}
	p.batch()
	for n := range personas {
		p.persona(n)
	}
	p.plan.Faults = p.faults(targets)
	p.plan.Carga = p.moment()
	return p.plan
}

func (p *planner) moment() time.Duration { return p.within(roundTime) }

func (p *planner) within(limit time.Duration) time.Duration {
	return time.Duration(p.Int64N(int64(limit)))
}

func (p *planner) curp(n int) string { return fmt.Sprintf("CRSH%06dHDFABC%02d", p.plan.Number, n) }

// day is so many years and days before today.
func (p *planner) day(years, days int) string {
	return p.today.AddDate(-years, 0, -days).Format(time.DateOnly)
}

// desaparicion draws a date: none, a few days ago, or longer ago than phase 2 reaches.
func (p *planner) desaparicion() string {
	return []string{"", "", p.day(0, 3), p.day(0, 3), p.day(13, 0)}[p.IntN(5)]
}

// fecha draws the day of an event: about the disappearance, the activation and the reach of
// phase 2. Nothing is so old that it is not kept (RECORD_RETENTION).
func (p *planner) fecha() string {
	days := []string{
		p.day(0, 0), p.day(0, 0), p.day(0, 0), p.day(0, 1), p.day(0, 3), p.day(0, 4),
		p.day(12, -5), p.day(12, 5),
	}
	return days[p.IntN(len(days))]
}

// version is the next content of a record.
func (p *planner) version(empresa, curp, folio, fecha string, number int) *Version {
	p.marcas++
	return &Version{
		Empresa: empresa, Curp: curp, Folio: folio, Fecha: fecha, Number: number,
		Marca:    fmt.Sprintf("Sede %d-%d", p.plan.Number, p.marcas),
		Telefono: fmt.Sprintf("55%05d%03d", p.plan.Number%100_000, p.marcas%1000),
		Written:  Span{Sent: Never, Acked: Never},
	}
}

// batch writes records of everybody in the round, and then some of them with other content.
func (p *planner) batch() {
	empresa := p.empresas[p.IntN(len(p.empresas))]
	var first, second []*Version
	for n := range personas + fillers {
		folio := fmt.Sprintf("L-%d-%d", p.plan.Number, n)
		v := p.version(empresa, p.curp(n), folio, p.fecha(), 1)
		first = append(first, v)
		if p.IntN(2) == 0 {
			second = append(second, p.version(empresa, v.Curp, folio, v.Fecha, 2))
		}
	}
	p.plan.Chains = append(p.plan.Chains, []Step{
		{After: p.moment(), Do: doLote, Empresa: empresa, Versions: first},
		{After: p.moment(), Do: doLote, Empresa: empresa, Versions: second},
	})
}

// persona is one who is missed by one or two reports, and has records at one institution or
// both.
func (p *planner) persona(n int) {
	empresa := p.empresas[p.IntN(len(p.empresas))]
	for m := range 2 + p.IntN(3) {
		at := empresa
		if p.IntN(5) == 0 {
			at = p.empresas[p.IntN(len(p.empresas))]
		}
		p.registro(at, p.curp(n), fmt.Sprintf("R-%d-%d-%d", p.plan.Number, n, m))
	}
	for m := range 1 + p.IntN(2) {
		p.reporte(empresa, p.curp(n), fmt.Sprintf("A1B2C3D4E5F6-550e8400-e29b-41d4-a716-%08d%02d%02d", p.plan.Number, n, m))
	}
}

// registro is one record with its contents, one after the other.
func (p *planner) registro(empresa, curp, folio string) {
	var chain []Step
	fecha := p.fecha()
	for n := range 1 + p.IntN(3) {
		chain = append(chain, Step{
			After: p.moment(), Do: []string{doSingle, doLote, doEvento}[p.IntN(3)], Empresa: empresa,
			Versions: []*Version{p.version(empresa, curp, folio, fecha, n+1)},
		})
	}
	p.plan.Chains = append(p.plan.Chains, chain)
}

// reporte is a report that is activated, sometimes deactivated, and sometimes activated again.
func (p *planner) reporte(empresa, curp, reporteID string) {
	var chain []Step
	for range 1 + p.IntN(2) {
		c := &Ciclo{
			Empresa: empresa, ReporteID: reporteID, Curp: curp, Desaparicion: p.desaparicion(),
			Activated: Span{Sent: Never, Acked: Never}, Deactivated: Span{Sent: Never, Acked: Never},
		}
		chain = append(chain, Step{After: p.moment(), Do: doActivate, Empresa: empresa, Ciclo: c})
		if p.IntN(3) > 0 {
			break
		}
		chain = append(chain, Step{After: roundTime + p.moment(), Do: doDeactivate, Empresa: empresa, Ciclo: c})
	}
	p.plan.Chains = append(p.plan.Chains, chain)
}
