package pg

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

// What a cluster says when a worker goes away, as it was seen with Citus 13.2, is told to come
// again; what is wrong with the statement is not.
func TestClassify_aWorkerThatGoesAway(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code, message string
		unavailable   bool
	}{
		{"08006", "connection to the remote node registros_app@10.0.0.7:5432 failed with the following error: Connection refused", true},
		{"57P01", "terminating connection due to administrator command", true},
		{"XX000", "could not commit transaction for shard 102010 on at least one active node", true},
		{"XX000", "failure on connection marked as essential: 10.0.0.7:5432", true},
		{"XX000", "server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally\ninvalid socket", true},
		{"XX000", "SSL SYSCALL error: EOF detected", true},
		{"XX000", "SSL connection has been closed unexpectedly", true},
		{"58030", "failed to COPY to shard 0 on 10.0.0.7:5432", true},
		{"58030", "could not read block 7 in file", false},
		{"XX000", "tuple concurrently updated", false},
		{"0A000", "non-IMMUTABLE functions are not allowed in CASE or COALESCE statements", false},
	} {
		err := classify(fmt.Errorf("save: %w", &pgconn.PgError{Code: tt.code, Message: tt.message}))
		if got := errs.MotivoOf(err) == errores.NoDisponible; got != tt.unavailable {
			t.Errorf("%s %s: unavailable %t, want %t", tt.code, tt.message, got, tt.unavailable)
		}
	}
}
