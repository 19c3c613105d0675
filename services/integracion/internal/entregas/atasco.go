package entregas

import (
	"sync"
	"time"

	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// MotivoAcceso is the motivo of an attempt whose login failed: the platform has not seen the
// message, so the answer says nothing of it.
const MotivoAcceso = "acceso"

// Atasco is when a step counts as stuck: the platform answered so many of its attempts with 5xx
// or 404, over so long a time. For the end of a search the manual lists 200, 401 and 500 alone
// (§7.3, lines 779-784), so a final refusal probably comes as one of these.
type Atasco struct {
	Respuestas int
	Lapso      time.Duration
}

// Historia is what the platform answered to a step with 5xx or 404 before.
type Historia struct {
	Respuestas int
	Primera    time.Duration // so long ago; 0: none
	Ultima     time.Duration // so long ago; 0: none
	Vecino     bool          // another step of the same Reporte is stuck
}

// vecinoRespuestas are enough answers beside a stuck step of the same Reporte: what the platform does
// not take of one match it probably does not take of the next, and the end waits behind all of them.
const vecinoRespuestas = 3

// apartadoPause is how long a step is set aside.
const apartadoPause = 24 * time.Hour

// counts reports whether the outcome is an answer that a step may be stuck for. Without an answer
// the platform is away, with Retry-After it is busy, and no message is to blame.
func (d Desenlace) counts() bool {
	return d.Resultado == envio.MasTarde && (d.Status >= 500 || d.Status == 404) && d.RetryAfter == 0 && d.Motivo != MotivoAcceso
}

// reached reports whether one more such answer makes the step a stuck one.
func (a Atasco) reached(h Historia) bool {
	if h.Vecino && h.Respuestas+1 >= vecinoRespuestas {
		return true
	}
	return h.Respuestas+1 >= a.Respuestas && h.Primera >= a.Lapso
}

// window is within what time the platform must have decided on something else: since the last answer
// or, beside a stuck step, since the first.
func (h Historia) window() time.Duration {
	if h.Vecino {
		return h.Primera
	}
	return h.Ultima
}

// decididos are the last instants at which the platform decided on something of an institution,
// which tells one message that it does not take from a platform that takes nothing. They are held
// in memory: until something is decided after a start, no step is set aside.
type decididos struct {
	mu    sync.Mutex
	last  map[decidido]time.Time
	alone map[decidido]bool
}

// decidido is what was decided on: what kind of message of which institution.
type decidido struct {
	empresa tenant.EmpresaID
	tipo    TipoEnvio
}

// note keeps that the platform decided on something now. It reports whether steps of that kind
// were set aside while the platform decided on none of the kind: its route is back, and they need
// not wait for their day.
func (d *decididos) note(what decidido) (back bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.last == nil {
		d.last, d.alone = map[decidido]time.Time{}, map[decidido]bool{}
	}
	d.last[what] = time.Now()
	back = d.alone[what]
	delete(d.alone, what)
	return back
}

// within reports whether the platform decided on anything else of the institution within the time
// given, so that what failed before it and after it is to be set aside.
func (d *decididos) within(what decidido, window time.Duration) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	since := time.Now().Add(-window)
	if d.last[what].After(since) {
		return true
	}
	for _, tipo := range []TipoEnvio{EnvioCoincidencia, EnvioFinalizacion} {
		if d.last[decidido{what.empresa, tipo}].After(since) {
			d.alone[what] = true
			return true
		}
	}
	return false
}
