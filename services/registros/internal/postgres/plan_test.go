//go:build !citus

package postgres

import (
	"context"
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/pgtest"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// How much a statement reads is looked at on one server: a worker's part is planned like it. Where
// it goes in a cluster is in cluster_test.go.

// crowd is a database with much in it and little to do: 10,000 open Casos, each with a match
// that was told, 10,000 closed ones, and of either kind some that need something.
const crowd = `
INSERT INTO registros (empresa_id, folio, curp, tipo_evento, fecha_evento, datos, huella)
SELECT 'LAB010101AB1', 'F-' || n, 'MANY' || (10000000000000 + n / 2), 'Toma de muestra',
	CASE WHEN n % 100 = 0 THEN DATE '2000-01-01' ELSE DATE '2026-06-01' END, '{}', sha256(n::text::bytea)
FROM generate_series(1, 20000) n;
INSERT INTO casos (empresa_id, id, reporte_id, ciclo, curp, persona, activado_en, continua_desde, corte,
	estado, cerrado_en, basicos_en, buscado_en, finalizacion, busqueda_finalizada_en, depurado_en, coincidencias)
SELECT 'LAB010101AB1', gen_random_uuid(), 'R-' || n, 1, 'MANY' || (10000000000000 + n), '{}', now(), '2026-01-01', 1,
	CASE WHEN n % 2 = 0 THEN 'monitoreo' ELSE 'cerrado' END, CASE WHEN n % 2 = 1 THEN now() - interval '1 day' END,
	now(), now(), 'notificada', now(), CASE WHEN n % 2 = 1 THEN now() END, 1
FROM generate_series(1, 20000) n;
UPDATE casos SET buscado_en = NULL WHERE curp LIKE '%000' AND estado <> 'cerrado';
UPDATE casos SET finalizacion = 'pendiente', busqueda_finalizada_en = NULL, estado = 'en_busqueda' WHERE curp LIKE '%002' AND estado <> 'cerrado';
UPDATE casos SET depurado_en = NULL WHERE curp LIKE '%001' AND estado = 'cerrado';
INSERT INTO coincidencias (empresa_id, id, caso_id, fase, folio, revision, curp, tipo_evento, fecha_evento, datos, estado, notificada_en)
SELECT empresa_id, gen_random_uuid(), id, 3, 'F', 1, curp, 'Toma de muestra', '2026-06-01', '{}',
	CASE WHEN curp LIKE '%00' THEN 'pendiente' ELSE 'notificada' END, CASE WHEN curp LIKE '%00' THEN NULL ELSE now() END
FROM casos;
INSERT INTO coincidencias (empresa_id, id, caso_id, fase, folio, revision, curp, tipo_evento, fecha_evento, datos)
SELECT c.empresa_id, gen_random_uuid(), c.id, 3, 'G-' || n, 1, c.curp, 'Toma de muestra', '2026-06-01', '{}'
FROM (SELECT * FROM casos WHERE estado <> 'cerrado' AND curp LIKE '%00' ORDER BY id LIMIT 1) c, generate_series(1, 20000) n;
INSERT INTO revisiones VALUES ('LAB010101AB1', 1);
INSERT INTO cargas SELECT 'LAB010101AB1', 0 UNION ALL SELECT 'N-' || n, 0 FROM generate_series(1, 10000) n;
INSERT INTO conteos SELECT 'LAB010101AB1', gen_random_uuid(), 10000 FROM generate_series(1, 2) UNION ALL SELECT 'N-' || n, gen_random_uuid(), 0 FROM generate_series(1, 10000) n`

// What runs by the clock goes by indexes of what is due: however many Casos and
// Coincidencias there are, one batch reads about as much as it may do.
func TestPlans_sweepsReadWhatIsDue(t *testing.T) {
	db, database := pgtest.Open(t, Migrations)
	admin, err := pgx.Connect(t.Context(), database.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = admin.Close(context.Background()) }()
	execAll(t, admin, crowd)
	vacuum(t, admin)
	var casos []registros.CasoID
	err = db.InEmpresa(t.Context(), laboratorio, func(tx pgx.Tx) (err error) {
		casos, err = readCasos(t.Context(), tx, pendientes, laboratorio, uuid.Nil, forgottenRows)
		return err
	})
	if err != nil || len(casos) != forgottenRows {
		t.Fatalf("%d casos have something to tell, %v, want a full batch", len(casos), err)
	}
	var withOne []registros.CasoID
	err = admin.QueryRow(t.Context(), `SELECT array_agg(id) FROM (SELECT id FROM casos WHERE curp NOT LIKE '%00' LIMIT 2) c`).Scan(&withOne)
	if err != nil {
		t.Fatal(err)
	}
	textos := make([]string, len(casos))
	viejos := make([]string, 50)
	for n := range viejos {
		viejos[n] = "F-" + strconv.Itoa(n)
	}
	someone := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	oneRegistro := []any{laboratorio, false, uuid.New(), "K", 1, 0, []string{"F-1"}, []string{"MANY10000000000008"}, []string{"Toma de muestra"},
		[]time.Time{someone}, []string{"{}"}, [][]byte{make([]byte, 32)}}
	tests := []struct {
		name      string
		statement string
		args      []any
		indexes   []string
		most      float64 // rows of any step
	}{
		{"institutions with a search due", nextPorBuscar, []any{""}, []string{"casos_por_buscar_idx"}, 20},
		{"forgotten searches", porBuscar, []any{laboratorio, uuid.Nil, forgottenSearches}, []string{"casos_por_buscar_idx", "cargas_pkey"}, forgottenSearches},
		{"forgotten searches of one that is loading", porBuscar, []any{"LAB020202CD2", uuid.Nil, forgottenSearches}, nil, 0},
		{"casos to search again", reopened, []any{laboratorio, casos[0], int64(7)}, []string{"casos_pkey"}, 1},
		{"institutions with something pending", nextConPendientes, []any{""}, []string{"coincidencias_espera_idx", "casos_por_finalizar_idx", "casos_fin_apartado_idx"}, 20},
		{"what is pending", pendientes, []any{laboratorio, uuid.Nil, forgottenRows},
			[]string{"coincidencias_pendientes_idx", "casos_por_finalizar_idx", "casos_fin_apartado_idx"}, 2 * forgottenRows},
		{"forgotten deliveries", deliverables, []any{laboratorio, casos}, []string{"casos_pkey"}, forgottenRows},
		{"casos to purge", depurables, []any{time.Hour, purgeCasosRows}, []string{"casos_por_depurar_idx"}, purgeCasosRows},
		{"casos to lock", lockedDepurables, []any{laboratorio, casos}, nil, purgeCasosRows},
		{"registros to purge", findViejos, []any{0, purgeBlocks, someone.AddDate(-12, 0, 0)},
			[]string{"registros_persona_idx", "casos_abiertos_idx"}, 60 * purgeBlocks},
		{"purging registros", deleteViejos, []any{laboratorio, viejos, someone.AddDate(-12, 0, 0)},
			[]string{"registros_persona_idx", "casos_abiertos_idx", "registros_pkey"}, 60 * purgeBlocks},
		{"the oldest that waits", oldestPendientes, []any{mostAtrasadas}, []string{"coincidencias_espera_idx"}, mostAtrasadas},
		{"open casos", countAbiertos, nil, []string{"casos_abiertos_idx", "casos_por_finalizar_idx"}, 10_000},
		{"a person's registros", `SELECT folio` + nextOfPersona, []any{laboratorio, "MANY10000000000007", nil, int64(0), nil, searchRows},
			[]string{"registros_persona_idx"}, searchRows},
		{"a small batch", mergeFew, oneRegistro, []string{"casos_abiertos_idx"}, 2},
		{"a batch alone", mergeAlone, append(slices.Clone(oneRegistro), math.MaxInt64), []string{"casos_abiertos_idx", "registros_pkey", "conteos_pkey"}, 2},
		{"a count that is free", freeConteo, []any{laboratorio}, []string{"conteos_pkey"}, 2},
		{"what changed of a batch", findChanged, []any{laboratorio, []string{"F-1", "F-2"}, [][]byte{make([]byte, 32), make([]byte, 32)}},
			[]string{"registros_pkey"}, 2},
		{"a page of casos", pageOfCasos, append([]any{laboratorio, chunkRows}, newest...), []string{"casos_abierto_en_idx"}, chunkRows},
		{"a page of coincidencias", pageOfCoincidencias, append([]any{laboratorio, chunkRows}, newest...), []string{"coincidencias_detectada_en_idx", "casos_pkey"}, chunkRows},
		{"of whom there is no registro", findNadie, []any{laboratorio, []string{"MANY10000000000007", "X"}}, []string{"registros_persona_idx"}, 2},
		{"opening a caso", newCasos, []any{laboratorio, []uuid.UUID{uuid.New()}, []string{"R-NEW"}, []int{1}, []string{"MANY10000000000007"},
			[]string{"{}"}, []time.Time{someone}, []*time.Time{nil}, []*time.Time{nil}, []*time.Time{nil}, []time.Time{someone},
			[]int64{1}, []*time.Time{nil}, []*time.Time{nil}}, []string{"casos_reporte_key"}, 1},
		{"what an opening searched", newBusquedas, []any{laboratorio, []uuid.UUID{uuid.New()}, casos[:1], []int{1}}, nil, 1},
		{"what phase 3 compared", newComparados, []any{laboratorio, []uuid.UUID{uuid.New()}, casos[:1], []int{1}, []int{1}}, nil, 1},
		{"casos to open", casosOfReportes, []any{laboratorio, []string{"R-NEW"}, []int{1}}, []string{"casos_reporte_key"}, 2},
		{"what was told of records", toldContents, []any{laboratorio, casos[:2], []string{"F", "G-1"}}, []string{"coincidencias_registro_key"}, 2},
		{"what was told of persons", toldPersonas, []any{laboratorio, withOne[:2], registros.MaxConocidas},
			[]string{"coincidencias_basicos_key", "coincidencias_registro_key"}, 4},
		{"deliveries", lockedEntregas, []any{laboratorio, casos}, []string{"casos_pkey"}, forgottenRows},
		{"what is told next", firstPendientes, []any{laboratorio, casos, make([]int16, len(casos)), make([]uuid.UUID, len(casos))}, []string{"coincidencias_pendientes_idx"}, forgottenRows},
		{"what was told", recordCoincidencias, []any{laboratorio, casos, casos, textos, textos, "X", make([]*float64, len(casos))}, []string{"coincidencias_pkey"}, forgottenRows},
		{"ends that were told", recordFinales, []any{laboratorio, casos[:1], []string{"notificada"}, []*float64{nil}}, []string{"casos_pkey"}, forgottenRows},
		{"set aside matches that are due", wakeApartados[0], []any{laboratorio}, []string{"coincidencias_apartadas_idx"}, 1},
		{"set aside ends that are due", wakeApartados[1], []any{laboratorio}, []string{"casos_fin_apartado_idx"}, 1},
		{"a person's records", eachConservado, []any{laboratorio, "MANY10000000000007", "", nil, int64(0), chunkRows},
			[]string{"registros_persona_idx", "casos_persona_idx", "coincidencias_registro_key"}, 4},
		{"a record", eachConservado, []any{laboratorio, "", "F-7", nil, int64(0), chunkRows}, []string{"registros_pkey", "casos_persona_idx", "coincidencias_registro_key"}, 2},
		{"casos of an erasure", findConcerned, []any{laboratorio, "MANY10000000000007", []string{"F-7"}, ""},
			[]string{"casos_persona_idx", "coincidencias_folio_idx"}, 2},
		{"what phase 1 told", emptyBasicos, []any{laboratorio, []uuid.UUID{uuid.New()}, nil}, []string{"coincidencias_basicos_key"}, 2},
		{"what phases 2 and 3 told", emptyEventos, []any{laboratorio, []uuid.UUID{uuid.New()}, []uuid.UUID{uuid.New()}, []string{"F"}, nil},
			[]string{"coincidencias_registro_key"}, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pgtest.Explain(t, db, laboratorio, tt.statement, tt.args...).Check(t, tt.most, tt.indexes, "revisiones")
		})
	}
	for _, n := range pgtest.Explain(t, db, laboratorio, countAbiertos) {
		if n.Index != "" && n.Type != "Index Only Scan" {
			t.Errorf("%s of %s to count casos", n.Type, n.Index)
		}
	}
}

