package postgres_test

import (
	"testing"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// What a batch was is remembered, whether few records come as arrays, many are copied, or
// none is admitted.
func TestStore_GetLote(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil), newRegistro("B", nil))
	_, err := b.store.OpenCaso(t.Context(), empresaUno, newReporte(nil))
	if err != nil {
		t.Fatal(err)
	}
	during := func(r *registros.Registro) { r.FechaEvento = fecha("2026-06-16") }
	many := make([]registros.Registro, 201)
	for i := range many {
		many[i] = newRegistro("M-"+string(rune('a'+i%26))+string(rune('a'+i/26)), func(r *registros.Registro) { r.CURP = curpDos })
	}
	tests := map[string]struct {
		sent int
		regs []registros.Registro
		want registros.Guardado
	}{
		"one created, one changed, one the same, one refused": {
			4, []registros.Registro{newRegistro("A", nil), newRegistro("B", during), newRegistro("C", during)},
			registros.Guardado{Creados: 1, Actualizados: 1, SinCambios: 1, Coincidencias: 2},
		},
		"many":          {201, many, registros.Guardado{Creados: 201}},
		"all refused":   {2, nil, registros.Guardado{}},
		"of a stranger": {1, []registros.Registro{newRegistro("D", func(r *registros.Registro) { r.CURP = curpDos })}, registros.Guardado{Creados: 1}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			sent := registros.LoteRecibido{ID: pg.NewID(), KeyID: "KEY", Total: tt.sent, Rechazados: tt.sent - len(tt.regs)}
			_, err := b.store.SaveLote(t.Context(), empresaUno, sent, validos(tt.regs...))
			if err != nil {
				t.Fatal(err)
			}
			got, err := b.store.GetLote(t.Context(), empresaUno, sent.ID)
			want := sent
			want.RecibidoEn, want.Guardado = got.RecibidoEn, tt.want
			if err != nil || got != want || time.Since(got.RecibidoEn) > time.Minute {
				t.Errorf("got %+v, %v; want %+v", got, err, want)
			}
			_, err = b.store.GetLote(t.Context(), empresaDos, sent.ID)
			if !errs.Is(err, errores.NoEncontrado) {
				t.Errorf("another institution gets %v", err)
			}
		})
	}
	if remembered := b.count(t, "lotes"); remembered != len(tests) {
		t.Errorf("%d batches are remembered, want %d: a record by itself is none", remembered, len(tests))
	}
}

func TestStore_PurgeLotes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 3 {
		_, err := b.store.SaveLote(t.Context(), empresaUno, registros.LoteRecibido{ID: pg.NewID(), KeyID: "KEY", Total: 1, Rechazados: 1}, nil)
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		before  time.Time
		deleted int
	}{{time.Now().Add(-time.Hour), 0}, {time.Now().Add(time.Hour), 3}} {
		deleted, last, err := b.store.PurgeLotes(t.Context(), tt.before)
		if err != nil || deleted != tt.deleted || !last {
			t.Errorf("before %s: %d, %v, %v; want %d", tt.before, deleted, last, err, tt.deleted)
		}
	}
}
