package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/integracion/internal/resincronizacion"
	"github.com/enlace-iis/enlace/services/integracion/internal/secreto"
	"github.com/enlace-iis/enlace/services/integracion/internal/secreto/secretotest"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// lista is a platform that serves a list, or fails, also after it has begun.
type lista struct {
	entradas  []resincronizacion.Entrada
	desenlace entregas.Desenlace
	asked     int
	// meanwhile happens while the list is on its way.
	meanwhile func()
}

func (l *lista) ReadReportes(_ context.Context, _ cuentas.Institucion, take func([]resincronizacion.Entrada) error) entregas.Desenlace {
	l.asked++
	if l.meanwhile != nil {
		l.meanwhile()
	}
	for batch := range slices.Chunk(l.entradas, 2) {
		err := take(batch)
		if err != nil {
			return entregas.Desenlace{Resultado: envio.Cancelado}
		}
	}
	return l.desenlace
}

func idNumber(n int) string {
	return fmt.Sprintf("A1B2C3D4E5F6-550e8400-e29b-41d4-a716-%012d", n)
}

func entrada(n int) resincronizacion.Entrada {
	return resincronizacion.Entrada{Activacion: reportes.Activacion{ID: idNumber(n), CURP: curp}}
}

func inactiva(n int) resincronizacion.Entrada {
	e := entrada(n)
	e.Inactiva = true
	return e
}

// newResincronizacion gives one over a store whose first institution is connected.
func newResincronizacion(t *testing.T, entradas ...resincronizacion.Entrada) (*resincronizacion.Resincronizacion, *lista, *Store, *queue) {
	t.Helper()
	store, q := newStore(t)
	caja, err := secreto.NewCaja(secretotest.NewKey("k"))
	must(t, err)
	empresas := &cuentas.Empresas{Store: store, Caja: caja}
	_, err = empresas.SetClaveSalida(t.Context(), empresaA, "https://pui.example.mx", "clave")
	must(t, err)
	platform := &lista{entradas: entradas, desenlace: entregas.Desenlace{Resultado: envio.Aceptado, Status: 200, Motivo: "aceptado"}}
	return &resincronizacion.Resincronizacion{
		Store: store, Listado: platform, Circuito: entregas.NewMemoryCircuito(), Caja: caja,
		Log: slog.New(slog.DiscardHandler),
	}, platform, store, q
}

func run(t *testing.T, r *resincronizacion.Resincronizacion) {
	t.Helper()
	pause, err := r.Run(t.Context(), empresaA)
	must(t, err)
	if pause != 0 {
		t.Errorf("pause = %v, want none", pause)
	}
}

func saveActivo(t *testing.T, store *Store, n int) {
	t.Helper()
	_, err := store.SaveActivacion(t.Context(), empresaA, solicitud(func(s *reportes.Solicitud) { s.ReporteID = idNumber(n) }))
	must(t, err)
}

// observaciones is what each Reporte is flagged with, by its number.
func observaciones(t *testing.T, store *Store) map[string]string {
	t.Helper()
	flags := map[string]string{}
	must(t, store.db.InEmpresa(t.Context(), empresaA, func(tx pgx.Tx) error {
		rows, err := tx.Query(t.Context(), `SELECT reporte_id || ' ' || estado, coalesce(observacion, '') FROM reportes`)
		if err != nil {
			return err
		}
		var id, flag string
		_, err = pgx.ForEachRow(rows, []any{&id, &flag}, func() error {
			flags[id] = flag
			return nil
		})
		return err
	}))
	return flags
}

func TestRule15_unknownIsActivatedAsIfReceived(t *testing.T) {
	t.Parallel()
	listed := entrada(1)
	listed.Activacion.FechaDesaparicion = "2024-01-02"
	r, _, store, q := newResincronizacion(t, listed, listed)
	for range 2 { // the second finds nothing new
		run(t, r)
	}
	if q.len() != 1 {
		t.Errorf("%d searches were asked for, want 1", q.len())
	}
	avisos, err := store.ListAvisos(t.Context(), empresaA, "")
	must(t, err)
	if len(avisos.Avisos) != 1 || avisos.Avisos[0].Tipo != reportes.AvisoActivacion || avisos.Avisos[0].ReporteID != idNumber(1) {
		t.Errorf("avisos = %+v", avisos.Avisos)
	}
	reporte, err := store.GetReporte(t.Context(), empresaA, q.filas[0])
	must(t, err)
	if reporte.FechaDesaparicion.String() != "2024-01-02" || reporte.Estado != reportes.ReporteActivo {
		t.Errorf("reporte = %+v", reporte)
	}
	var audited []string
	for _, a := range asientos(t, store, empresaA) {
		if a.Tipo == bitacora.AsientoResincronizacion {
			audited = append(audited, a.Accion)
		}
	}
	if want := []string{"activar-por-listado", "reportes", "reportes"}; !slices.Equal(audited, want) {
		t.Errorf("bitacora = %v, want %v", audited, want)
	}
}

func TestRule15_contradictionsAreFlaggedAndKept(t *testing.T) {
	t.Parallel()
	r, platform, store, _ := newResincronizacion(t)
	saveActivo(t, store, 1)
	saveActivo(t, store, 2)
	saveActivo(t, store, 3)
	_, err := store.SaveDesactivacion(t.Context(), empresaA, idNumber(3))
	must(t, err)
	platform.entradas = []resincronizacion.Entrada{entrada(1), entrada(3)}

	run(t, r)
	want := map[string]string{
		idNumber(1) + " activo": "", idNumber(2) + " activo": "no_listado", idNumber(3) + " desactivado": "listado_tras_baja",
	}
	if got := observaciones(t, store); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("flags = %v, want %v", got, want)
	}
	platform.entradas = []resincronizacion.Entrada{entrada(1), entrada(2)}
	run(t, r)
	for id, flag := range observaciones(t, store) {
		if flag != "" {
			t.Errorf("%s is still flagged %s", id, flag)
		}
	}
}

