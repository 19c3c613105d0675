//go:build !citus

package postgres_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/jobs"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/pgtest"
	"github.com/enlace-iis/enlace/services/registros/internal/postgres"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// joined is an institution with 5,000 records and as many open Casos of other persons, each with a
// match that waits.
const joined = `
INSERT INTO registros (empresa_id, folio, curp, tipo_evento, fecha_evento, datos, huella)
SELECT '%[1]s', 'S-' || n, 'SEED' || lpad(n::text, 14, '0'), 'Toma de muestra', '2026-06-01', '{}', sha256(n::text::bytea)
FROM generate_series(1, 5000) n;
INSERT INTO casos (empresa_id, id, reporte_id, ciclo, curp, persona, activado_en, continua_desde, corte, basicos_en, buscado_en,
	estado, finalizacion, busqueda_finalizada_en)
SELECT '%[1]s', ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, n || '-550e8400-e29b-41d4-a716-446655440000', 1,
	'CASE' || lpad(n::text, 14, '0'), '{}', now(), '2026-01-01', 1, now(), now(), 'monitoreo', 'notificada', now()
FROM generate_series(1, 5000) n;
INSERT INTO coincidencias (empresa_id, id, caso_id, fase, folio, revision, curp, tipo_evento, fecha_evento, datos)
SELECT empresa_id, id, id, 3, 'S-' || reporte_id, 1, curp, 'Toma de muestra', '2026-06-01', '{}' FROM casos WHERE empresa_id = '%[1]s';
INSERT INTO cargas (empresa_id, corte) VALUES ('%[1]s', 1)`

// manySmall are 15,000 institutions with a row of each kind.
const manySmall = `
INSERT INTO registros (empresa_id, folio, curp, tipo_evento, fecha_evento, datos, huella)
SELECT 'E' || n, 'S-' || n, 'SEED' || lpad(n::text, 14, '0'), 'Toma de muestra', '2026-06-01', '{}', sha256(n::text::bytea)
FROM generate_series(1, 15000) n;
INSERT INTO casos (empresa_id, id, reporte_id, ciclo, curp, persona, activado_en, continua_desde, corte, basicos_en, buscado_en,
	estado, finalizacion, busqueda_finalizada_en)
SELECT 'E' || n, ('00000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, n || '-550e8400-e29b-41d4-a716-446655440000', 1,
	'CASE' || lpad(n::text, 14, '0'), '{}', now(), '2026-01-01', 1, now(), now(), 'monitoreo', 'notificada', now()
FROM generate_series(1, 15000) n;
INSERT INTO coincidencias (empresa_id, id, caso_id, fase, folio, revision, curp, tipo_evento, fecha_evento, datos)
SELECT empresa_id, id, id, 3, 'S-' || reporte_id, 1, curp, 'Toma de muestra', '2026-06-01', '{}' FROM casos`

// What PostgreSQL knows of an institution when it has joined a moment ago.
var unknown = []struct {
	name    string
	prepare []string
}{
	{"another institution is counted", []string{fmt.Sprintf(joined, empresaDos), `ANALYZE`}},
	{"nothing was ever counted", nil},
	{"many small institutions are counted", []string{manySmall, `ANALYZE`}},
}

// However much an institution has, and however little PostgreSQL knows of that, a batch reads what it
// names, of every table: nothing is read for each of its rows.
func TestLookups_ofAnInstitutionThatWasNotCounted(t *testing.T) {
	t.Parallel()
	for _, state := range unknown {
		t.Run(state.name, func(t *testing.T) {
			t.Parallel()
			database := pgtest.New(t, postgres.Migrations)
			admin, err := pgx.Connect(t.Context(), database.AdminURL)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = admin.Close(context.Background()) }()
			for _, statement := range append(append([]string{pgtest.Uncounted}, state.prepare...), fmt.Sprintf(joined, empresaUno)) {
				_, err = admin.Exec(t.Context(), statement)
				if err != nil {
					t.Fatal(err)
				}
			}
			for _, b := range batches {
				t.Run(b.name, func(t *testing.T) {
					database.CheckReads(t, int64(20*b.rows), func(db *pg.DB) {
						client, err := jobs.NewClient(db, jobs.Config{})
						if err != nil {
							t.Fatal(err)
						}
						b.run(t, postgres.NewStore(db, &postgres.RiverQueue{Client: client}), b.rows)
					})
				})
			}
		})
	}
}

