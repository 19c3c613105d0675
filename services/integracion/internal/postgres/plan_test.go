package postgres

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/pgtest"
)

// crowd is 2,000 institutions, each with a key, and another one with 20,000 Reportes, of which
// one in ten is active and has an Envío under way, and as many Avisos and eventos. Rows of one
// number belong together; see rowID.
const crowd = `
INSERT INTO empresas (id, nombre, institucion_id, clave_entrada)
SELECT id, id, id, sha256(id::bytea)
FROM (SELECT 'MUC010101' || lpad(upper(to_hex(n)), 3, '0') AS id FROM generate_series(1, 2000) n) e;
INSERT INTO empresas (id, nombre, institucion_id) VALUES ('LAB010101AB1', 'X', 'LAB010101AB1');
INSERT INTO api_keys (empresa_id, key_id, nombre, ambitos, prefijo, secreto_sha256)
SELECT id, 'KEY0' || id, 'X', '{cliente}', 'X', clave_entrada FROM empresas WHERE clave_entrada IS NOT NULL;
INSERT INTO revisiones SELECT id, 1, gen_random_uuid() FROM empresas;
CREATE TEMPORARY TABLE numbers AS
SELECT n, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid AS id, lpad(n::text, 36, '0') AS text, n % 10 = 0 AS open
FROM generate_series(1, 20000) n;
INSERT INTO reportes (empresa_id, id, reporte_id, ciclo, curp, persona, estado, desactivado_en, curp_huella)
SELECT 'LAB010101AB1', id, text, 1, 'MANY10000000000007', '{}', CASE WHEN open THEN 'activo' ELSE 'desactivado' END,
	CASE WHEN NOT open THEN now() END, sha256(text::bytea)
FROM numbers;
INSERT INTO envios (empresa_id, id, reporte_fila, tipo, clave, fase, estado, intentos, ocupado_hasta, decidido_en)
SELECT 'LAB010101AB1', id, id, 'coincidencia', text, '3', CASE WHEN open THEN 'pendiente' ELSE 'aceptado' END, 1,
	CASE WHEN open THEN now() + interval '1 hour' END, CASE WHEN NOT open THEN now() END
FROM numbers;
INSERT INTO envio_intentos (empresa_id, envio_id, numero, terminado_en, motivo)
SELECT empresa_id, id, 1, decidido_en, CASE WHEN decidido_en IS NOT NULL THEN 'aceptado' END FROM envios;
INSERT INTO avisos (empresa_id, id, reporte_id, tipo, curp, recibido_en)
SELECT 'LAB010101AB1', id, text, CASE WHEN open THEN 'activacion_prueba' ELSE 'activacion' END, 'MANY10000000000007', now()
FROM numbers;
INSERT INTO reportes_sin_abrir (empresa_id, huella, origen, reporte_id, defectos, ocurrido_en, revisado_en)
SELECT 'LAB010101AB1', sha256(text::bytea), 'activacion', text, '{}', now() - n * interval '1 second', CASE WHEN NOT open THEN now() END FROM numbers;
INSERT INTO eventos (empresa_id, id, huella) SELECT 'LAB010101AB1', text, sha256(text::bytea) FROM numbers;
INSERT INTO usuarios (usuario, clave) SELECT 'operador-' || n, '$argon2id$x' FROM numbers;
INSERT INTO usuario_recuperaciones (usuario, huella) SELECT 'operador-' || n, sha256(text::bytea) FROM numbers;
INSERT INTO tokens_anulados (token) SELECT text FROM numbers;
INSERT INTO bitacora (empresa_id, id, ocurrido_en, tipo, accion, actor, recurso, encolado)
SELECT '-', id, now() - n * interval '10 seconds', 'cambio', CASE WHEN n % 5000 = 0 THEN 'usuario_clave' ELSE 'login' END, 'X', text, true FROM numbers`

// rowID is the id of the rows of a number, as reporteOf is the Reporte's and the clave of its Envío.
func rowID(n int) uuid.UUID {
	return uuid.MustParse(fmt.Sprintf("00000000-0000-7000-8000-%012x", n))
}

func reporteOf(n int) string {
	return fmt.Sprintf("%036d", n)
}

// together are rows that are asked for at the same time, in columns.
type together struct {
	ids                                        []uuid.UUID
	textos, tipos, fases, estados, motivos, no []string
	unos, statuses                             []int
	segundos                                   []float64
}

