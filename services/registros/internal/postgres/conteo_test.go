package postgres_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// numbered are so many Registros of one series.
func numbered(series string, total int, change func(*registros.Registro)) []registros.Registro {
	regs := make([]registros.Registro, total)
	for i := range regs {
		regs[i] = newRegistro(fmt.Sprintf("%s-%d", series, i), change)
	}
	return regs
}

// saver writes a batch by one of the ways in.
type saver func(b bundle, regs []registros.Registro) error

func saveLote(b bundle, regs []registros.Registro) error {
	_, err := b.store.SaveLote(context.Background(), empresaUno, registros.LoteRecibido{ID: pg.NewID(), KeyID: "KEY", Total: len(regs)}, validos(regs...))
	return err
}

func saveRegistros(b bundle, regs []registros.Registro) error {
	_, _, err := b.store.SaveRegistros(context.Background(), empresaUno, validos(regs...))
	return err
}

// wantCounted holds what is counted of an institution against what there is.
func (b bundle) wantCounted(t *testing.T, empresa tenant.EmpresaID, want int) {
	t.Helper()
	var counted int
	err := b.admin.QueryRow(t.Context(), `SELECT coalesce(sum(registros), 0) FROM conteos WHERE empresa_id = $1`, string(empresa)).Scan(&counted)
	if err != nil {
		t.Fatal(err)
	}
	if there := b.count(t, `registros WHERE empresa_id = $1`, string(empresa)); there != want || counted != want {
		t.Errorf("got %d registros and %d counted of %s, want %d", there, counted, empresa, want)
	}
}

// Whatever the size of a batch and whether an open Caso is concerned, the quota is full to the last
// Registro, one more is refused with all that came with it, and what is there may be changed.
func TestStore_quota(t *testing.T) {
	t.Parallel()
	later := func(r *registros.Registro) { r.FechaEvento = fecha("2026-06-15") }
	for name, tt := range map[string]struct {
		total int
		save  saver
	}{
		"a batch in one round trip": {3, saveLote},
		"a batch of arrays":         {30, saveLote},
		"a batch that is copied":    {600, saveLote},
		"all or none, few":          {3, saveRegistros},
		"all or none, many":         {600, saveRegistros},
	} {
		for _, concerned := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, caso %t", name, concerned), func(t *testing.T) {
				t.Parallel()
				b := setup(t)
				b.store.Cuota = tt.total
				if concerned {
					b.open(t, empresaUno, newReporte(nil))
				}
				regs := numbered("A", tt.total, nil)
				err := tt.save(b, regs)
				if err != nil {
					t.Fatalf("got %v for what fills the quota, want none", err)
				}
				lotes := b.count(t, "lotes")

				err = tt.save(b, append(numbered("A", tt.total-1, later), newRegistro("B", nil)))
				if !errs.Is(err, errores.CuotaAgotada) {
					t.Errorf("got %v for one too many, want a refusal", err)
				}
				if changed := b.count(t, `registros WHERE fecha_evento = '2026-06-15'`); changed != 0 || b.count(t, "lotes") != lotes {
					t.Errorf("got %d changes and a batch of what was refused, want nothing", changed)
				}
				b.wantCounted(t, empresaUno, tt.total)

				err = tt.save(b, numbered("A", tt.total, later))
				if changed := b.count(t, `registros WHERE fecha_evento = '2026-06-15'`); err != nil || changed != tt.total {
					t.Errorf("got %d changes, %v; want %d", changed, err, tt.total)
				}
				err = tt.save(b, numbered("A", tt.total, later))
				if err != nil {
					t.Errorf("got %v for what is there, want none", err)
				}
				b.wantCounted(t, empresaUno, tt.total)
				b.save(t, empresaDos, newRegistro("A", nil))
				b.wantCounted(t, empresaDos, 1)
			})
		}
	}
}

