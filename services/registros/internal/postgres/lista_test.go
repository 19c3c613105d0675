package postgres_test

import (
	"cmp"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// manyCasos are more than two chunks.
const manyCasos = 1200

// insertCasos writes Casos, each with a Coincidencia, whose instants are not in the order of their
// ids; many share one.
func (b bundle) insertCasos(t *testing.T) {
	t.Helper()
	b.insertCasosFrom(t, 1)
}

func (b bundle) insertCasosFrom(t *testing.T, first int) {
	t.Helper()
	for _, statement := range []string{`
		INSERT INTO casos (empresa_id, id, reporte_id, ciclo, curp, persona, activado_en, continua_desde, corte, abierto_en)
		SELECT $1, md5('caso' || n)::uuid, n || '-550e8400-e29b-41d4-a716-446655440000', 1, $2, '{}', now(), '2026-01-01', 1,
			timestamptz '2026-06-15' + n * 7919 % 400 * interval '1 microsecond'
		FROM generate_series($3::int, $4) n`, `
		INSERT INTO coincidencias (empresa_id, id, caso_id, fase, folio, revision, curp, tipo_evento, fecha_evento, datos, detectada_en)
		SELECT $1, md5('coincidencia' || n)::uuid, md5('caso' || n)::uuid, 3, 'F-' || n, n, $2, 'Toma de muestra', '2026-06-14', '{}',
			timestamptz '2026-06-15' + n * 7919 % 400 * interval '1 microsecond'
		FROM generate_series($3::int, $4) n`,
	} {
		_, err := b.admin.Exec(t.Context(), statement, string(empresaUno), curpUno, first, first+manyCasos-1)
		if err != nil {
			t.Fatal(err)
		}
	}
}

// fila is a row of a list by what orders it.
type fila struct {
	en time.Time
	id uuid.UUID
}

func compareFilas(a, b fila) int {
	return cmp.Or(a.en.Compare(b.en), slices.Compare(a.id[:], b.id[:]))
}

// A list goes by the instants that it shows, with each row once, also while others are written.
func TestStore_aListGoesByItsInstants(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		compare func(a, b fila) int
		each    func(b bundle, yield func([]fila) error) error
	}{
		"casos, newest first": {func(a, b fila) int { return compareFilas(b, a) }, func(b bundle, yield func([]fila) error) error {
			return b.store.EachCasos(t.Context(), empresaUno, "", filasOf(yield, func(c registros.Caso) fila { return fila{c.AbiertoEn, c.ID} }))
		}},
		"coincidencias, newest first": {func(a, b fila) int { return compareFilas(b, a) }, func(b bundle, yield func([]fila) error) error {
			return b.store.EachCoincidencias(t.Context(), empresaUno, "", filasOf(yield, func(c registros.Coincidencia) fila { return fila{c.DetectadaEn, c.ID} }))
		}},
		"an operator's coincidencias, oldest first": {compareFilas, func(b bundle, yield func([]fila) error) error {
			return b.store.EachHallazgo(t.Context(), empresaUno, registros.Filtro{}, filasOf(yield, func(h registros.Hallazgo) fila { return fila{h.DetectadaEn, h.ID} }))
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.insertCasos(t)
			want := map[uuid.UUID]bool{}
			err := tt.each(b, func(chunk []fila) error {
				for _, f := range chunk {
					want[f.id] = true
				}
				return nil
			})
			if err != nil || len(want) != manyCasos {
				t.Fatalf("%d rows, %v, want %d", len(want), err, manyCasos)
			}
			var got []fila
			err = tt.each(b, func(chunk []fila) error {
				if len(chunk) > 500 {
					t.Errorf("%d at once", len(chunk))
				}
				if got == nil {
					b.insertCasosFrom(t, manyCasos+1)
				}
				got = append(got, chunk...)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for n, f := range got {
				delete(want, f.id)
				if n > 0 && tt.compare(got[n-1], f) >= 0 {
					t.Fatalf("row %d is %v, after %v", n, f, got[n-1])
				}
			}
			if len(want) > 0 {
				t.Errorf("%d rows are missing", len(want))
			}
		})
	}
}

func filasOf[T any](yield func([]fila) error, filaOf func(T) fila) func([]T) error {
	return func(chunk []T) error {
		filas := make([]fila, len(chunk))
		for n, row := range chunk {
			filas[n] = filaOf(row)
		}
		return yield(filas)
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
