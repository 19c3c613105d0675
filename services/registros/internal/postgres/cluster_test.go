//go:build citus

package postgres

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/pgtest"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// hot are the statements of an institution, one for each that a call or a job makes over and over.
func hot() map[string][]any {
	day, id := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC), uuid.New()
	ids, one := []uuid.UUID{id}, []string{"F-1"}
	return map[string][]any{
		newRegistros:        {laboratorio, one, []int64{1}, []string{"MANY10000000000008"}, one, []time.Time{day}, []string{"{}"}, [][]byte{make([]byte, 32)}, []int64{1}},
		casosOfPersonas:     {laboratorio, one},
		newLote:             {laboratorio, id, "K", 1, 0, 1, 0},
		sumConteos:          {laboratorio},
		freeConteo:          {laboratorio},
		addConteo:           {laboratorio, id, 1},
		idsOf:               {laboratorio, one},
		findChanged:         {laboratorio, one, [][]byte{make([]byte, 32)}},
		pageOfCasos:         {laboratorio, newest, chunkRows},
		pageOfCoincidencias: {laboratorio, newest, chunkRows},
		findNadie:           {laboratorio, one},
		newCasos: {laboratorio, ids, one, []int{1}, []string{"MANY10000000000007"}, []string{"{}"}, []time.Time{day}, []*time.Time{nil},
			[]*time.Time{nil}, []*time.Time{nil}, []time.Time{day}, []int64{1}, []*time.Time{nil}, []*time.Time{nil}},
		nextRevision:                   {laboratorio},
		newBusquedas:                   {laboratorio, ids, ids, []int{1}},
		casosOfReportes:                {laboratorio, one, []int{1}},
		lockedEntregas:                 {laboratorio, ids},
		firstPendientes:                {laboratorio, ids, []int16{0}, ids},
		recordCoincidencias:            {laboratorio, ids, ids, one, one, "X", []*float64{nil}},
		recordFinales:                  {laboratorio, ids, []string{"notificada"}, []*float64{nil}},
		wakeApartados[0]:               {laboratorio},
		wakeApartados[1]:               {laboratorio},
		openCoincidencias:              {laboratorio, 2, ids, ids, one, []int64{1}},
		toldContents:                   {laboratorio, ids, one},
		toldPersonas:                   {laboratorio, ids, registros.MaxConocidas},
		`SELECT folio` + nextOfPersona: {laboratorio, "MANY10000000000007", nil, int64(0), nil, searchRows},
		eachConservado:                 {laboratorio, "MANY10000000000007", "", nil, int64(0), chunkRows},
		findConcerned:                  {laboratorio, "MANY10000000000007", one, ""},
		emptyBasicos:                   {laboratorio, ids},
		emptyEventos:                   {laboratorio, ids, ids, one},
		listCifras:                     {laboratorio, day, day, id},
		pendientes:                     {laboratorio, id, forgottenRows},
		porBuscar:                      {laboratorio, id, forgottenSearches},
		porRebuscar:                    {laboratorio, id, int64(7), empresaRows},
		reopened:                       {laboratorio, id, int64(7)},
		cargaTerminada:                 {laboratorio},
		endCarga:                       {laboratorio, int64(7)},
		deliverables:                   {laboratorio, ids},
		lockedDepurables:               {laboratorio, ids},
		deleteViejos:                   {laboratorio, one, day},
		deleteLotes:                    {laboratorio, ids},
	}
}

// What is done for one institution goes to the one worker that has it, however many there are and
// whether or not the others answer.
func TestPlans_ofOneInstitutionGoToOneWorker(t *testing.T) {
	db, database := pgtest.Open(t, Migrations)
	database.LoseOthers(t, laboratorio)
	for statement, args := range hot() {
		t.Run("", func(t *testing.T) {
			pgtest.WantOneWorker(t, db, laboratorio, statement, args...)
			pgtest.WantWithoutOthers(t, db, laboratorio, statement, args...)
		})
	}
}

