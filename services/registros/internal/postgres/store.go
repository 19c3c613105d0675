// Package postgres keeps the Registros, Casos and Coincidencias in PostgreSQL.
//
// Every method takes the Empresa and runs in a transaction that row-level security binds
// to it. Jobs are enqueued in the transaction of what they follow from. The number of
// statements of a write does not depend on the number of Registros.
//
// The race between a Registro that is being written and a Caso that is being opened is
// decided by one advisory lock per Empresa; see lockRegistros.
package postgres

import (
	"context"
	"embed"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Migrations is the schema of registros.
var Migrations = pg.Migrations{Files: migrationFiles, Limits: limits, Everywhere: []string{"instancia"}}

// limits takes from the application role what registros never does.
const limits = `
REVOKE INSERT, UPDATE, DELETE ON instancia FROM enlace_app;
REVOKE UPDATE, DELETE ON busquedas FROM enlace_app;
REVOKE DELETE ON cargas, conteos FROM enlace_app;`

// Queue enqueues the work that follows from a change, in the change's own transaction.
type Queue interface {
	// SearchCasos asks for the search of Casos.
	SearchCasos(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, casos []registros.CasoID) error
	// SearchEmpresa asks for the searches of [Store.SearchEmpresa].
	SearchEmpresa(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID) error
	// DeliverCasos asks for the delivery of what is pending, unless it has been asked for
	// and is not over. The caller holds the Casos' rows locked, which is
	// what keeps a delivery that is just ending from missing what was added.
	DeliverCasos(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, casos []registros.CasoID) error
	// HurryCasos is DeliverCasos, and has those go on now that wait for a later time.
	HurryCasos(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, casos []registros.CasoID) error
	// FollowAperturas asks for what follows on Casos that this transaction opens: their
	// search, or, if that is over, their delivery as soon as the platform may be told.
	FollowAperturas(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, abiertos []*Apertura) error
}

// Store is the storage of registros. Safe for concurrent use.
type Store struct {
	// Cuota is how many Registros an institution may have; 0: no limit. It is set before the Store is used.
	Cuota int

	db        *pg.DB
	queue     Queue
	aperturas *pg.Together[Apertura, registros.CasoID]
	// pasos are those of all deliveries here.
	pasos *pg.Together[entrega, registros.Paso]
	// revisiones are asked by everyone who polls a list.
	revisiones *pg.Together[struct{}, string]
	// escrituras are noted for operators, see RunActividad.
	escrituras escrituras
}

// NewStore makes a Store on db that enqueues on queue.
func NewStore(db *pg.DB, queue Queue) *Store {
	s := &Store{db: db, queue: queue, pasos: pg.NewTogether(db, takePasos)}
	s.aperturas = pg.NewTogether(db, s.openCasos)
	s.revisiones = pg.NewReading(s.readRevision)
	return s
}

// lockRegistros orders the writes of an Empresa's Registros against the opening of its
// Casos. A write holds it shared until its commit, the opening takes it alone. So when a
// Caso opens, every Registro is either committed, with a revision below the Caso's corte,
// and found by its search; or it will be written by a transaction that already sees the
// Caso. No Registro falls between, and none is found twice.
func lockRegistros(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID) error {
	_, err := tx.Exec(ctx, sharedLock, string(empresa))
	if err != nil {
		return fmt.Errorf("lock registros: %w", err)
	}
	return nil
}

const sharedLock = `SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))`

// soleLock is the other side of lockRegistros, which the opening takes.
const soleLock = `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`

const nextRevision = `
INSERT INTO revisiones AS r (empresa_id, revision) VALUES ($1, 1)
ON CONFLICT (empresa_id) DO UPDATE SET revision = r.revision + 1`

// bumpRevision marks the lists of an Empresa as changed. It is the last statement of its
// transaction, because all changes of an Empresa queue up at this row.
func bumpRevision(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID) error {
	_, err := tx.Exec(ctx, nextRevision, string(empresa))
	if err != nil {
		return fmt.Errorf("bump revision: %w", err)
	}
	return nil
}
