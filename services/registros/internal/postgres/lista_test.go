package postgres_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// manyCasos are more than two chunks.
const manyCasos = 1200

func (b bundle) insertCasos(t *testing.T) {
	t.Helper()
	_, err := b.admin.Exec(t.Context(), `
		INSERT INTO casos (empresa_id, id, reporte_id, ciclo, curp, persona, activado_en, continua_desde, corte)
		SELECT $1, lpad(to_hex(n), 32, '0')::uuid, n || '-550e8400-e29b-41d4-a716-446655440000', 1, $2, '{}', now(), '2026-01-01', 1
		FROM generate_series(1, $3) n`, string(empresaUno), curpUno, manyCasos)
	if err != nil {
		t.Fatal(err)
	}
}

func TestStore_aListIsWholeAndNewestFirst(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.insertCasos(t)
	var ids []registros.CasoID
	err := b.store.EachCasos(t.Context(), empresaUno, "", func(chunk []registros.Caso) error {
		if len(chunk) > 500 {
			t.Errorf("%d at once", len(chunk))
		}
		for _, c := range chunk {
			ids = append(ids, c.ID)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	newestFirst := slices.IsSortedFunc(ids, func(a, b registros.CasoID) int { return slices.Compare(b[:], a[:]) })
	if len(ids) != manyCasos || len(slices.Compact(ids)) != manyCasos || !newestFirst {
		t.Errorf("%d of %d casos or some twice, newest first: %t", len(ids), manyCasos, newestFirst)
	}
}

// Nothing is read for whoever has stopped reading, and no connection held.
func TestStore_aListEndsWithItsReader(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.insertCasos(t)
	errGone := errors.New("the reader has gone")
	chunks := 0
	err := b.store.EachCasos(t.Context(), empresaUno, "", func([]registros.Caso) error {
		chunks++
		return errGone
	})
	if !errors.Is(err, errGone) || chunks != 1 {
		t.Errorf("%v after %d chunks", err, chunks)
	}
	if held := b.db.Pool().Stat().AcquiredConns(); held != 0 {
		t.Errorf("%d connections held after the end", held)
	}
}

func TestStore_aListShowsThePerson(t *testing.T) {
	t.Parallel()
	b := setup(t)
	who := manual.Persona{
		CURP: curpUno, Nombre: "NOMBRE", PrimerApellido: "PRIMERO", SegundoApellido: "SEGUNDO",
		FechaNacimiento: fecha("1990-01-15"), LugarNacimiento: "SONORA", SexoAsignado: "H",
	}
	b.open(t, empresaUno, newReporte(func(r *registros.Reporte) { r.Persona = who }))
	casos, _ := b.listas(t)
	if len(casos) != 1 || casos[0].Reporte.Persona != who {
		t.Errorf("listed as %+v", casos)
	}
}
