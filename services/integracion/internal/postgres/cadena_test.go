package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

func seal(t *testing.T, store *Store, empresa tenant.EmpresaID) {
	t.Helper()
	for last := false; !last; {
		var err error
		last, err = store.Seal(t.Context(), empresa)
		must(t, err)
	}
}

// chain reads a period of an institution's chain.
func chain(t *testing.T, store *Store, empresa tenant.EmpresaID, p bitacora.Periodo) (bitacora.Tramo, []bitacora.Eslabon, error) {
	t.Helper()
	cadena := &bitacora.Cadena{Store: store}
	tramo, err := cadena.Open(t.Context(), empresa, p)
	if err != nil {
		return tramo, nil, err
	}
	var all []bitacora.Eslabon
	err = cadena.Each(t.Context(), tramo, func(chunk []bitacora.Eslabon) error {
		all = append(all, chunk...)
		return nil
	})
	return tramo, all, err
}

// Whoever writes and whoever seals at the same time, and whatever is rolled back, the chain
// holds each entry that was committed once, without a gap, and nothing else.
func TestCadena_wholeUnderConcurrentWritersAndSealers(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	const writers, each = 8, 60
	errRollback := errors.New("roll back")
	empresas := []tenant.EmpresaID{empresaA, empresaB, bitacora.SinEmpresa}
	write := func(writer, n int, random *rand.Rand) error {
		// Several at once in one transaction, over institutions, some of which fail.
		err := store.db.AcrossEmpresas(t.Context(), func(tx pgx.Tx) error {
			for range 1 + random.IntN(3) {
				err := insertAsiento(t.Context(), tx, bitacora.Asiento{
					EmpresaID: empresas[random.IntN(len(empresas))], Tipo: bitacora.AsientoCambio,
					Accion: fmt.Sprintf("escrito_%d_%d", writer, n), Datos: map[string]any{"n": n},
				})
				if err != nil {
					return err
				}
			}
			if random.IntN(5) == 0 {
				return errRollback
			}
			return nil
		})
		if errors.Is(err, errRollback) {
			return nil
		}
		return err
	}
	var writing, sealing sync.WaitGroup
	done := make(chan struct{})
	for sealer := range 3 {
		sealing.Go(func() {
			for n := sealer; ; n++ {
				_, err := store.Seal(t.Context(), empresas[n%len(empresas)])
				if err != nil {
					t.Error(err)
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for writer := range writers {
		writing.Go(func() {
			random := rand.New(rand.NewPCG(uint64(writer), 1))
			for n := range each {
				err := write(writer, n, random)
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	writing.Wait()
	close(done)
	sealing.Wait()
	for _, empresa := range empresas {
		_, chained, err := chain(t, store, empresa, bitacora.Periodo{})
		must(t, err)
		wantWhole(t, chained, asientos(t, store, empresa))
	}
}

// wantWhole holds a chain against the entries that there are.
func wantWhole(t *testing.T, chained []bitacora.Eslabon, written []bitacora.Asiento) {
	t.Helper()
	var inChain, inTable []string
	var hash bitacora.Hash
	for i, e := range chained {
		hash = hash.Next(int64(i)+1, e.Textos())
		if e.Numero != int64(i)+1 || e.Hash != hash {
			t.Fatalf("entry %d has the number %d and the hash %s, want %s", i+1, e.Numero, e.Hash, hash)
		}
		inChain = append(inChain, e.ID.String())
	}
	for _, a := range written {
		inTable = append(inTable, a.ID.String())
	}
	slices.Sort(inChain)
	slices.Sort(inTable)
	if !slices.Equal(inChain, inTable) {
		t.Errorf("%d entries are chained, %d written", len(inChain), len(inTable))
	}
}

// insertRows adds entries at given times.
func insertRows(t *testing.T, store *Store, from time.Time, step time.Duration, total int) {
	t.Helper()
	var ids []uuid.UUID
	var times []time.Time
	var acciones []string
	for n := range total {
		ids, times = append(ids, uuid.New()), append(times, from.Add(time.Duration(n)*step))
		acciones = append(acciones, fmt.Sprintf("n%d", n))
	}
	var batch pgx.Batch
	batch.Queue(`
		INSERT INTO bitacora (empresa_id, encolado, tipo, actor, id, ocurrido_en, accion)
		VALUES ($1, true, 'cambio', 'x', unnest($2::uuid[]), unnest($3::timestamptz[]), unnest($4::text[]))`,
		string(empresaA), ids, times, acciones)
	batch.Queue(newPorSellar, string(empresaA), ids)
	must(t, store.db.InEmpresa(t.Context(), empresaA, func(tx pgx.Tx) error { return tx.SendBatch(t.Context(), &batch).Close() }))
}

func TestCadena_periodsAcrossSellos(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	seal(t, store, empresaA)
	year := time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC)
	const blocks, size = 5, 7
	for n := range blocks { // each a Sello of its own
		insertRows(t, store, year.Add(time.Duration(n)*size*time.Second), time.Second, size)
		seal(t, store, empresaA)
	}
	_, all, err := chain(t, store, empresaA, bitacora.Periodo{})
	must(t, err)
	if len(all) != 1+blocks*size {
		t.Fatalf("%d entries, want the institution's own and %d", len(all), blocks*size)
	}
	at := func(n int) time.Time { return year.Add(time.Duration(n) * time.Second) }
	for _, tt := range []struct{ from, to int }{{0, blocks * size}, {3, 5}, {6, 8}, {7, 14}, {0, 1}, {34, 35}, {10, 10}, {35, 99}, {13, 14}} {
		tramo, got, err := chain(t, store, empresaA, bitacora.Periodo{Desde: at(tt.from), Hasta: at(tt.to)})
		must(t, err)
		want := all[1+min(tt.from, blocks*size) : 1+min(tt.to, blocks*size)]
		if !slices.EqualFunc(got, want, func(a, b bitacora.Eslabon) bool { return a.Numero == b.Numero && a.Hash == b.Hash }) {
			t.Errorf("seconds %d to %d: %d entries, want %d", tt.from, tt.to, len(got), len(want))
		}
		before := all[min(tt.from, blocks*size)]
		if tramo.Anterior != before.Hash || tramo.Primero != before.Numero+1 || tramo.Total() != int64(len(want)) {
			t.Errorf("seconds %d to %d: %+v, want it to go on from %d", tt.from, tt.to, tramo, before.Numero)
		}
		if len(want) > 0 && tramo.Hash != want[len(want)-1].Hash {
			t.Errorf("seconds %d to %d end at %s", tt.from, tt.to, tramo.Hash)
		}
	}
	_, none, err := chain(t, store, empresaA, bitacora.Periodo{Hasta: time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)})
	if err != nil || len(none) != 0 {
		t.Errorf("before all: %v, %v", none, err)
	}
}

func TestCadena_fullSellosAreReadWhole(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	insertRows(t, store, time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC), time.Microsecond, 2*selloMax+3)
	_, all, err := chain(t, store, empresaA, bitacora.Periodo{})
	must(t, err)
	wantWhole(t, all, asientos(t, store, empresaA))
}

// A writer takes no lock of the chain: it commits while somebody seals.
func TestCadena_whoWritesWaitsForNobody(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	must(t, store.db.InEmpresa(t.Context(), empresaA, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), sealLock, string(empresaA))
		must(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		return store.RecordAsiento(ctx, bitacora.Asiento{EmpresaID: empresaA, Tipo: bitacora.AsientoCambio, Accion: "mientras"})
	}))
}

func TestStore_NextSinSellar(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	must(t, store.RecordAsiento(t.Context(), bitacora.Asiento{ID: uuid.New(), EmpresaID: bitacora.SinEmpresa, Tipo: bitacora.AsientoCambio, Accion: "x"}))
	var got []tenant.EmpresaID
	for next := tenant.EmpresaID(""); ; {
		var err error
		next, err = store.NextUnsealed(t.Context(), next)
		must(t, err)
		if next == "" {
			break
		}
		got = append(got, next)
		seal(t, store, next)
	}
	if want := []tenant.EmpresaID{bitacora.SinEmpresa, empresaA, empresaB}; !slices.Equal(got, want) {
		t.Errorf("to be sealed are %v, want %v", got, want)
	}
	next, err := store.NextUnsealed(t.Context(), "")
	if err != nil || next != "" {
		t.Errorf("afterwards %q, %v", next, err)
	}
}