// batches are what is done with a number of rows at once.
var batches = []struct {
	name string
	rows int
	run  func(t *testing.T, store *postgres.Store, rows int)
}{
	{"a large lote that matches", 600, func(t *testing.T, store *postgres.Store, rows int) { saveMatching(t, store, "L", "Toma", rows, rows) }},
	{"the same again", 600, func(t *testing.T, store *postgres.Store, rows int) { saveMatching(t, store, "L", "Toma", rows, 0) }},
	{"the same, changed", 600, func(t *testing.T, store *postgres.Store, rows int) { saveMatching(t, store, "L", "Otra", rows, rows) }},
	{"a lote that matches", 200, func(t *testing.T, store *postgres.Store, rows int) { saveMatching(t, store, "S", "Toma", rows, rows) }},
	{"records, with what became of each", 100, func(t *testing.T, store *postgres.Store, rows int) {
		_, each, err := store.SaveRegistros(t.Context(), empresaUno, matching("R", "Toma", rows))
		if err != nil || len(each) != rows {
			t.Errorf("%d of %d are saved, %v", len(each), rows, err)
		}
	}},
	{"deliveries", 100, deliver},
	{"openings", 100, func(t *testing.T, store *postgres.Store, rows int) {
		atOnce(rows, func(n int) error {
			_, err := store.OpenCaso(t.Context(), empresaUno, newReporte(func(r *registros.Reporte) {
				r.ID = fmt.Sprintf("N%d-550e8400-e29b-41d4-a716-446655440000", n)
				r.Persona.CURP = fmt.Sprintf("SEED%014d", n+1)
			}))
			return err
		}, t)
	}},
	// 20 Casos, of which each is found, reopened and searched.
	{"searches of all once more", 3 * 20, func(t *testing.T, store *postgres.Store, rows int) {
		err := store.SearchAllAgain(t.Context(), empresaUno)
		if err == nil {
			_, _, err = store.SearchEmpresa(t.Context(), empresaUno, uuid.Nil)
		}
		if err != nil {
			t.Error(err)
		}
	}},
	{"a search", 100, func(t *testing.T, store *postgres.Store, rows int) {
		caso, err := store.OpenCaso(t.Context(), empresaUno, newReporte(func(r *registros.Reporte) { r.Persona.CURP = "SEED00000000000009" }))
		if err == nil {
			_, err = store.SearchCaso(t.Context(), empresaUno, caso)
		}
		if err != nil {
			t.Error(err)
		}
	}},
}

// matching are records of persons who have an open Caso.
func matching(folio, tipo string, rows int) []registros.RegistroValido {
	regs := make([]registros.Registro, rows)
	for n := range regs {
		regs[n] = newRegistro(fmt.Sprintf("%s-%d", folio, n), func(r *registros.Registro) {
			r.CURP, r.TipoEvento = fmt.Sprintf("CASE%014d", n+1), tipo
		})
	}
	return validos(regs...)
}

func saveMatching(t *testing.T, store *postgres.Store, folio, tipo string, rows, want int) {
	t.Helper()
	guardado, err := store.SaveLote(t.Context(), empresaUno, registros.LoteRecibido{ID: pg.NewID(), KeyID: "K", Total: rows}, matching(folio, tipo, rows))
	if err != nil || guardado.Coincidencias != want {
		t.Errorf("got %d matches, %v, want %d", guardado.Coincidencias, err, want)
	}
}

// deliver tells the first match of Casos, all at once.
func deliver(t *testing.T, store *postgres.Store, rows int) {
	pasos := postgres.Pasos{Store: store}
	atOnce(rows, func(n int) error {
		var caso registros.CasoID
		err := caso.UnmarshalText(fmt.Appendf(nil, "00000000-0000-7000-8000-%012d", n+1))
		if err != nil {
			return err
		}
		paso, err := pasos.NextPaso(t.Context(), empresaUno, caso)
		if err == nil && paso.Coincidencia == nil {
			err = fmt.Errorf("nothing is to be told of caso %d", n)
		}
		if err == nil {
			_, err = pasos.RecordPaso(t.Context(), empresaUno, caso, paso, envio.Respuesta{Resultado: envio.Aceptado})
		}
		return err
	}, t)
}

// atOnce makes a number of calls together.
func atOnce(calls int, call func(n int) error, t *testing.T) {
	t.Helper()
	var all sync.WaitGroup
	for n := range calls {
		all.Go(func() {
			if err := call(n); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
