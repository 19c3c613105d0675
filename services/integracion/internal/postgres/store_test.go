package postgres

import (
	"context"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/pgtest"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

const (
	empresaA tenant.EmpresaID = "LAB010101AB1"
	empresaB tenant.EmpresaID = "LAB020202CD2"

	reporteID = "A1B2C3D4E5F6-550e8400-e29b-41d4-a716-446655440000"
	curp      = "TEST010101HDFABC01"
)

// queue remembers what was enqueued by transactions that committed or not.
type queue struct {
	mu       sync.Mutex
	filas    []uuid.UUID
	sinCarga []tenant.EmpresaID
}

func (q *queue) SyncCasos(_ context.Context, _ pgx.Tx, syncs []Sync) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, sync := range syncs {
		q.filas = append(q.filas, sync.Fila)
	}
	return nil
}

func (q *queue) FinishCargas(_ context.Context, _ pgx.Tx, empresas []tenant.EmpresaID) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.sinCarga = append(q.sinCarga, empresas...)
	return nil
}

func (q *queue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.filas)
}

// newStore gives a store with two institutions.
func newStore(t *testing.T) (*Store, *queue) {
	t.Helper()
	store, q, _ := newStoreIn(t)
	return store, q
}

// newStoreIn gives its database too.
func newStoreIn(t *testing.T) (*Store, *queue, pgtest.Database) {
	t.Helper()
	db, database := pgtest.Open(t, Migrations)
	q := &queue{}
	store := NewStore(db, q, huellas)
	for _, id := range []tenant.EmpresaID{empresaA, empresaB} {
		_, err := createEmpresa(t, store, cuentas.Empresa{ID: id, Nombre: "LABORATORIO", InstitucionID: string(id)})
		if err != nil {
			t.Fatal(err)
		}
	}
	return store, q, database
}

func solicitud(change func(*reportes.Solicitud)) reportes.Solicitud {
	s := reportes.Solicitud{ReporteID: reporteID, Persona: manual.Persona{CURP: curp}}
	if change != nil {
		change(&s)
	}
	return s
}

func wantMotivo(t *testing.T, err error, want errores.Motivo) {
	t.Helper()
	if !errs.Is(err, want) {
		t.Errorf("error = %v, want %v", err, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// tables is every table that belongs to institutions.
var tables = []string{"empresas", "api_keys", "reportes", "reportes_sin_abrir", "avisos", "revisiones", "envios", "envio_intentos"}

// fill gives an institution a row in every table.
func fill(t *testing.T, store *Store, id tenant.EmpresaID) {
	t.Helper()
	_, err := store.CreateApiKey(t.Context(), cuentas.ApiKey{
		KeyID: string(id) + "0000000", EmpresaID: id, Nombre: "n", Prefijo: "p", Ambitos: []auth.Ambito{auth.AmbitoCliente},
	})
	must(t, err)
	_, err = store.SaveActivacion(t.Context(), id, solicitud(nil))
	must(t, err)
	must(t, store.SaveSinAbrir(t.Context(), id, []reportes.SinAbrir{{Origen: reportes.SinAbrirListado, Referencia: "x"}}))
	_, err = store.SetSalida(t.Context(), id, "https://pui.example.mx", cuentas.Sellado{Llave: "k", Datos: []byte("x")})
	must(t, err)
	passTime(t, store, entregas.AnswerMargin)
	inicio, err := store.BeginIntento(t.Context(), anEnvio(id, "c1"), minute, true)
	must(t, err)
	if inicio.Bloqueo != entregas.SinBloqueo {
		t.Fatalf("attempt blocked: %v", inicio.Bloqueo)
	}
}

// TestRowLevelSecurity proves that a query which forgets the institution finds nothing of
// another, and nothing at all outside of an institution's transaction.
func TestRowLevelSecurity(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	fill(t, store, empresaA)
	count := func(tx pgx.Tx, table string) int {
		var n int
		must(t, tx.QueryRow(t.Context(), `SELECT count(*) FROM `+table).Scan(&n))
		return n
	}
	for _, table := range tables {
		must(t, store.db.InEmpresa(t.Context(), empresaA, func(tx pgx.Tx) error {
			if got := count(tx, table); got != 1 {
				t.Errorf("%s: the institution sees %d rows of its own, want 1", table, got)
			}
			return nil
		}))
		must(t, store.db.InEmpresa(t.Context(), "NADA010101AB1", func(tx pgx.Tx) error {
			if got := count(tx, table); got != 0 {
				t.Errorf("%s: another institution sees %d rows", table, got)
			}
			return nil
		}))
		var n int
		must(t, store.db.Pool().QueryRow(t.Context(), `SELECT count(*) FROM `+table).Scan(&n))
		if n != 0 {
			t.Errorf("%s: %d rows are seen outside of any institution", table, n)
		}
	}
}

func TestRowLevelSecurity_nobodyWritesForAnother(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	err := store.db.InEmpresa(t.Context(), empresaB, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `
			INSERT INTO revisiones (empresa_id, revision, marca) VALUES ($1, 1, gen_random_uuid())`, string(empresaA))
		return err
	})
	if err == nil {
		t.Error("a row was written for another institution")
	}
}

func TestRowLevelSecurity_operatorsAreNoInstitutions(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	must(t, store.CreateUsuario(t.Context(), cuentas.Usuario{Usuario: "operador", Hash: "$argon2id$x"}))
	must(t, store.RecordLoginFailure(t.Context(), cuentas.OrigenLogin{Par: []byte("i"), Codigo: []byte("u")}))
	for _, table := range []string{"usuarios", "logins_fallidos"} {
		must(t, store.db.InEmpresa(t.Context(), empresaA, func(tx pgx.Tx) error {
			var n int
			must(t, tx.QueryRow(t.Context(), `SELECT count(*) FROM `+table).Scan(&n))
			if n != 0 {
				t.Errorf("%s: an institution sees %d rows", table, n)
			}
			return nil
		}))
	}
}

// TestMigrations_everyTenantTableIsHeld finds a table that a later migration forgets. What a cluster
// has spread holds all but its owner (see pg.Distribute).
func TestMigrations_everyTenantTableIsHeld(t *testing.T) {
	t.Parallel()
	db, _ := pgtest.Open(t, Migrations)
	rows, err := db.Pool().Query(t.Context(), `
		SELECT relname FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
			AND relname NOT LIKE 'river%' AND relname <> 'goose_db_version'
			AND NOT (relrowsecurity AND (relforcerowsecurity OR $1))`, db.Clustered())
	must(t, err)
	open, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	if len(open) > 0 {
		t.Errorf("no row-level security on %v", open)
	}
}

func TestLimits_historyIsNotRewritten(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	fill(t, store, empresaA)
	for _, statement := range []string{
		`DELETE FROM empresas`, `DELETE FROM reportes`, `DELETE FROM envios`, `DELETE FROM envio_intentos`,
		`DELETE FROM api_keys`, `DELETE FROM avisos`, `UPDATE avisos SET curp = curp`, `TRUNCATE avisos`,
	} {
		err := store.db.InEmpresa(t.Context(), empresaA, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), statement)
			return err
		})
		if err == nil {
			t.Errorf("%s was allowed", statement)
		}
	}
}

// createEmpresa adds one institution without a clave.
func createEmpresa(t *testing.T, store *Store, e cuentas.Empresa) (cuentas.Empresa, error) {
	t.Helper()
	created, err := store.CreateEmpresas(t.Context(), []cuentas.NuevaEmpresa{{Empresa: e}}, false)
	if err != nil {
		return cuentas.Empresa{}, err
	}
	return created[0], nil
}
