package bitacora

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/enlace-iis/enlace/services/internal/tenant"
)

const (
	// plegadoEvery is between two lines of one kind.
	plegadoEvery = time.Minute
	// plegadoLimit bounds how long the lines of one minute may take to be written.
	plegadoLimit = 10 * time.Second
	// maxClases bounds the kinds that are told apart at a time, and with them memory.
	maxClases = 2000
)

// datoVeces says in the Datos of an Asiento how many requests it stands for.
const datoVeces = "veces"

// plegado folds requests that come many times a minute. The Bitácora keeps everything for ever,
// so each kind has a line at once, and then one a minute, and one at the stop, with the number of
// those that followed. The lines are this process's: each replica counts for itself, and one that
// is killed loses the count of a minute.
type plegado struct {
	store Store
	log   *slog.Logger

	mu sync.Mutex
	// counted has the kinds that have a line of this minute.
	counted map[clase]*repetida
}

// clase is a kind of request at one institution, or at none (SinEmpresa).
type clase struct {
	empresa   tenant.EmpresaID
	tipo      TipoAsiento
	accion    string
	actor     string
	status    int
	motivo    string
	reporteID string
	recurso   string
	huella    string
	datos     string
}

// repetida is what came of a kind since its last line.
type repetida struct {
	asiento Asiento // without veces
	veces   int
	owed    bool // the last line could not be written
}

func claseOf(a Asiento) clase {
	return clase{
		empresa: a.EmpresaID, tipo: a.Tipo, accion: a.Accion, actor: a.Actor, status: a.Status, motivo: a.Motivo,
		reporteID: a.ReporteID, recurso: a.Recurso, huella: string(a.HuellaCURP), datos: DatosTexto(a.Datos),
	}
}

func newPlegado(store Store, log *slog.Logger) plegado {
	return plegado{store: store, log: log, counted: map[clase]*repetida{}}
}

// write adds a line for so many requests.
func (p *plegado) write(ctx context.Context, a Asiento, veces int) error {
	datos := map[string]any{datoVeces: veces}
	maps.Copy(datos, a.Datos)
	a.Datos = datos
	return p.store.RecordAsiento(ctx, a)
}

// add counts requests for the next line of their kind.
func (p *plegado) add(a Asiento, veces int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	kind := claseOf(a)
	if p.counted[kind] == nil {
		p.counted[kind] = &repetida{asiento: a}
	}
	p.counted[kind].veces += veces
}

// Run writes the lines until ctx ends, and then the last ones.
func (p *plegado) Run(ctx context.Context) {
	ticker := time.NewTicker(plegadoEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			p.flush(ctx)
			return
		case <-ticker.C:
			p.flush(ctx)
		}
	}
}

// flush writes a line for each kind that came again; what cannot be written stays counted. It
// goes on although ctx ended: a line that may or may not be there would count twice.
func (p *plegado) flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), plegadoLimit)
	defer cancel()
	var problem error
	left := 0
	for _, due := range p.take() {
		err := p.write(ctx, due.asiento, due.veces)
		p.settle(due, err)
		if err != nil {
			problem = err
			left++
		}
	}
	if problem != nil {
		p.log.ErrorContext(ctx, "counted requests could not be written to the bitacora", "lines", left, "error", problem)
	}
}

// take gives the kinds that came again since their last line, and forgets those that did not.
func (p *plegado) take() []repetida {
	p.mu.Lock()
	defer p.mu.Unlock()
	var due []repetida
	for kind, again := range p.counted {
		if again.veces == 0 {
			delete(p.counted, kind)
			continue
		}
		due = append(due, *again)
		again.veces = 0
	}
	return due
}

// settle takes note of how the line of a kind was written.
func (p *plegado) settle(due repetida, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	again := p.counted[claseOf(due.asiento)]
	again.owed = err != nil
	if err != nil {
		again.veces += due.veces
	}
}

// Rechazos writes refused requests, and logins at the platform, of which one that fails or voids its
// tokens asks for many. The first of a kind is written with all that is known of it;
// of those that follow the count alone is kept. Beyond maxClases the count loses institution and
// actor too, so that a flood cannot fill the Bitácora.
type Rechazos struct{ plegado }

// NewRechazos makes a Rechazos; Run writes what it counted.
func NewRechazos(store Store, log *slog.Logger) *Rechazos {
	return &Rechazos{newPlegado(store, log)}
}

// Record takes note of one.
func (r *Rechazos) Record(ctx context.Context, a Asiento) { r.RecordVeces(ctx, a, 1) }

// RecordVeces takes note of several of a kind. Nothing depends on it, a refusal stays one: what
// cannot be written now is counted and written later.
func (r *Rechazos) RecordVeces(ctx context.Context, a Asiento, veces int) {
	a.Sign(ActuacionFrom(ctx))
	kind := Asiento{EmpresaID: a.EmpresaID, Tipo: a.Tipo, Accion: a.Accion, Actor: a.Actor, Status: a.Status, Motivo: a.Motivo}
	if r.count(kind, veces) {
		return
	}
	err := r.write(ctx, a, veces)
	if err != nil {
		r.add(kind, veces)
		r.log.WarnContext(ctx, "refusal is not in the bitacora yet", "empresa_id", a.EmpresaID, "accion", a.Accion, "error", err)
	}
}

// count reports whether refusals were counted because their kind has its line already.
func (r *Rechazos) count(kind Asiento, veces int) bool {
	r.mu.Lock()
	_, known := r.counted[claseOf(kind)]
	full := len(r.counted) >= maxClases
	if !known && !full {
		r.counted[claseOf(kind)] = &repetida{asiento: kind}
	}
	r.mu.Unlock()
	if !known && !full {
		return false
	}
	if !known {
		kind.EmpresaID, kind.Actor = SinEmpresa, ActorDesconocido
	}
	r.add(kind, veces)
	return true
}

// Lecturas writes what operators were shown, before it is shown. A read that an operator repeats
// within the minute, of the same institution, report or person, is counted: that they see it
// stands there already.
type Lecturas struct{ plegado }

// NewLecturas makes a Lecturas; Run writes what it counted.
func NewLecturas(store Store, log *slog.Logger) *Lecturas {
	return &Lecturas{newPlegado(store, log)}
}

// Record leaves the line of a read. After an error nothing may be shown.
func (l *Lecturas) Record(ctx context.Context, a Asiento) error {
	a.Sign(Actuacion{Actor: ActuacionFrom(ctx).Actor, RequestID: ActuacionFrom(ctx).RequestID})
	if l.again(a) {
		return nil
	}
	err := l.write(ctx, a, 1)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	kind := claseOf(a)
	switch known := l.counted[kind]; {
	case known != nil:
		known.owed = false
	case len(l.counted) < maxClases:
		a.RequestID = ""
		l.counted[kind] = &repetida{asiento: a}
	}
	return nil
}

// again counts a read whose kind has its line. A kind whose count could not be written has none.
func (l *Lecturas) again(a Asiento) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	known := l.counted[claseOf(a)]
	if known == nil || known.owed {
		return false
	}
	known.veces++
	return true
}
