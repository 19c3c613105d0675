package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// An institution is born loading: it has no row of cargas. Its Casos open and are stored, none is
// searched, and no Registro opens a Coincidencia, because the platform must not read of a finished
// search over records that are not there yet (manual, m:251, m:273). The end of the load takes the
// lock of the Empresa alone, as an opening does, and draws one corte for all Casos that wait: each
// Registro is either committed before, and found by their searches, or its writer sees the row and
// opens the Coincidencia.
const (
	cargaTerminada = `SELECT terminada_en FROM cargas WHERE empresa_id = $1`

	isLoaded = `EXISTS (SELECT FROM cargas WHERE empresa_id = $1)`

	endCarga = `INSERT INTO cargas (empresa_id, corte) VALUES ($1, $2) RETURNING terminada_en`
)

// errCargando refuses what needs the records of an institution that is still loading them.
var errCargando = errs.New(errores.Conflicto, "La institución todavía carga sus registros: al terminar la carga se busca todo.")

// GetCarga gives when the initial load of an institution was finished; zero: it is loading.
func (s *Store) GetCarga(ctx context.Context, empresa tenant.EmpresaID) (time.Time, error) {
	var terminada time.Time
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, cargaTerminada, string(empresa)).Scan(&terminada)
	})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return time.Time{}, fmt.Errorf("get carga: %w", err)
	}
	return terminada, nil
}

// FinishCarga ends the initial load of an institution, asks for the searches that waited for it,
// and gives when that was. Repeated, it gives the first instant and changes nothing.
func (s *Store) FinishCarga(ctx context.Context, empresa tenant.EmpresaID) (time.Time, error) {
	terminada, err := s.GetCarga(ctx, empresa)
	if err != nil || !terminada.IsZero() {
		return terminada, err
	}
	err = s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		corte, err := drawCorte(ctx, tx, empresa)
		if err != nil {
			return err
		}
		// Under the lock: whoever came first has committed by now.
		err = tx.QueryRow(ctx, cargaTerminada, string(empresa)).Scan(&terminada)
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		err = tx.QueryRow(ctx, endCarga, string(empresa), corte).Scan(&terminada)
		if err != nil {
			return err
		}
		return s.queue.SearchEmpresa(ctx, tx, empresa)
	})
	if err != nil {
		return time.Time{}, fmt.Errorf("finish carga: %w", err)
	}
	return terminada, nil
}

// drawCorte locks the Empresa as an opening does and draws the corte that this makes.
func drawCorte(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID) (corte int64, err error) {
	var batch pgx.Batch
	batch.Queue(soleLock, string(empresa))
	batch.Queue(drawCortes, 1).QueryRow(func(row pgx.Row) error { return row.Scan(&corte) })
	err = tx.SendBatch(ctx, &batch).Close()
	if err != nil {
		return 0, fmt.Errorf("draw corte: %w", err)
	}
	return corte, nil
}

// SearchAgain has phases 1 and 2 of a Reporte's Caso run again, as if the Caso had just opened.
// What was told already is not told again: the keys of coincidencias see to that, and
// finalizacion stays as it is.
func (s *Store) SearchAgain(ctx context.Context, empresa tenant.EmpresaID, reporteID string, ciclo int) error {
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		corte, err := drawCorte(ctx, tx, empresa)
		if err != nil {
			return err
		}
		err = refuseLoading(ctx, tx, empresa)
		if err != nil {
			return err
		}
		caso, found, err := findCaso(ctx, tx, empresa, reporteID, ciclo)
		switch {
		case err != nil:
			return err
		case !found:
			return errs.New(errores.NoEncontrado, "No existe el caso de ese reporte.")
		case caso.Estado == registros.CasoCerrado:
			return errs.New(errores.Conflicto, errores.DetalleReporteInactivo)
		}
		casos := []registros.CasoID{caso.ID}
		err = reopenSearches(ctx, tx, empresa, casos, corte)
		if err != nil {
			return err
		}
		err = s.queue.SearchCasos(ctx, tx, empresa, casos)
		if err != nil {
			return err
		}
		return bumpRevision(ctx, tx, empresa)
	})
	if err != nil {
		return fmt.Errorf("search caso again: %w", err)
	}
	return nil
}

