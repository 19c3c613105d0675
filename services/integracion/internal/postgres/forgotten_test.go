package postgres

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/jobs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// withReportes gives each institution many Reportes, of which one in ten is active, and as
// many Avisos and eventos.
func withReportes(t *testing.T, store *Store, each int) {
	t.Helper()
	const day = 24 * time.Hour
	now := time.Now()
	baja := now.Add(-300 * day)
	for _, empresa := range []tenant.EmpresaID{empresaA, empresaB} {
		var ids []uuid.UUID
		var textos, estados []string
		var bajas []*time.Time
		var recibidos []time.Time
		for n := 1; n <= each; n++ {
			ids, textos = append(ids, uuid.New()), append(textos, reporteOf(n))
			recibidos = append(recibidos, now.Add(-400*day*time.Duration(n)/time.Duration(each)))
			if n%10 == 0 {
				estados, bajas = append(estados, "activo"), append(bajas, nil)
			} else {
				estados, bajas = append(estados, "desactivado"), append(bajas, &baja)
			}
		}
		var batch pgx.Batch
		batch.Queue(`
			INSERT INTO reportes (empresa_id, ciclo, persona, curp, activado_en, id, reporte_id, estado, desactivado_en)
			VALUES ($1, 1, '{}', $2, $3, unnest($4::uuid[]), unnest($5::text[]), unnest($6::text[]), unnest($7::timestamptz[]))`,
			string(empresa), curp, now.Add(-400*day), ids, textos, estados, bajas)
		batch.Queue(`
			INSERT INTO avisos (empresa_id, tipo, curp, id, reporte_id, recibido_en)
			VALUES ($1, 'activacion', $2, unnest($3::uuid[]), unnest($4::text[]), unnest($5::timestamptz[]))`,
			string(empresa), curp, ids, textos, recibidos)
		batch.Queue(`
			INSERT INTO eventos (empresa_id, huella, id, recibido_en)
			VALUES ($1, $2, unnest($3::text[]), unnest($4::timestamptz[]))`,
			string(empresa), make([]byte, 32), textos, recibidos)
		must(t, store.db.InEmpresa(t.Context(), empresa, func(tx pgx.Tx) error { return tx.SendBatch(t.Context(), &batch).Close() }))
	}
	_, err := store.db.Pool().Exec(t.Context(), `ANALYZE`)
	must(t, err)
}

func TestStore_PageOfReportes_comesByAllOnce(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	const each = reportesPage + 10
	withReportes(t, store, each)
	seen := map[ReporteKey]bool{}
	vigentes := 0
	var from ReporteKey
	for last := false; !last; {
		var page []Visto
		var err error
		page, last, err = store.PageOfReportes(t.Context(), from)
		must(t, err)
		if len(page) > reportesPage {
			t.Errorf("a page of %d", len(page))
		}
		for _, v := range page {
			seen[v.ReporteKey] = true
			from = v.ReporteKey
			if v.Vigente {
				vigentes++
			}
		}
	}
	if len(seen) != 2*each || vigentes != 2*each/10 {
		t.Errorf("came by %d, %d of them active; want %d and %d", len(seen), vigentes, 2*each, 2*each/10)
	}
}

// What ended lately is told again; what ended long ago only when an operator asks for it.
func TestStore_EnqueueReportes(t *testing.T) {
	t.Parallel()
	store, asked := newStore(t)
	for n := range 3 { // active, ended lately, ended long ago
		saveActivo(t, store, n)
	}
	for n := 1; n < 3; n++ {
		_, err := store.SaveDesactivacion(t.Context(), empresaA, idNumber(n))
		must(t, err)
	}
	must(t, store.db.InEmpresa(t.Context(), empresaA, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `UPDATE reportes SET desactivado_en = now() - interval '30 days' WHERE reporte_id = $1`, idNumber(2))
		return err
	}))
	page, last, err := store.PageOfReportes(t.Context(), ReporteKey{})
	must(t, err)
	vigentes := 0
	for _, v := range page {
		if v.Vigente {
			vigentes++
		}
	}
	if len(page) != 3 || !last || vigentes != 2 {
		t.Errorf("page %+v, last %v; want three, two of them to be told again by the clock", page, last)
	}
	before := asked.len()
	count, err := store.EnqueueReportes(t.Context())
	must(t, err)
	if got := asked.len() - before; got != 3 || count != 3 {
		t.Errorf("%d told again for an operator, who is told %d; want 3", got, count)
	}
}

func TestStore_EnqueueReportes_manyAtOnce(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	const each = reportesPage + 10
	withReportes(t, store, each)
	client, err := jobs.NewClient(store.db, jobs.Config{})
	must(t, err)
	store.queue = &RiverQueue{Client: client}
	count, err := store.EnqueueReportes(t.Context())
	must(t, err)
	var enqueued, distinct, most int
	must(t, store.db.Pool().QueryRow(t.Context(),
		`SELECT count(*), count(DISTINCT r->>'fila'), max(jsonb_array_length(args->'reportes')) FROM river_job, jsonb_array_elements(args->'reportes') r WHERE kind = 'sync_casos'`).Scan(&enqueued, &distinct, &most))
	if count != 2*each || enqueued != 2*each || distinct != 2*each || most != syncMost {
		t.Errorf("%d told of, %d in jobs, of %d reportes, at most %d a job; want %d, at most %d", count, enqueued, distinct, most, 2*each, syncMost)
	}
}

// A sweep never reads a table from its beginning, nor sorts all of it.
func TestSweeps_readByIndex(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	withReportes(t, store, 20_000)
	middle := time.Now().Add(-350 * 24 * time.Hour)
	for index, query := range map[string]struct {
		sql  string
		args []any
	}{
		"reportes_pkey":            {selectReportes, []any{string(empresaB), uuid.Nil, reportesPage}},
		"reportes_por_depurar_idx": {dueReportes, []any{90 * 24 * time.Hour, purgeBatch}},
		"avisos_por_depurar_idx":   {selectAvisos, []any{90 * 24 * time.Hour, middle, string(empresaA), uuid.Nil, purgeBatch}},
		"eventos_recibido_idx":     {dueEventos, []any{30 * 24 * time.Hour, purgeBatch}},
	} {
		plan := explain(t, store, query.sql, query.args...)
		if !strings.Contains(plan, "using "+index) || strings.Contains(plan, "Seq Scan on") {
			t.Errorf("%s is not what is read:\n%s", index, plan)
		}
		if strings.Contains(plan, "Sort") && !strings.Contains(plan, "Incremental Sort") {
			t.Errorf("everything is sorted:\n%s", plan)
		}
	}
}

// explain gives the plan of a statement for the application's role; in a cluster that of a
// worker, of which the coordinator sorts what each found.
func explain(t *testing.T, store *Store, sql string, args ...any) string {
	t.Helper()
	var plan []string
	must(t, store.sweep(t.Context(), func(tx pgx.Tx) error {
		rows, err := tx.Query(t.Context(), `EXPLAIN `+sql, args...)
		must(t, err)
		plan, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	}))
	text := strings.Join(plan, "\n")
	_, part, clustered := strings.Cut(text, "Task Count")
	if clustered {
		return part
	}
	return text
}
