package postgres

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/internal/envio"
)

func TestStore_BeginIntento_afterAKilledProcess(t *testing.T) {
	t.Parallel()
	store, r := activeReporte(t)
	e := anEnvio(empresaA, "c1")
	lost := begin(t, store, e).Intento
	wantBlocked(t, store, e, entregas.EnCurso)
	passTime(t, store, minute)
	sending, err := store.AnySending(t.Context(), empresaA, []uuid.UUID{r.Fila})
	if err != nil || sending {
		t.Errorf("sending %v, %v", sending, err)
	}
	next := wantBlocked(t, store, e, entregas.SinBloqueo).Intento
	if next.Numero != 2 {
		t.Errorf("attempt %d", next.Numero)
	}
	// The lost one turns up after all: it frees nothing and undoes nothing.
	end(t, store, e, lost, fin(envio.MasTarde))
	wantBlocked(t, store, e, entregas.EnCurso)
	// Unless it brings the decision.
	end(t, store, e, lost, fin(envio.Aceptado))
	end(t, store, e, next, fin(envio.MasTarde))
	wantBlocked(t, store, e, entregas.YaDecidido)
}

func TestStore_EndIntento_afterTheReporteEnded(t *testing.T) {
	t.Parallel()
	tests := map[envio.Resultado]entregas.EstadoEnvio{
		envio.Aceptado:  entregas.EnvioAceptado,
		envio.Rechazado: entregas.EnvioRechazado,
		envio.MasTarde:  entregas.EnvioCancelado,
		envio.Cancelado: entregas.EnvioCancelado,
	}
	for clase, want := range tests {
		store, r := activeReporte(t)
		e := anEnvio(empresaA, "c1")
		intento := begin(t, store, e).Intento
		deactivate(t, store, empresaA)
		sending, err := store.AnySending(t.Context(), empresaA, []uuid.UUID{r.Fila})
		if err != nil || !sending {
			t.Errorf("sending %v, %v", sending, err)
		}
		end(t, store, e, intento, fin(clase))
		sending, err = store.AnySending(t.Context(), empresaA, []uuid.UUID{r.Fila})
		if err != nil || sending {
			t.Errorf("still sending %v, %v", sending, err)
		}
		if got := estadoOf(t, store, intento.EnvioID); got != want {
			t.Errorf("outcome %d left the Envío %s, want %s", clase, got, want)
		}
	}
}

// TestStore_BeginIntento_race lets many attempts at one Envío race: one begins at a time.
func TestStore_BeginIntento_race(t *testing.T) {
	t.Parallel()
	store, _ := activeReporte(t)
	for round := range 10 {
		e := anEnvio(empresaA, uuid.NewString())
		var begun atomic.Int32
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				inicio, err := store.BeginIntento(t.Context(), e, minute, true)
				switch {
				case err != nil:
					t.Error(err)
				case inicio.Bloqueo == entregas.SinBloqueo:
					begun.Add(1)
				case inicio.Bloqueo != entregas.EnCurso:
					t.Errorf("blocked by %d", inicio.Bloqueo)
				}
			})
		}
		group.Wait()
		if begun.Load() != 1 {
			t.Errorf("round %d: %d attempts began", round, begun.Load())
		}
	}
}

// TestStore_deactivationAgainstBeginning proves the invariant of the domain: an attempt
// that begins is seen by a deactivation that it did not see.
func TestStore_deactivationAgainstBeginning(t *testing.T) {
	t.Parallel()
	store, r := activeReporte(t)
	for round := range 40 {
		e := anEnvio(empresaA, uuid.NewString())
		e.Ciclo = r.Ciclo
		var inicio entregas.Inicio
		var sending bool
		var group sync.WaitGroup
		group.Go(func() {
			var err error
			inicio, err = store.BeginIntento(context.WithoutCancel(t.Context()), e, minute, true)
			if err != nil {
				t.Error(err)
			}
		})
		group.Go(func() {
			filas, err := store.SaveDesactivacion(t.Context(), empresaA, reporteID)
			if err != nil {
				t.Error(err)
				return
			}
			sending, err = store.AnySending(t.Context(), empresaA, filas)
			if err != nil {
				t.Error(err)
			}
		})
		group.Wait()
		began := inicio.Bloqueo == entregas.SinBloqueo
		if began != sending {
			t.Fatalf("round %d: began %v, but the deactivation saw a send: %v", round, began, sending)
		}
		if began {
			end(t, store, e, inicio.Intento, fin(envio.Cancelado))
		}
		var err error
		r, err = store.SaveActivacion(t.Context(), empresaA, solicitud(nil))
		must(t, err)
		passTime(t, store, entregas.AnswerMargin)
	}
}

// Attempts that begin and end at the same time share their transactions, and each gets its own;
// one whose Reporte there is not is blocked alone.
func TestStore_BeginIntento_manyAtOnceEachItsOwn(t *testing.T) {
	t.Parallel()
	store, _ := activeReporte(t)
	var sending sync.WaitGroup
	for n := range 40 {
		sending.Go(func() {
			e := anEnvio(empresaA, fmt.Sprintf("c%d", n))
			want := entregas.SinBloqueo
			if n%10 == 9 {
				e.Ciclo, want = 7, entregas.ReporteInactivo
			}
			inicio := wantBlocked(t, store, e, want)
			if inicio.Bloqueo != entregas.SinBloqueo {
				return
			}
			outcome := fin(envio.Aceptado)
			if n%2 == 1 {
				outcome = fin(envio.Rechazado)
			}
			end(t, store, e, inicio.Intento, outcome)
			again := wantBlocked(t, store, e, entregas.YaDecidido)
			if again.Estado != outcome.Estado() {
				t.Errorf("%s is %s, want %s", e.Clave, again.Estado, outcome.Estado())
			}
		})
	}
	sending.Wait()
	motivos := map[string]int{}
	for _, a := range asientos(t, store, empresaA) {
		if a.Tipo == bitacora.AsientoEnvio {
			motivos[a.Recurso]++
		}
	}
	if len(motivos) != 36 {
		t.Errorf("the Bitácora tells of %d Envíos, want 36", len(motivos))
	}
}
