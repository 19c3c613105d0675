package reportes

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

const empresaA tenant.EmpresaID = "LAB010101AB1"

// deactivations is the storage of one Reporte with a send under way until a given time.
type deactivations struct {
	mu    sync.Mutex
	fila  uuid.UUID
	until time.Time
	cuts  int
}

func (d *deactivations) SaveActivacion(context.Context, tenant.EmpresaID, Solicitud) (Reporte, error) {
	return Reporte{}, nil
}

func (d *deactivations) SavePrueba(context.Context, tenant.EmpresaID, Solicitud) error { return nil }

func (d *deactivations) SaveDesactivacion(context.Context, tenant.EmpresaID, string) ([]uuid.UUID, error) {
	return []uuid.UUID{d.fila}, nil
}

func (d *deactivations) AnySending(context.Context, tenant.EmpresaID, []uuid.UUID) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return time.Now().Before(d.until), nil
}

func (d *deactivations) CancelReporte(uuid.UUID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cuts++
}

func TestReportes_Deactivate_waitsForSends(t *testing.T) {
	tests := []struct {
		name          string
		sending, want time.Duration
	}{
		{"none", 0, 0},
		{"one that ends", time.Second, time.Second},
		{"one that a killed process left behind", time.Hour, 16 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &deactivations{fila: uuid.New(), until: time.Now().Add(tt.sending)}
				reportes := &Reportes{Store: d, Sends: d, Casos: &closer{}, Log: noLog, MaxWait: 16 * time.Second, Interval: 20 * time.Millisecond}
				started := time.Now()
				err := reportes.Deactivate(t.Context(), empresaA, sampleID)
				if err != nil || time.Since(started) != tt.want || d.cuts == 0 {
					t.Errorf("%v after %v and %d cuts", err, time.Since(started), d.cuts)
				}
			})
		})
	}
}

// closer is registros, as far as it closes Casos.
type closer struct {
	takes  time.Duration
	err    error
	closed []uuid.UUID
}

func (c *closer) CloseCasos(ctx context.Context, _ tenant.EmpresaID, filas []uuid.UUID) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(c.takes):
	}
	if c.err == nil {
		c.closed = filas
	}
	return c.err
}

var noLog = slog.New(slog.DiscardHandler)

// The answer waits for registros to close the Caso, but not for longer than a second, and
// whatever becomes of it is no failure: the Reporte's job closes it too.
func TestReportes_Deactivate_closesTheCaso(t *testing.T) {
	tests := []struct {
		name      string
		registros closer
		want      time.Duration
		closed    bool
	}{
		{"up", closer{}, 0, true},
		{"slow", closer{takes: 999 * time.Millisecond}, 999 * time.Millisecond, true},
		{"too slow", closer{takes: time.Hour}, time.Second, false},
		{"away", closer{err: errs.New(errores.NoDisponible, "x")}, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &deactivations{fila: uuid.New()}
				registros := tt.registros
				reportes := &Reportes{Store: d, Sends: d, Casos: &registros, Log: noLog, MaxWait: time.Minute, Interval: time.Second}
				started := time.Now()
				err := reportes.Deactivate(t.Context(), empresaA, sampleID)
				if err != nil || time.Since(started) != tt.want {
					t.Errorf("%v after %v, want %v", err, time.Since(started), tt.want)
				}
				if closed := slices.Equal(registros.closed, []uuid.UUID{d.fila}); closed != tt.closed {
					t.Errorf("closed %v, want closed %v", registros.closed, tt.closed)
				}
			})
		})
	}
}

func TestReportes_Deactivate_refusesWhatIsNoID(t *testing.T) {
	reportes := &Reportes{}
	err := reportes.Deactivate(t.Context(), empresaA, "12345678")
	if !errs.Is(err, errores.Validacion) {
		t.Errorf("error = %v", err)
	}
}

// casos is registros, slow to open a Caso.
type casos struct {
	reportes *changing
	mu       sync.Mutex
	told     []EstadoReporte
}

func (c *casos) OpenCaso(context.Context, Reporte) error {
	c.reportes.beforeOpen()
	return c.tell(ReporteActivo)
}

func (c *casos) CloseCaso(context.Context, Reporte) error { return c.tell(ReporteDesactivado) }

func (c *casos) tell(estado EstadoReporte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = append(c.told, estado)
	return nil
}

// changing is a Reporte that is deactivated while its Caso is being opened.
type changing struct {
	sync.Mutex
	r    Reporte
	once sync.Once
}

func (c *changing) GetReporte(context.Context, tenant.EmpresaID, uuid.UUID) (Reporte, error) {
	c.Lock()
	defer c.Unlock()
	if c.r.Version == 0 {
		return Reporte{}, errNoReporte
	}
	return c.r, nil
}

func (c *changing) beforeOpen() {
	c.once.Do(func() {
		c.Lock()
		defer c.Unlock()
		c.r.Estado, c.r.Version = ReporteDesactivado, c.r.Version+1
	})
}

func TestSincronia_SyncCaso_tellsWhatChangedMeanwhile(t *testing.T) {
	reportes := &changing{r: Reporte{Estado: ReporteActivo, Version: 1}}
	registros := &casos{reportes: reportes}
	sincronia := &Sincronia{Reportes: reportes, Casos: registros}
	err := sincronia.SyncCaso(t.Context(), empresaA, uuid.New())
	// Opened for the Reporte as it was first, and again before it is closed.
	if want := []EstadoReporte{ReporteActivo, ReporteActivo, ReporteDesactivado}; err != nil || !slices.Equal(registros.told, want) {
		t.Errorf("told %v, %v; want %v", registros.told, err, want)
	}
}

// Whoever closes a Caso opens it before, so that a late opening finds it closed; one whose
// person was removed is over for long.
func TestSincronia_opensBeforeItCloses(t *testing.T) {
	for curp, want := range map[string][]EstadoReporte{
		"HEGG560427MVZRRL04": {ReporteActivo, ReporteDesactivado},
		manual.CURPDepurada:  nil,
	} {
		for way, closes := range map[string]func(*Sincronia) error{
			"the deactivation": func(s *Sincronia) error { return s.CloseCasos(t.Context(), empresaA, []uuid.UUID{uuid.New()}) },
			"its job":          func(s *Sincronia) error { return s.SyncCaso(t.Context(), empresaA, uuid.New()) },
		} {
			reportes := &changing{r: Reporte{Estado: ReporteDesactivado, Version: 2, Persona: manual.Persona{CURP: curp}}}
			registros := &casos{reportes: &changing{}} // which leaves this one alone
			err := closes(&Sincronia{Reportes: reportes, Casos: registros})
			if err != nil || !slices.Equal(registros.told, want) {
				t.Errorf("%s of %s told %v, %v; want %v", way, curp, registros.told, err, want)
			}
		}
	}
}

func TestSincronia_SyncCaso_leavesAMissingReporte(t *testing.T) {
	registros := &casos{}
	sincronia := &Sincronia{Reportes: &changing{}, Casos: registros}
	err := sincronia.SyncCaso(t.Context(), empresaA, uuid.New())
	if err != nil || len(registros.told) != 0 {
		t.Errorf("told %v, %v", registros.told, err)
	}
}

var errNoReporte = errs.New(errores.NoEncontrado, ReporteMissing)
