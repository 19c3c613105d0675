package plataforma

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func numbers(recibidos []Recibido) []int64 {
	var ns []int64
	for _, r := range recibidos {
		ns = append(ns, r.N)
	}
	return ns
}

func TestRecibidos_waitsForTheFirstMatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newRecibidos(time.Now)
		l.add(Recibido{Ruta: RutaReportes})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()

		var got []Recibido
		done := make(chan struct{})
		go func() {
			defer close(done)
			got = l.wait(ctx, Filtro{Ruta: RutaReportes, InstitucionID: institucionA, Desde: 1})
		}()
		for _, r := range []Recibido{
			{Ruta: RutaReportes, InstitucionID: institucionB},
			{Ruta: RutaLogin, InstitucionID: institucionA},
		} {
			synctest.Wait()
			l.add(r)
		}
		synctest.Wait()
		select {
		case <-done:
			t.Fatalf("returned %v before a match", numbers(got))
		default:
		}
		l.add(Recibido{Ruta: RutaReportes, InstitucionID: institucionA})
		<-done
		if ns := numbers(got); len(ns) != 1 || ns[0] != 4 {
			t.Errorf("entries = %v, want 4", ns)
		}
	})
}

func TestRecibidos_givesUpWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newRecibidos(time.Now)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		desde := time.Now()
		got := l.wait(ctx, Filtro{})
		if got == nil || len(got) != 0 || time.Since(desde) != time.Minute {
			t.Errorf("%v after %v, want an empty list after a minute", got, time.Since(desde))
		}
	})
}

func TestRecibidos_numbersGoOnAfterClearing(t *testing.T) {
	l := newRecibidos(time.Now)
	primero := l.add(Recibido{})
	l.clear()
	l.answered(primero)
	l.add(Recibido{})
	got, _ := l.list(Filtro{Desde: primero})
	if ns := numbers(got); len(ns) != 1 || ns[0] != 2 {
		t.Errorf("entries = %v, want 2", ns)
	}
}

func TestRecibidos_dropsTheOldestPastItsLimit(t *testing.T) {
	l := newRecibidos(time.Now)
	l.max = 3
	for range 5 {
		l.add(Recibido{})
	}
	got, _ := l.list(Filtro{})
	if ns := numbers(got); len(ns) != 3 || ns[0] != 3 || ns[2] != 5 {
		t.Errorf("entries = %v, want 3 to 5", ns)
	}
}

func TestRecibidos_concurrentArrivalsLeaveNoGapAndKeepTime(t *testing.T) {
	const senders, each = 8, 200
	l := newRecibidos(time.Now)
	var wg sync.WaitGroup
	for range senders {
		wg.Go(func() {
			for range each {
				l.answered(l.add(Recibido{Ruta: RutaReportes}))
			}
		})
	}
	var desde int64
	var anterior time.Time
	for desde < senders*each {
		for _, r := range l.wait(t.Context(), Filtro{Desde: desde}) {
			if r.N != desde+1 || r.RecibidoEn.Before(anterior) {
				t.Fatalf("entry %d at %v follows %d at %v", r.N, r.RecibidoEn, desde, anterior)
			}
			desde, anterior = r.N, r.RecibidoEn
		}
	}
	wg.Wait()
}
