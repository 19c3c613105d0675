package postgres_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

var tenantTables = []string{"registros", "casos", "coincidencias", "revisiones", "busquedas", "cargas"}

// Row-level security stands behind every query: one that forgets the Empresa finds the own
// rows only, and one outside of a tenant's transaction finds nothing.
func TestRowLevelSecurity(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil))
	b.open(t, empresaUno, newReporte(nil))
	for _, table := range tenantTables {
		if b.count(t, table) == 0 {
			t.Fatalf("%s is empty, the test would prove nothing", table)
		}
	}

	for _, table := range tenantTables {
		var seen int
		err := b.db.Pool().QueryRow(t.Context(), `SELECT count(*) FROM `+table).Scan(&seen)
		if err != nil {
			t.Fatal(err)
		}
		if seen != 0 {
			t.Errorf("without a tenant %d rows of %s are seen", seen, table)
		}
		err = b.db.InEmpresa(t.Context(), empresaDos, func(tx pgx.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT count(*) FROM `+table+` WHERE empresa_id <> $1`, string(empresaDos)).Scan(&seen)
		})
		if err != nil {
			t.Fatal(err)
		}
		if seen != 0 {
			t.Errorf("another institution sees %d rows of %s", seen, table)
		}
	}
}

func TestRowLevelSecurity_refusesToWriteForAnother(t *testing.T) {
	t.Parallel()
	b := setup(t)
	err := b.db.InEmpresa(t.Context(), empresaDos, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `INSERT INTO revisiones (empresa_id, revision) VALUES ($1, 1)`, string(empresaUno))
		return err
	})
	refused, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || refused.Code != "42501" {
		t.Errorf("error = %v, want insufficient privilege", err)
	}
}

func TestStore_listsShowTheOwnRowsOnly(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil))
	b.open(t, empresaUno, newReporte(nil))

	for empresa, want := range map[string]struct{ casos, coincidencias int }{
		string(empresaUno): {1, 2},
		string(empresaDos): {0, 0},
	} {
		casos, coincidencias := 0, 0
		err := errors.Join(
			b.store.EachCasos(t.Context(), tenant.EmpresaID(empresa), "", func(c []registros.Caso) error {
				casos += len(c)
				return nil
			}),
			b.store.EachCoincidencias(t.Context(), tenant.EmpresaID(empresa), "", func(c []registros.Coincidencia) error {
				coincidencias += len(c)
				return nil
			}))
		if err != nil {
			t.Fatal(err)
		}
		if casos != want.casos || coincidencias != want.coincidencias {
			t.Errorf("%s sees %d casos and %d coincidencias, want %+v", empresa, casos, coincidencias, want)
		}
	}
}

func TestStore_aListHoldsNoConnectionWhileItsReaderWaits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.open(t, empresaUno, newReporte(nil))

	err := b.store.EachCasos(context.Background(), empresaUno, "", func([]registros.Caso) error {
		if held := b.db.Pool().Stat().AcquiredConns(); held != 0 {
			t.Errorf("%d connections held while the reader waits", held)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The revision of the lists is read outside of an explicit transaction; it changes with the
// own lists, and with nobody else's, and leaves no tenant behind on the connection.
func TestStore_Revision(t *testing.T) {
	t.Parallel()
	b := setup(t)
	read := func(empresa tenant.EmpresaID) string {
		t.Helper()
		revision, err := b.store.Revision(t.Context(), empresa)
		if err != nil {
			t.Fatal(err)
		}
		return revision
	}
	uno, dos := read(empresaUno), read(empresaDos)
	if uno == dos {
		t.Errorf("two institutions have the same revision %s", uno)
	}
	b.open(t, empresaUno, newReporte(nil))
	if read(empresaUno) == uno {
		t.Error("a new caso left the revision as it was")
	}
	if read(empresaDos) != dos {
		t.Error("another institution's caso changed the revision")
	}
	var left string
	err := b.db.Pool().QueryRow(t.Context(), `SELECT coalesce(current_setting('enlace.empresa_id', true), '')`).Scan(&left)
	if err != nil || left != "" {
		t.Errorf("tenant left on the connection: %q, %v", left, err)
	}
}