// An institution's first records are searched, and their matches told, before PostgreSQL has counted them.
func TestPlans_coincidenciasOfFreshTables(t *testing.T) {
	db, database := pgtest.Open(t, Migrations)
	admin, err := pgx.Connect(t.Context(), database.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = admin.Close(context.Background()) }()
	execAll(t, admin, `ALTER TABLE registros SET (autovacuum_enabled = off)`, `ALTER TABLE coincidencias SET (autovacuum_enabled = off)`, crowd)
	const told = 100
	var ofCasos, coincidencias []uuid.UUID
	err = admin.QueryRow(t.Context(), `SELECT array_agg(caso_id), array_agg(id) FROM (SELECT * FROM coincidencias LIMIT $1) c`, told).
		Scan(&ofCasos, &coincidencias)
	if err != nil {
		t.Fatal(err)
	}
	estados, detalles := slices.Repeat([]string{"notificada"}, told), make([]string, told)
	pgtest.Explain(t, db, laboratorio, recordCoincidencias, laboratorio, ofCasos, coincidencias, estados, detalles, "X", make([]*float64, told)).
		Check(t, told, []string{"coincidencias_pkey"}, "")
	caso := ofCasos[0]
	ids, casos, folios := make([]uuid.UUID, searchRows), make([]uuid.UUID, searchRows), make([]string, searchRows)
	for i := range searchRows {
		ids[i], casos[i], folios[i] = pg.NewID(), caso, "F-"+strconv.Itoa(i+1)
	}
	ofKey := func(indexes ...string) map[string][]string { return map[string][]string{"coincidencias": indexes} }
	pgtest.WantIndexes(t, db, laboratorio, ofKey("coincidencias_registro_key"), toldContents, laboratorio, casos, folios)
	pgtest.WantIndexes(t, db, laboratorio, ofKey("coincidencias_registro_key", "coincidencias_basicos_key"), toldPersonas, laboratorio, ofCasos[:2], registros.MaxConocidas)
	for _, n := range pgtest.Explain(t, db, laboratorio, openCoincidencias, laboratorio, 2, ids, casos, folios, slices.Repeat([]int64{math.MaxInt64}, searchRows)) {
		if n.Relation == "registros" && (n.Index != "registros_pkey" || n.Read() > searchRows) {
			t.Errorf("%s of %s %s read %.0f rows, more than %d", n.Type, n.Relation, n.Index, n.Read(), searchRows)
		}
	}
}

