package bitacora

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/enlace-iis/enlace/services/internal/tenant"
)

const (
	// rechazosEvery is between two lines of one kind of refusal.
	rechazosEvery = time.Minute
	// rechazosLimit bounds how long the lines of one minute may take to be written.
	rechazosLimit = 10 * time.Second
	// maxRechazos bounds the kinds that are told apart at a time, and with them memory and
	// lines; beyond it the count alone is kept, without institution and actor.
	maxRechazos = 2000
)

// Rechazos writes refused requests to the Bitácora, which keeps everything for ever: each
// kind of one institution at most once a minute, so that a flood of them cannot fill it. The
// first of a kind is written at once with all that is known of it; those that follow are
// counted, and a line with their number comes with each minute and at the stop. The lines are
// this process's: each replica counts for itself, and one that is killed loses a minute.
type Rechazos struct {
	store Store
	log   *slog.Logger

	mu sync.Mutex
	// counted has the kinds that have a line of this minute, with how many came since.
	counted map[rechazo]int
}

// rechazo is a kind of refusal at one institution, or at none (SinEmpresa).
type rechazo struct {
	empresa tenant.EmpresaID
	accion  string
	actor   string
	status  int
	motivo  string
}

// NewRechazos makes a Rechazos; Run writes what it counted.
func NewRechazos(store Store, log *slog.Logger) *Rechazos {
	return &Rechazos{store: store, log: log, counted: map[rechazo]int{}}
}

// datoVeces says in the Datos of an Asiento how many requests it stands for.
const datoVeces = "veces"

// Record takes note of a refusal. Nothing depends on it, a refusal stays one: what cannot be
// written now is counted and written later.
func (r *Rechazos) Record(ctx context.Context, a Asiento) {
	a.Sign(ActuacionFrom(ctx))
	kind := rechazo{empresa: a.EmpresaID, accion: a.Accion, actor: a.Actor, status: a.Status, motivo: a.Motivo}
	if r.count(kind) {
		return
	}
	a.Datos = map[string]any{datoVeces: 1}
	err := r.store.RecordAsiento(ctx, a)
	if err != nil {
		r.add(kind, 1)
		r.log.WarnContext(ctx, "refusal is not in the bitacora yet", "empresa_id", a.EmpresaID, "accion", a.Accion, "error", err)
	}
}

// count tells whether a refusal was counted because its kind has its line already.
func (r *Rechazos) count(kind rechazo) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, known := r.counted[kind]
	if !known && len(r.counted) < maxRechazos {
		r.counted[kind] = 0
		return false
	}
	if !known {
		kind.empresa, kind.actor = SinEmpresa, ActorDesconocido
	}
	r.counted[kind]++
	return true
}

func (r *Rechazos) add(kind rechazo, veces int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counted[kind] += veces
}

// Run writes the lines until ctx ends, and then the last ones.
func (r *Rechazos) Run(ctx context.Context) {
	ticker := time.NewTicker(rechazosEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			r.flush(ctx)
			return
		case <-ticker.C:
			r.flush(ctx)
		}
	}
}

// flush writes a line for each kind that came again; what cannot be written stays counted. It
// goes on although ctx ended: a line that may or may not be there would count twice.
func (r *Rechazos) flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rechazosLimit)
	defer cancel()
	var problem error
	left := 0
	for kind, veces := range r.take() {
		err := r.store.RecordAsiento(ctx, kind.asiento(veces))
		if err != nil {
			r.add(kind, veces)
			problem = err
			left++
		}
	}
	if problem != nil {
		r.log.ErrorContext(ctx, "counted refusals could not be written to the bitacora", "lines", left, "error", problem)
	}
}

// take gives the kinds that came again since their last line, and forgets those that did not.
func (r *Rechazos) take() map[rechazo]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	due := map[rechazo]int{}
	for kind, veces := range r.counted {
		if veces == 0 {
			delete(r.counted, kind)
			continue
		}
		due[kind] = veces
		r.counted[kind] = 0
	}
	return due
}

func (k rechazo) asiento(veces int) Asiento {
	return Asiento{
		EmpresaID: k.empresa, Tipo: AsientoSolicitud, Accion: k.accion, Actor: k.actor,
		Status: k.status, Motivo: k.motivo, Datos: map[string]any{datoVeces: veces},
	}
}