func TestStore_quota_deletionMakesRoom(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.Cuota = 4
	old := numbered("old", 3, func(r *registros.Registro) { r.CURP, r.FechaEvento = curpDos, fecha("2010-01-01") })
	b.save(t, empresaUno, append(old, newRegistro("A", nil))...)
	if err := saveLote(b, numbered("B", 1, nil)); !errs.Is(err, errores.CuotaAgotada) {
		t.Fatalf("got %v, want a refusal", err)
	}

	_, err := b.store.DeleteRegistros(t.Context(), empresaUno, registros.Seleccion{Folio: "A"}, true)
	if err != nil {
		t.Fatal(err)
	}
	b.wantCounted(t, empresaUno, 4) // it was simulated
	_, err = b.store.DeleteRegistros(t.Context(), empresaUno, registros.Seleccion{Folio: "A"}, false)
	if err != nil {
		t.Fatal(err)
	}
	b.wantCounted(t, empresaUno, 3)

	_, deleted, _, err := b.store.PurgeRegistros(t.Context(), fecha("2014-01-01"), 0)
	if err != nil || deleted != 2 { // the newest of a person stays
		t.Fatalf("got %d deleted, %v; want 2", deleted, err)
	}
	b.wantCounted(t, empresaUno, 1)
	b.save(t, empresaUno, numbered("B", 3, nil)...)
	b.wantCounted(t, empresaUno, 4)
}

// A batch that is being written keeps what it counts with locked until it commits. Another one of
// the institution does not wait for it.
func TestStore_quota_batchesDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.store.Cuota = 1000
	b.save(t, empresaUno, newRegistro("A", nil))
	tx, err := b.admin.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tag, err := tx.Exec(t.Context(), `UPDATE conteos SET registros = registros + 1`)
	if err != nil || tag.RowsAffected() != 1 {
		t.Fatalf("locked %d rows, %v", tag.RowsAffected(), err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for _, total := range []int{1, 30, 600} {
		regs := validos(numbered(fmt.Sprint(total), total, nil)...)
		_, err := b.store.SaveLote(ctx, empresaUno, registros.LoteRecibido{}, regs)
		if err != nil {
			t.Fatalf("a batch of %d beside another: %v", total, err)
		}
	}
	err = tx.Rollback(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.wantCounted(t, empresaUno, 632)
	if rows := b.count(t, `conteos WHERE empresa_id = $1`, string(empresaUno)); rows != 2 {
		t.Errorf("got %d rows, want the one that was locked and one more", rows)
	}
}

// Of batches that are written at once all that was taken is counted, and the quota is passed by no
// more than what they add.
func TestStore_quota_manyAtOnce(t *testing.T) {
	t.Parallel()
	const writers, batches, each, quota = 6, 20, 7, 500
	b := setup(t)
	b.store.Cuota = quota
	var writing sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for n := range batches {
				err := saveLote(b, numbered(fmt.Sprintf("%d-%d", w, n), each, nil))
				if err != nil && !errs.Is(err, errores.CuotaAgotada) {
					t.Error(err)
				}
			}
		})
	}
	writing.Wait()
	there := b.count(t, "registros")
	if there <= quota-each || there > quota+(writers-1)*each {
		t.Errorf("got %d registros within a quota of %d by batches of %d", there, quota, each)
	}
	b.wantCounted(t, empresaUno, there)
	if err := saveLote(b, numbered("more", each, nil)); !errs.Is(err, errores.CuotaAgotada) {
		t.Errorf("got %v, want a refusal", err)
	}
}

// The gauge is the share of each institution, and there is none without a quota.
func TestStore_quota_gauge(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, numbered("A", 9, nil)...)
	b.save(t, empresaDos, newRegistro("A", nil))
	for _, tt := range []struct {
		quota int
		want  map[string]float64
	}{{0, map[string]float64{}}, {10, map[string]float64{string(empresaUno): .9, string(empresaDos): .1}}} {
		b.store.Cuota = tt.quota
		registry := prometheus.NewRegistry()
		b.store.Sample().Register(registry)
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]float64{}
		for _, family := range families {
			if family.GetName() == "enlace_record_quota_used_ratio" {
				for _, m := range family.GetMetric() {
					got[m.GetLabel()[0].GetValue()] = m.GetGauge().GetValue()
				}
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("quota %d: got %v, want %v", tt.quota, got, tt.want)
		}
	}
}
