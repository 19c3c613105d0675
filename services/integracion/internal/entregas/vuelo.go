package entregas

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// ActiveReader tells whether a Reporte is still active.
type ActiveReader interface {
	IsActive(ctx context.Context, empresa tenant.EmpresaID, fila uuid.UUID) (bool, error)
}

// Vuelos is the attempts under way in this process. A deactivation here cuts them at once;
// one on another replica is noticed by looking at the Reporte every Interval.
type Vuelos struct {
	Reportes ActiveReader
	Interval time.Duration
	Log      *slog.Logger

	mu    sync.Mutex
	byRow map[uuid.UUID]map[*vuelo]struct{}
}

// vuelo is one attempt.
type vuelo struct {
	cancel context.CancelCauseFunc
}

// CancelReporte implements [reportes.Canceller].
func (v *Vuelos) CancelReporte(fila uuid.UUID) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for each := range v.byRow[fila] {
		each.cancel(errReporteEnded)
	}
}

// takeOff gives a context that ends when the Reporte does. land must be called.
func (v *Vuelos) takeOff(ctx context.Context, empresa tenant.EmpresaID, fila uuid.UUID) (_ context.Context, land func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	each := &vuelo{cancel: cancel}
	v.add(fila, each)
	go v.watch(ctx, empresa, fila, each)
	return ctx, func() {
		v.remove(fila, each)
		cancel(nil)
	}
}

func (v *Vuelos) add(fila uuid.UUID, each *vuelo) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.byRow == nil {
		v.byRow = map[uuid.UUID]map[*vuelo]struct{}{}
	}
	if v.byRow[fila] == nil {
		v.byRow[fila] = map[*vuelo]struct{}{}
	}
	v.byRow[fila][each] = struct{}{}
}

func (v *Vuelos) remove(fila uuid.UUID, each *vuelo) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.byRow[fila], each)
	if len(v.byRow[fila]) == 0 {
		delete(v.byRow, fila)
	}
}

// watch ends with ctx. Most attempts are over before its first look.
func (v *Vuelos) watch(ctx context.Context, empresa tenant.EmpresaID, fila uuid.UUID, each *vuelo) {
	ticker := time.NewTicker(v.Interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		active, err := v.Reportes.IsActive(ctx, empresa, fila)
		if err != nil && ctx.Err() == nil {
			v.Log.WarnContext(ctx, "reporte of a running send could not be read", "error", err)
		}
		if err == nil && !active {
			each.cancel(errReporteEnded)
			return
		}
	}
}
