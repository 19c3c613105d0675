// Package postgres keeps institutions, their credentials, the Reportes and what was sent
// for them in PostgreSQL, a file per noun.
//
// Every method that knows the Empresa runs in a transaction that row-level security binds
// to it; the few that must find it out (a login, a key, an operator's list) say so with
// AcrossEmpresas. Jobs are enqueued in the transaction of what they follow from.
//
// Times that are compared are the database's own, so that replicas need not agree on them.
package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/integracion/internal/eventos"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/integracion/internal/resincronizacion"
	"github.com/enlace-iis/enlace/services/integracion/internal/seguimiento"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/removals"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/process/fair"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Migrations is the schema of integracion.
var Migrations = pg.Migrations{Files: migrationFiles, Limits: limits}

// limits takes from the application role what integracion never does: history is not
// rewritten, and nothing of an institution is deleted.
const limits = `
REVOKE DELETE ON empresas, usuarios, api_keys, reportes, reportes_sin_abrir, revisiones, envios, envio_intentos FROM enlace_app;
REVOKE UPDATE ON eventos FROM enlace_app;
REVOKE UPDATE, DELETE ON avisos, bitacora FROM enlace_app;
REVOKE INSERT, UPDATE, DELETE ON bitacora_sellos FROM enlace_app;
REVOKE UPDATE, DELETE ON bitacora_por_sellar FROM enlace_app;
GRANT EXECUTE ON FUNCTION bitacora_sellar TO enlace_app;
GRANT UPDATE (curp) ON avisos TO enlace_app;
REVOKE UPDATE ON logins_fallidos, tokens_anulados FROM enlace_app;`

// Queue enqueues the work that follows from a change, in the change's own transaction.
type Queue interface {
	// SyncCasos asks to tell registros how Reportes stand.
	SyncCasos(ctx context.Context, tx pgx.Tx, syncs []Sync) error
	// FinishCargas asks to tell registros that institutions have nothing to load.
	FinishCargas(ctx context.Context, tx pgx.Tx, empresas []tenant.EmpresaID) error
}

// Store is the storage of integracion. Safe for concurrent use.
type Store struct {
	// Removals is the list of what a restoration must not bring back; nil: there is none. It is set
	// before the first call.
	Removals *removals.List

	db      *pg.DB
	queue   Queue
	huellas cuentas.Huellas
	// What comes by the thousand is done together.
	activaciones *pg.Together[activacion, reportes.Reporte]
	lecturas     *pg.Together[uuid.UUID, *reportes.Reporte]
	empresas     *pg.Together[struct{}, cuentas.Empresa]
	inicios      *pg.Together[comienzo, entregas.Inicio]
	finales      *pg.Together[final, struct{}]
	// eventos admits those who hold a connection while they call registros.
	eventos *fair.Gate
}

// The ports that Store serves.
var (
	_ cuentas.EmpresaStore   = (*Store)(nil)
	_ cuentas.UsuarioStore   = (*Store)(nil)
	_ cuentas.SesionStore    = (*Store)(nil)
	_ cuentas.ApiKeyStore    = (*Store)(nil)
	_ reportes.ReporteStore  = (*Store)(nil)
	_ reportes.ReporteFinder = (*Store)(nil)
	_ reportes.AvisoStore    = (*Store)(nil)
	_ entregas.Store         = (*Store)(nil)
	_ eventos.Store          = (*Store)(nil)
	_ bitacora.Store         = (*Store)(nil)
	_ bitacora.CadenaStore   = (*Store)(nil)

	_ resincronizacion.Store = (*Store)(nil)
	_ seguimiento.Store      = (*Store)(nil)
	_ cuentas.RecifradoStore = (*Store)(nil)
)

// NewStore makes a Store on db that enqueues on queue and keeps CURPs in the Bitácora as
// huellas. An operator's command that changes no Reporte needs no queue.
func NewStore(db *pg.DB, queue Queue, huellas cuentas.Huellas) *Store {
	half := int64(db.Pool().Config().MaxConns / 2)
	s := &Store{
		db: db, queue: queue, huellas: huellas, eventos: fair.New(fair.Config{Capacity: half}),
		lecturas: pg.NewTogether(db, readReportes),
		inicios:  pg.NewTogether(db, beginIntentos), finales: pg.NewTogether(db, endIntentos),
	}
	s.activaciones, s.empresas = pg.NewTogether(db, s.saveActivaciones), pg.NewReading(s.readEmpresa)
	return s
}

// notFound turns "no row" into NoEncontrado, and names what was done for other errors.
func notFound(err error, action, message string) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return errs.New(errores.NoEncontrado, message)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", action, err)
	}
	return nil
}

// null writes the zero value as NULL.
func null[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// seconds reads what extract(epoch from …) gives.
func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second))
}