// The list may have been made before a deactivation that reached us first, of an id that we
// never had.
func TestResincronizacion_aDeactivationIsNotUndone(t *testing.T) {
	t.Parallel()
	for name, when := range map[string]func(*lista, func()){
		"before the list": func(_ *lista, deactivate func()) { deactivate() },
		"while the list was on its way": func(l *lista, deactivate func()) {
			l.meanwhile = deactivate
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, platform, store, q := newResincronizacion(t, entrada(1))
			when(platform, func() {
				_, err := store.SaveDesactivacion(t.Context(), empresaA, idNumber(1))
				must(t, err)
			})
			run(t, r)
			if got := observaciones(t, store); len(got) != 0 || q.len() != 0 {
				t.Errorf("reportes = %v, %d searches; want none", got, q.len())
			}
			all := asientos(t, store, empresaA)
			datos := all[len(all)-1].Datos
			if datos["detenidos"] != 1.0 || fmt.Sprint(datos["detenidos_ids"]) != fmt.Sprint([]any{idNumber(1)}) {
				t.Errorf("bitacora = %v, want the id that was kept back", datos)
			}
		})
	}
}

// twoHoursLater asks for the list that much after everything that happened here.
type twoHoursLater struct{ *Store }

func (s twoHoursLater) GetSalida(ctx context.Context, empresa tenant.EmpresaID) (resincronizacion.SalidaEmpresa, error) {
	salida, err := s.Store.GetSalida(ctx, empresa)
	salida.Ahora = salida.Ahora.Add(2 * time.Hour)
	return salida, err
}

// The platform deactivates an id that we never had, and activates it while we are away: that
// the list still has it after so long says so.
func TestResincronizacion_aReactivationIsNotLost(t *testing.T) {
	t.Parallel()
	r, _, store, q := newResincronizacion(t, entrada(1))
	_, err := store.SaveDesactivacion(t.Context(), empresaA, idNumber(1))
	must(t, err)
	r.Store = twoHoursLater{store}
	run(t, r)
	if _, active := observaciones(t, store)[idNumber(1)+" activo"]; !active || q.len() != 1 {
		t.Errorf("reportes = %v, %d searches; want one", observaciones(t, store), q.len())
	}
}

// A deactivation and the activation by the list, both of an id without a row to lock, race;
// whatever the order, the Reporte must not be left active.
func TestResincronizacion_racesWithADeactivation(t *testing.T) {
	t.Parallel()
	_, _, store, _ := newResincronizacion(t)
	for n := range 100 {
		var both sync.WaitGroup
		start := make(chan struct{})
		errs := make([]error, 2)
		both.Go(func() {
			<-start
			_, errs[0] = store.SaveDesactivacion(t.Context(), empresaA, idNumber(n))
		})
		both.Go(func() {
			<-start
			_, errs[1] = store.ActivateListado(t.Context(), empresaA,
				solicitud(func(s *reportes.Solicitud) { s.ReporteID = idNumber(n) }), time.Now().Add(-time.Hour))
		})
		close(start)
		both.Wait()
		for _, err := range errs {
			must(t, err)
		}
	}
	for id := range observaciones(t, store) {
		if id[len(id)-len(" activo"):] == " activo" {
			t.Errorf("%s after its deactivation", id)
		}
	}
}

func TestResincronizacion_whatArrivesMeanwhileIsNotFlagged(t *testing.T) {
	t.Parallel()
	r, platform, store, _ := newResincronizacion(t)
	platform.meanwhile = func() { saveActivo(t, store, 1) }
	run(t, r)
	if got := observaciones(t, store)[idNumber(1)+" activo"]; got != "" {
		t.Errorf("flag = %q", got)
	}
}

func TestResincronizacion_readsByIndex(t *testing.T) {
	t.Parallel()
	_, _, store, _ := newResincronizacion(t)
	withReportes(t, store, 20_000)
	for index, query := range map[string]struct {
		sql  string
		args []any
	}{
		"reportes_ciclo_key":       {selectUltimos, []any{string(empresaA), []string{idNumber(1), idNumber(2)}}},
		"reportes_comparables_idx": {selectComparables, []any{string(empresaA), "000000000000000000000000000000001000", 1, comparables}},
	} {
		plan := explain(t, store, query.sql, query.args...)
		if !strings.Contains(plan, "using "+index) || strings.Contains(plan, "Seq Scan on") || strings.Contains(plan, "Sort") {
			t.Errorf("%s is not what is read:\n%s", index, plan)
		}
	}
}

func TestResincronizacion_passesOverWhoCannotCall(t *testing.T) {
	t.Parallel()
	r, platform, store, _ := newResincronizacion(t, entrada(1))
	_, err := store.SetEstado(t.Context(), empresaA, cuentas.EmpresaSuspendida)
	must(t, err)
	run(t, r)
	_, err = r.Run(t.Context(), empresaB) // has no address
	must(t, err)
	if platform.asked != 0 {
		t.Errorf("the platform was asked %d times", platform.asked)
	}
}