// SearchAllAgain asks that all open Casos of an institution are searched again as SearchAgain
// does, see SearchEmpresa.
func (s *Store) SearchAllAgain(ctx context.Context, empresa tenant.EmpresaID) error {
	err := s.db.InEmpresa(ctx, empresa, func(tx pgx.Tx) error {
		corte, err := drawCorte(ctx, tx, empresa)
		if err != nil {
			return err
		}
		err = refuseLoading(ctx, tx, empresa)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE cargas SET corte = $2 WHERE empresa_id = $1`, string(empresa), corte)
		if err != nil {
			return err
		}
		return s.queue.SearchEmpresa(ctx, tx, empresa)
	})
	if err != nil {
		return fmt.Errorf("search all casos again: %w", err)
	}
	return nil
}

func refuseLoading(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID) error {
	var loaded bool
	err := tx.QueryRow(ctx, `SELECT `+isLoaded, string(empresa)).Scan(&loaded)
	if err == nil && !loaded {
		err = errCargando
	}
	return err
}

// empresaRows is how many Casos of an institution one step of SearchEmpresa takes.
const empresaRows = 20

// porRebuscar are the open Casos behind one that the corte of the institution concerns, or that
// are not searched, in the order in which all lock them.
const porRebuscar = `
	SELECT id FROM casos
	WHERE empresa_id = $1 AND id > $2 AND estado <> 'cerrado' AND (corte < $3 OR buscado_en IS NULL)
	ORDER BY id LIMIT $4 FOR UPDATE`

// reopened makes a Caso as newly opened at a corte that is later than its own.
const reopened = `
	UPDATE casos SET corte = $3, basicos_en = NULL, historica_en = NULL, buscado_en = NULL, avance = NULL, actualizado_en = now()
	WHERE empresa_id = $1 AND id = $2 AND corte < $3`

func reopenSearches(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, casos []registros.CasoID, corte int64) error {
	var batch pgx.Batch
	for _, caso := range casos {
		batch.Queue(reopened, string(empresa), caso, corte)
	}
	err := tx.SendBatch(ctx, &batch).Close()
	if err != nil {
		return fmt.Errorf("reopen searches: %w", err)
	}
	return nil
}

// SearchEmpresa searches the next Casos of an institution behind one: those that waited for the
// end of its load, or that are to be searched again. It gives the last of them; begun again from
// the zero id, it passes over those that are done. A few at a time are reopened and searched at
// once, so that what is told of the others does not wait for all searches.
func (s *Store) SearchEmpresa(ctx context.Context, empresa tenant.EmpresaID, from registros.CasoID) (next registros.CasoID, last bool, err error) {
	casos, err := s.reopenNext(ctx, empresa, from)
	if err != nil {
		return from, false, fmt.Errorf("search casos of an empresa: %w", err)
	}
	for _, caso := range casos {
		for left := true; left; {
			left, err = s.trySearch(ctx, empresa, caso)
			if err != nil {
				return from, false, err
			}
		}
		from = caso
	}
	return from, len(casos) < empresaRows, nil
}

func (s *Store) reopenNext(ctx context.Context, empresa tenant.EmpresaID, from registros.CasoID) (casos []registros.CasoID, err error) {
	err = s.db.InEmpresaByKeys(ctx, empresa, func(tx pgx.Tx) error {
		casos = nil
		var corte int64
		err := tx.QueryRow(ctx, `SELECT corte FROM cargas WHERE empresa_id = $1`, string(empresa)).Scan(&corte)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil // it is loading
		}
		if err != nil {
			return err
		}
		casos, err = readCasos(ctx, tx, porRebuscar, string(empresa), from, corte, empresaRows)
		if err != nil || len(casos) == 0 {
			return err
		}
		err = reopenSearches(ctx, tx, empresa, casos, corte)
		if err != nil {
			return err
		}
		return bumpRevision(ctx, tx, empresa)
	})
	return casos, err
}
