package pg

import (
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Waiting tells how many wait for the next transaction of an Empresa.
func (t *Together[Q, A]) Waiting(empresa tenant.EmpresaID) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.waiting[empresa])
}

// AgePlans makes the plans of a connection so old that it makes them anew when it is used next.
func AgePlans(conn *pgx.Conn) {
	conn.PgConn().CustomData()[plannedSince] = time.Now().Add(-plansFor)
}
