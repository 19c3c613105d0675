//go:build citus

package postgres_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

const (
	writers = 4
	perLote = 20
	// moveLimit is how long parts of nearly empty tables may take to move.
	moveLimit = 5 * time.Minute
)

// writer is an institution that writes batches and opens Casos until it is stopped, and does
// again what it was not served.
type writer struct {
	bundle
	id tenant.EmpresaID
	// written are the batches that were taken, each with a Caso; again counts what was sent again.
	written, again int
}

func (w *writer) work(t *testing.T, stop <-chan struct{}) {
	for !t.Failed() {
		w.round(t)
		select {
		case <-stop:
			return
		default:
		}
	}
}

// round writes a batch whose first record matches the Caso that is then opened.
func (w *writer) round(t *testing.T) {
	curp := fmt.Sprintf("MOVE%014d", w.written)
	regs := []registros.Registro{newRegistro(fmt.Sprintf("M-%d", w.written), func(r *registros.Registro) { r.CURP = curp })}
	for n := range perLote - 1 {
		regs = append(regs, newRegistro(fmt.Sprintf("M-%d-%d", w.written, n), nil))
	}
	w.until(t, func() error {
		_, err := w.store.SaveLote(t.Context(), w.id, registros.LoteRecibido{}, validos(regs...))
		return err
	})
	w.until(t, func() error {
		_, err := w.store.OpenCaso(t.Context(), w.id, newReporte(func(r *registros.Reporte) {
			r.ID, r.Persona.CURP = fmt.Sprintf("%06d-550e8400-e29b-41d4-a716-446655440000", w.written), curp
		}))
		return err
	})
	w.written++
}

// until does something until it is done; who is not served meanwhile must be told to come again.
func (w *writer) until(t *testing.T, do func() error) {
	for err := do(); err != nil; err = do() {
		w.again++
		if !errs.Away(err) {
			t.Errorf("%s: %v", w.id, err)
			return
		}
	}
}

// A worker that has nothing yet takes its part of the tables while institutions write. What was
// taken is there, each once, and who is not served is told so.
func TestStore_partsMoveUnderLoad(t *testing.T) {
	b := setup(t)
	b.rebalance(t, 1)
	stop := make(chan struct{})
	var working sync.WaitGroup
	var all []*writer
	for n := range writers {
		w := &writer{bundle: b, id: tenant.EmpresaID(fmt.Sprintf("LAB0%d0101AB1", n))}
		all = append(all, w)
		working.Go(func() { w.work(t, stop) })
	}
	b.rebalance(t, 2)
	close(stop)
	working.Wait()
	for _, w := range all {
		records, casos := b.count(t, `registros WHERE empresa_id = $1`, w.id), b.count(t, `casos WHERE empresa_id = $1`, w.id)
		if w.written == 0 || records != perLote*w.written || casos != w.written {
			t.Errorf("%s has %d records and %d casos of %d batches", w.id, records, casos, w.written)
		}
		t.Logf("%s: %d batches and casos, %d sent again", w.id, w.written, w.again)
	}
	if got := b.count(t, `(SELECT DISTINCT nodeport FROM citus_shards s JOIN casos c
		ON s.shardid = get_shard_id_for_distribution_column('casos', c.empresa_id)) w`); got != 2 {
		t.Errorf("those who wrote lie on %d workers: none of them moved", got)
	}
}

// rebalance lets only so many workers have parts of the tables, and waits until it is so.
func (b bundle) rebalance(t *testing.T, workers int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), moveLimit)
	defer cancel()
	for _, step := range []string{
		fmt.Sprintf(`SELECT citus_set_node_property(nodename, nodeport, 'shouldhaveshards', n <= %d)
			FROM (SELECT *, row_number() OVER (ORDER BY nodeid) AS n FROM pg_dist_node WHERE groupid <> 0) w`, workers),
		`SELECT citus_rebalance_start()`,
		`SELECT citus_rebalance_wait()`,
	} {
		_, err := b.admin.Exec(ctx, step)
		if err != nil {
			t.Errorf("%s: %v", step, err)
			return
		}
	}
	if got := b.count(t, `(SELECT DISTINCT nodeport FROM citus_shards WHERE citus_table_type = 'distributed') n`); got != workers {
		t.Errorf("the tables lie on %d workers, want %d", got, workers)
	}
}