// A connection keeps the plan that it made of an empty table, so a look-up has but one: along its key.
func TestPlans_ofEmptyTables(t *testing.T) {
	t.Parallel()
	db, _ := pgtest.Open(t, Migrations)
	ids, one, day := []uuid.UUID{uuid.New()}, []string{"X"}, []time.Time{time.Now()}
	huellas := [][]byte{make([]byte, 32)}
	ofPersona := []string{"casos_abiertos_idx", "casos_persona_idx"} // which have few closed ones more
	batch := []any{laboratorio, false, uuid.New(), "K", 1, 0, one, one, one, day, []string{"{}"}, huellas}
	tests := []struct {
		name      string
		indexes   map[string][]string
		statement string
		args      []any
	}{
		{"what changed of a batch", map[string][]string{"registros": {"registros_pkey"}}, findChanged, []any{laboratorio, one, huellas}},
		{"a small batch", map[string][]string{"casos": ofPersona}, mergeFew, batch},
		{"a batch alone", map[string][]string{"registros": {"registros_pkey"}, "casos": ofPersona}, mergeAlone, append(slices.Clone(batch), math.MaxInt64)},
		{"casos of persons", map[string][]string{"casos": ofPersona}, casosOfPersonas, []any{laboratorio, one}},
		{"ids", map[string][]string{"registros": {"registros_pkey"}}, idsOf, []any{laboratorio, one}},
		{"matches", map[string][]string{"registros": {"registros_pkey"}}, openCoincidencias, []any{laboratorio, 3, ids, ids, one, []int64{1}}},
		{"what was told of records", map[string][]string{"coincidencias": {"coincidencias_registro_key"}}, toldContents, []any{laboratorio, ids, one}},
		{"what was told of persons", map[string][]string{"coincidencias": {"coincidencias_registro_key", "coincidencias_basicos_key"}}, toldPersonas,
			[]any{laboratorio, ids, registros.MaxConocidas}},
		{"open casos", map[string][]string{"casos": {"casos_pkey"}}, lockedAbiertos, []any{laboratorio, ids}},
		{"of whom there is no registro", map[string][]string{"registros": {"registros_persona_idx"}}, findNadie, []any{laboratorio, one}},
		{"a person's registros", map[string][]string{"registros": {"registros_persona_idx"}}, `SELECT folio` + nextOfPersona,
			[]any{laboratorio, "X", nil, int64(0), nil, searchRows}},
		{"casos to open", map[string][]string{"casos": {"casos_reporte_key"}}, casosOfReportes, []any{laboratorio, one, []int{1}}},
		{"deliveries", map[string][]string{"casos": {"casos_pkey"}}, lockedEntregas, []any{laboratorio, ids}},
		{"forgotten deliveries", map[string][]string{"casos": {"casos_pkey"}}, deliverables, []any{laboratorio, ids}},
		{"what is told next", map[string][]string{"coincidencias": {"coincidencias_pendientes_idx"}}, firstPendientes,
			[]any{laboratorio, ids, []int16{0}, ids}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pgtest.WantIndexes(t, db, laboratorio, tt.indexes, tt.statement, tt.args...)
		})
	}
}

// vacuum goes on until all Casos are known to be visible to everybody: a passing snapshot of
// somebody else keeps some from being so, and the planner from indexes alone.
func vacuum(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	for hidden := true; hidden; {
		execAll(t, conn, `VACUUM ANALYZE`)
		err := conn.QueryRow(t.Context(), `SELECT relallvisible < relpages FROM pg_class WHERE relname = 'casos'`).Scan(&hidden)
		if err != nil {
			t.Fatal(err)
		}
	}
}

func execAll(t *testing.T, conn *pgx.Conn, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		_, err := conn.Exec(t.Context(), statement)
		if err != nil {
			t.Fatal(err)
		}
	}
}
