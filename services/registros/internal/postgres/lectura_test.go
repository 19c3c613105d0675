package postgres_test

import (
	"testing"

	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/registros/internal/postgres"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// A second database stands for the replica here, so that how far behind it is can be
// chosen; gateway/e2e/readreplica has a real one.
func TestStore_listsFromAReplica(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := setup(t)
	other.open(t, empresaUno, newReporte(nil))
	behind := revisionOf(t, other.store)
	b.open(t, empresaUno, newReporte(nil))
	b.save(t, empresaUno, newRegistro("A", nil))
	b.open(t, empresaUno, newReporte(func(r *registros.Reporte) { r.Ciclo = 2 }))
	ahead := revisionOf(t, b.store)
	old := setup(t)
	_, err := old.admin.Exec(t.Context(), `ALTER TABLE casos DROP COLUMN persona`)
	if err != nil {
		t.Fatal(err)
	}

	for name, tt := range map[string]struct {
		lectura  string
		revision string
		casos    int
	}{
		"is as new as was announced":  {other.database.AppURL, behind, 1},
		"is older than was announced": {other.database.AppURL, ahead, 2},
		"is away":                     {"postgres://enlace@127.0.0.1:1/enlace", ahead, 2},
		"has a role that sees all":    {other.database.AdminURL, "", 2},
		"lacks the newest column":     {old.database.AppURL, "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			db, err := pg.Open(t.Context(), pg.Config{URL: b.database.AppURL, LecturaURL: tt.lectura})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			casos := 0
			err = postgres.NewStore(db, nil).EachCasos(t.Context(), empresaUno, tt.revision, func(chunk []registros.Caso) error {
				casos += len(chunk)
				return nil
			})
			if err != nil || casos != tt.casos {
				t.Errorf("%d casos, %v; want %d", casos, err, tt.casos)
			}
		})
	}
}

func revisionOf(t *testing.T, store *postgres.Store) string {
	t.Helper()
	revision, err := store.Revision(t.Context(), empresaUno)
	if err != nil {
		t.Fatal(err)
	}
	return revision
}