func newTogether(size int) (c together) {
	for k := 1; k <= size; k++ {
		c.ids, c.textos = append(c.ids, rowID(k*200)), append(c.textos, reporteOf(k*200))
		c.tipos, c.fases = append(c.tipos, string(entregas.EnvioCoincidencia)), append(c.fases, "3")
		c.estados, c.motivos, c.no = append(c.estados, string(entregas.EnvioPendiente)), append(c.motivos, "X"), append(c.no, "")
		c.unos, c.statuses, c.segundos = append(c.unos, 1), append(c.statuses, 500), append(c.segundos, 1)
	}
	return c
}

// What each activation, delivery, login and look at a list runs goes by indexes, however much an
// institution has and however many there are.
func TestPlans_whatRunsOftenReadsWhatItNames(t *testing.T) {
	t.Parallel()
	db, database := pgtest.Open(t, Migrations)
	withCrowd(t, database, crowd, `ANALYZE`)
	for _, often := range slices.Concat(whatRunsOften(), lists) {
		often.check(t, db)
	}
}

// The same before PostgreSQL has counted the rows: a new institution's platform may activate a
// hundred thousand reports at once, and an upgrade of PostgreSQL forgets what was counted.
func TestPlans_whatRunsOftenInTablesThatWereNeverCounted(t *testing.T) {
	t.Parallel()
	db, database := pgtest.Open(t, Migrations)
	withCrowd(t, database, pgtest.Uncounted, crowd)
	for _, often := range whatRunsOften() {
		often.check(t, db)
	}
}

// A connection keeps the plan that it made of an empty table, so a look-up has but one: along its key.
func TestPlans_ofEmptyTables(t *testing.T) {
	t.Parallel()
	db, _ := pgtest.Open(t, Migrations)
	c, a := newTogether(1), string(empresaA)
	tests := []struct {
		name      string
		indexes   map[string][]string
		statement string
		args      []any
	}{
		{"Reportes", map[string][]string{"reportes": {"reportes_pkey"}}, reportesByFila, []any{a, c.ids}},
		{"Reportes of attempts", map[string][]string{"reportes": {"reportes_ciclo_key"}}, lockedReportes, []any{a, c.textos, c.unos, entregas.AnswerMargin}},
		{"Reportes that are listed", map[string][]string{"reportes": {"reportes_ciclo_key"}}, selectUltimos, []any{a, c.textos}},
		{"Envíos of attempts", map[string][]string{"envios": {"envios_clave_key"}}, lockedEnvios, []any{a, c.tipos, c.textos}},
		{"attempts", map[string][]string{"envios": {"envios_pkey"}}, newIntentos, []any{a, c.ids}},
		{"whom attempts were about", map[string][]string{"reportes": {"reportes_pkey"}}, endAttempts, []any{a, c.ids, c.unos, c.ids, c.statuses, c.motivos}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pgtest.WantIndexes(t, db, empresaA, tt.indexes, tt.statement, tt.args...)
		})
	}
}

// planned is a statement, and what its plan has to be.
type planned struct {
	name      string
	statement string
	args      []any
	indexes   []string
	most      float64 // rows of any step
}

func (p planned) check(t *testing.T, db *pg.DB) {
	t.Run(p.name, func(t *testing.T) {
		pgtest.Explain(t, db, empresaA, p.statement, p.args...).Check(t, p.most, p.indexes, "")
	})
}

// lists are read in one go by who waits for them, so that their plans may rest on what was counted.
var lists = []planned{
	{"the list", newestAvisos, []any{string(empresaA), reportes.MaxAvisos, reportes.MaxAvisosPrueba},
		[]string{"avisos_pruebas_idx", "avisos_reales_idx"}, reportes.MaxAvisos + reportes.MaxAvisosPrueba},
	{"what was reset", listRestablecido, []any{"-", cuentas.RestablecimientoVisible, "", 100}, []string{"bitacora_restablecimientos_idx"}, 4},
	{"what opened no search", reviewSinAbrir, []any{string(empresaA), 50}, []string{"reportes_sin_abrir_pendientes_idx", "reportes_sin_abrir_pkey"}, 50},
}

