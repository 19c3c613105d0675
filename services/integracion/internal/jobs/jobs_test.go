package jobs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/enlace-iis/enlace/services/integracion/internal/postgres"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/process/tracing"
)

// finder finds a Reporte of every row.
type finder struct{}

func (finder) GetReporte(_ context.Context, empresa tenant.EmpresaID, fila uuid.UUID) (reportes.Reporte, error) {
	return reportes.Reporte{EmpresaID: empresa, Fila: fila, Version: 1, Estado: reportes.ReporteActivo, Persona: manual.Persona{CURP: "HEGG560427MVZRRL04"}}, nil
}

// opening notes the trace of each Caso that it is asked to open, refuses one, and breaks at another.
type opening struct {
	reportes.Casos
	refused uuid.UUID
	broken  uuid.UUID

	mu     sync.Mutex
	opened map[uuid.UUID]string
}

func (o *opening) OpenCaso(ctx context.Context, r reportes.Reporte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.opened[r.Fila] = tracing.Parent(ctx)
	switch r.Fila {
	case o.refused:
		return errors.New("not this one")
	case o.broken:
		panic("a defect")
	}
	return nil
}

// One that registros does not take keeps none of the others from being told, each in its own
// trace, and has the job run again.
func TestSyncCasosWorker_tellsAllAlthoughOneFails(t *testing.T) {
	want := map[uuid.UUID]string{}
	args := postgres.SyncCasosArgs{EmpresaID: "LAB010101AB1"}
	for n := range 3 * syncsAtOnce {
		each := postgres.SyncReporte{Fila: uuid.New(), Traceparent: fmt.Sprintf("00-%032x-%016x-01", n+1, n+1)}
		args.Reportes, want[each.Fila] = append(args.Reportes, each), each.Traceparent
	}
	casos := &opening{refused: args.Reportes[0].Fila, broken: args.Reportes[1].Fila, opened: map[uuid.UUID]string{}}
	worker := &syncCasosWorker{sincronia: &reportes.Sincronia{Reportes: finder{}, Casos: casos}}
	err := worker.Work(t.Context(), &river.Job[postgres.SyncCasosArgs]{JobRow: &rivertype.JobRow{}, Args: args})
	if _, again := errors.AsType[*river.JobSnoozeError](err); !again {
		t.Errorf("the job ended with %v", err)
	}
	if !maps.Equal(casos.opened, want) {
		t.Errorf("opened %v; want %v", slices.Collect(maps.Values(casos.opened)), slices.Collect(maps.Values(want)))
	}
}