// Distribute may be repeated, and Gather brings every row back under the policies that were there.
func TestGather(t *testing.T) {
	db, database := pgtest.Open(t, Migrations)
	err := db.InEmpresa(t.Context(), laboratorio, func(tx pgx.Tx) error {
		return bumpRevision(t.Context(), tx, laboratorio)
	})
	if err != nil {
		t.Fatal(err)
	}
	// The numbers that order the writes of all are given out in one place: a worker's own are beyond 2^48.
	store := NewStore(db, nil)
	for n := range 3 {
		r := registros.Registro{Folio: registros.Folio(strconv.Itoa(n)), TipoEvento: "T", FechaEvento: manual.FechaUTC(time.Now()), Persona: manual.Persona{CURP: "MANY10000000000007"}}
		_, err = store.SaveLote(t.Context(), laboratorio, registros.LoteRecibido{}, []registros.RegistroValido{{Registro: r}})
		if err != nil {
			t.Fatal(err)
		}
	}
	var id, revision int64
	err = db.InEmpresa(t.Context(), laboratorio, func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `SELECT max(id), max(revision) FROM registros WHERE empresa_id = $1`, laboratorio).Scan(&id, &revision)
	})
	if err != nil || id != 3 || revision != 3 {
		t.Errorf("the last of three has id %d and revision %d, %v", id, revision, err)
	}
	pgtest.ThereAndBack(t, database, Migrations, 9, func(step string) {
		for empresa, want := range map[string]int{laboratorio: 1, "LAB020202CD2": 0} {
			var seen int
			err = db.InEmpresa(t.Context(), tenant.EmpresaID(empresa), func(tx pgx.Tx) error {
				return tx.QueryRow(t.Context(), `SELECT count(*) FROM revisiones`).Scan(&seen)
			})
			if err != nil || seen != want {
				t.Fatalf("%s: %s sees %d rows, %v, want %d", step, empresa, seen, err, want)
			}
		}
	})
}

// Row-level security does not hold the owner of what is spread, so a program is not let in as one.
func TestOpen_refusesTheOwnerOfACluster(t *testing.T) {
	database := pgtest.New(t, Migrations)
	refused := func() bool {
		db, err := pg.Open(t.Context(), pg.Config{URL: database.OwnerURL})
		if err == nil {
			db.Close()
		}
		return err != nil
	}
	if !refused() {
		t.Error("the owner is let into a cluster")
	}
	_, err := pg.Gather(t.Context(), database.OwnerURL)
	if err != nil || refused() {
		t.Errorf("the owner, whom row-level security holds, is refused on one server, %v", err)
	}
}

// A role that is harmless at the coordinator may have been made otherwise at a worker.
func TestDistribute_refusesARoleThatSeesAllAtAWorker(t *testing.T) {
	database := pgtest.New(t, Migrations)
	const role = "enlace_test_worker"
	run := func(node, statements string) {
		t.Helper()
		conn, err := pgx.Connect(t.Context(), node)
		if err != nil {
			t.Fatal(err)
		}
		_, err = conn.PgConn().Exec(t.Context(), statements).ReadAll()
		if err != nil {
			t.Errorf("%s: %v", statements, err)
		}
		_ = conn.Close(t.Context())
	}
	worker := strings.Fields(os.Getenv("TEST_CITUS_WORKERS"))[0]
	run(database.AdminURL, `CREATE ROLE `+role+` LOGIN IN ROLE enlace_app`)
	defer run(database.AdminURL, `DROP ROLE `+role)
	for attribute, refused := range map[string]bool{"LOGIN": false, "BYPASSRLS": true, "SUPERUSER": true} {
		run(worker, `SET citus.enable_ddl_propagation = off; ALTER ROLE `+role+` NOSUPERUSER NOBYPASSRLS; ALTER ROLE `+role+` `+attribute)
		_, err := pg.Distribute(t.Context(), database.OwnerURL, Migrations)
		if (err != nil && strings.Contains(err.Error(), role)) != refused {
			t.Errorf("with %q: %v", attribute, err)
		}
	}
}
