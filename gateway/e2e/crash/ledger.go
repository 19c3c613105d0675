package crash

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"time"
)

// Never is when something happens that has not happened.
const Never = time.Duration(math.MaxInt64)

// Span is when something was asked for the first time, and when it was acknowledged: between
// the two it may or may not have been done. Instants are counted from the start of the run.
type Span struct {
	Sent, Acked time.Duration
}

// Version is one content of a record.
type Version struct {
	Empresa, Curp, Folio string
	// Number is 1 for the first content of its folio, and one more for each that replaces it.
	Number int
	Fecha  string
	// Marca and Telefono are this content's alone, so that what is told shows where it is from.
	Marca, Telefono string
	Written         Span
}

// Ciclo is one activation of a report, up to its deactivation.
type Ciclo struct {
	Empresa, ReporteID, Curp string
	// Desaparicion is empty when it was not given.
	Desaparicion string
	Activated    Span
	// Carga is the end of the institution's initial load: until then nothing is told.
	Carga Span
	// Deactivated has no Sent when nobody asked for it.
	Deactivated Span
	// Dia1 and Dia2 are the days of the activation: two of them around midnight.
	Dia1, Dia2 string
}

// opened is when the Caso could be searched at the soonest.
func (c Ciclo) opened() time.Duration { return max(c.Activated.Sent, c.Carga.Sent) }

// fin is the Fase of a busqueda-finalizada.
const fin = "fin"

// Llegada is one request that reached the platform.
type Llegada struct {
	Empresa, ReporteID string
	Fase               string // "1", "2", "3" or fin
	Curp, Nombre       string
	Telefono           string
	Tipo, Fecha, Marca string
	At                 time.Duration
	// Answered is when the platform had decided, and Status what; 0 without an answer.
	Answered time.Duration
	Status   int
	// Delivered tells that the answer went out to who asked.
	Delivered bool
}

// Taken tells whether the platform keeps it.
func (l Llegada) Taken() bool { return l.Status == 200 || l.Status == 300 }

// Disturbance is what was done to the system.
type Disturbance struct {
	What     string
	From, To time.Duration
	// Answer says that the platform's answer may not get through, Commit that what we make of
	// it may not be kept.
	Answer, Commit bool
	// Keys says that the word of a revoked key may not get through.
	Keys bool
}

// clave names a report of an institution.
type clave struct{ empresa, reporteID string }

// Ledger is what was asked, acknowledged, told and done. It is safe for concurrent use.
type Ledger struct {
	started time.Time

	mu           sync.Mutex
	llegadas     map[clave][]*Llegada
	disturbances []*Disturbance
}

// NewLedger begins to count.
func NewLedger() *Ledger {
	return &Ledger{started: time.Now(), llegadas: map[clave][]*Llegada{}}
}

// Now is the present instant.
func (l *Ledger) Now() time.Duration { return time.Since(l.started) }

// Clock is the time of an instant.
func (l *Ledger) Clock(at time.Duration) time.Time { return l.started.Add(at) }

// Arrived notes what reached the platform; the returned function notes that its answer went out.
func (l *Ledger) Arrived(one Llegada) (delivered func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := clave{one.Empresa, one.ReporteID}
	kept := &one
	l.llegadas[key] = append(l.llegadas[key], kept)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		kept.Delivered = true
	}
}

// Llegadas lists what reached the platform about a report, in order.
func (l *Ledger) Llegadas(empresa, reporteID string) []Llegada {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []Llegada
	for _, one := range l.llegadas[clave{empresa, reporteID}] {
		all = append(all, *one)
	}
	slices.SortFunc(all, func(a, b Llegada) int { return cmp.Compare(a.At, b.At) })
	return all
}

// Reportes lists the reports of which anything reached the platform.
func (l *Ledger) Reportes() []clave {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []clave
	for key := range l.llegadas {
		all = append(all, key)
	}
	return all
}

// Disturb notes that something begins; the returned function notes its end.
func (l *Ledger) Disturb(d Disturbance) (end func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d.From, d.To = l.Now(), Never
	kept := &d
	l.disturbances = append(l.disturbances, kept)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		kept.To = l.Now()
	}
}

// Disturbances lists what was done so far.
func (l *Ledger) Disturbances() []Disturbance {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make([]Disturbance, len(l.disturbances))
	for i, d := range l.disturbances {
		all[i] = *d
	}
	return all
}

// overlapping gives the first of the disturbances that matter and touch the time between two
// instants.
func overlapping(all []Disturbance, from, to time.Duration, matters func(Disturbance) bool) (Disturbance, bool) {
	i := slices.IndexFunc(all, func(d Disturbance) bool { return matters(d) && d.From <= to && d.To >= from })
	if i < 0 {
		return Disturbance{}, false
	}
	return all[i], true
}