func whatRunsOften() []planned {
	const size = 100 // as many as [pg.Together] does at once
	c := newTogether(size)
	a := string(empresaA)
	clave := make([]byte, 32)
	return []planned{
		{"the newest cycle", newestCycle, []any{a, reporteOf(410)}, []string{"reportes_ciclo_key"}, 1},
		{"a Reporte that is completed", completedReporte, []any{a, rowID(410), nil, "{}"}, []string{"reportes_pkey"}, 1},
		{"the list has changed", nextRevision, []any{a}, []string{"revisiones_pkey"}, 1},
		// By reportes_activo_key or reportes_comparables_idx, which are as good.
		{"a search that ends", endActive, []any{a, reporteOf(430)}, nil, 1},
		{"its cycles", cyclesOf, []any{a, reporteOf(430)}, []string{"reportes_ciclo_key"}, 1},
		{"what was still to be sent", cancelEnvios, []any{a, rowID(430)}, []string{"envios_reporte_idx"}, 1},
		{"what is being sent", anySending, []any{a, []uuid.UUID{rowID(430)}}, []string{"envios_reporte_idx"}, 1},
		{"whether a search goes on", isActive, []any{a, rowID(430)}, []string{"reportes_pkey"}, 1},
		{"Reportes", reportesByFila, []any{a, c.ids}, []string{"reportes_pkey"}, size},
		{"Reportes of attempts", lockedReportes, []any{a, c.textos, c.unos, entregas.AnswerMargin}, []string{"reportes_ciclo_key"}, size},
		{"Envíos of attempts", lockedEnvios, []any{a, c.tipos, c.textos}, []string{"envios_clave_key"}, size},
		{"how an institution calls", salidaOf, []any{a}, []string{"empresas_pkey"}, 1},
		{"first attempts", newEnvios, []any{a, time.Minute, []uuid.UUID{uuid.New()}, c.ids[:1], c.tipos[:1], []string{"NEW"}, c.fases[:1]},
			[]string{"envios_clave_key"}, 1},
		{"ends of attempts", endAttempts, []any{a, c.ids, c.unos, c.ids, c.statuses, c.motivos},
			[]string{"envio_intentos_pkey", "reportes_pkey"}, size},
		{"what they make of Envíos", endEnvios, []any{a, c.ids, c.unos, c.estados, c.segundos, c.statuses, c.motivos, c.no, make([]bool, size)},
			[]string{"envios_pkey"}, size},
		{"what was answered before", answersOf, []any{a, c.ids[0], entregas.MotivoAcceso}, []string{"envio_intentos_pkey"}, 2},
		{"stuck Envíos that are due", wakeEnvios, []any{a}, []string{"envios_atascados_idx"}, 1},
		{"Envíos that were decided otherwise", freeEnvios, []any{a, c.ids, c.unos}, []string{"envios_pkey"}, size},
		{"further attempts", againEnvios, []any{a, time.Minute, c.ids}, []string{"envios_pkey"}, size},
		{"attempts", newIntentos, []any{a, c.ids}, []string{"envios_pkey"}, size},
		{"the list's revision", revisionOf, []any{a}, []string{"revisiones_pkey"}, 1},
		{"a key", apiKeyByID, []any{"KEY0MUC010101007"}, []string{"api_keys_key_id_key", "empresas_pkey"}, 1},
		{"a key that was used", touchApiKey, []any{a, "KEY0MUC010101007", cuentas.UsoEvery}, []string{"api_keys_key_id_key"}, 1},
		{"an operator's token", usuarioDeToken, []any{"operador-7", "OTHER"}, []string{"tokens_anulados_pkey", "usuario_recuperaciones_pkey", "usuarios_pkey"}, 1},
		{"an institution", empresaByID, []any{a}, []string{"empresas_pkey"}, 1},
		{"a login by clave", empresaByClave, []any{clave}, []string{"empresas_clave_entrada_key"}, 1},
		{"a refused activation", refusedSinAbrir, []any{a, clave, "activacion", reporteOf(7), []string{}}, []string{"reportes_sin_abrir_pkey"}, 1},
		{"an entry that opens no search", listedSinAbrir, []any{a, clave, "listado", reporteOf(7), []string{}}, []string{"reportes_sin_abrir_pkey"}, 1},
		{"an event", eventoByID, []any{a, reporteOf(7)}, []string{"eventos_pkey"}, 1},
		{"a new event", insertEvento, []any{a, "NEW", clave}, []string{"eventos_pkey"}, 1},
	}
}

// withCrowd is the superuser's, as only who owns a table may count it.
func withCrowd(t *testing.T, database pgtest.Database, statements ...string) {
	t.Helper()
	admin, err := pgx.Connect(t.Context(), database.AdminURL)
	must(t, err)
	defer func() { must(t, admin.Close(context.Background())) }()
	for _, statement := range statements {
		_, err = admin.Exec(t.Context(), statement)
		must(t, err)
	}
}
