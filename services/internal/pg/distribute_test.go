package pg_test

import (
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/pgtest"
)

// Where there is no cluster, nothing is distributed, and nothing has to be gathered. What
// happens where there is one, the tests of the services with the tag "citus" show.
func TestDistribute_refusesWithoutCitus(t *testing.T) {
	database := pgtest.New(t, empty)
	done, err := pg.Distribute(t.Context(), database.OwnerURL, empty)
	if err == nil || !strings.Contains(err.Error(), "CREATE EXTENSION citus") || len(done) > 0 {
		t.Errorf("Distribute = %v, %v, want a refusal that says what to do", done, err)
	}
	done, err = pg.Gather(t.Context(), database.OwnerURL)
	if err != nil || len(done) > 0 {
		t.Errorf("Gather = %v, %v, want nothing done", done, err)
	}
}
