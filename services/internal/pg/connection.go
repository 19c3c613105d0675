package pg

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	pgxuuid "github.com/vgarvardt/pgx-google-uuid/v5"
)

// prepare is what a connection goes through before it is used; it tells whether the server has
// loaded Citus. Ids are written as their bytes: by themselves they would become text and be read
// again, which is most of the work of a statement that is given many.
func prepare(ctx context.Context, conn *pgx.Conn) (hasCitus bool, err error) {
	pgxuuid.Register(conn.TypeMap())
	return refuseBypass(ctx, conn)
}

// refuseBypass refuses a connection that could read past row-level security, as an owner can
// where it does not hold him, see [holdOwner], and tells whether the server has loaded Citus.
func refuseBypass(ctx context.Context, conn *pgx.Conn) (hasCitus bool, err error) {
	var bypasses bool
	err = conn.QueryRow(ctx, `
		SELECT rolsuper OR rolbypassrls OR EXISTS (SELECT FROM pg_class
				WHERE relnamespace = 'public'::regnamespace AND relrowsecurity AND NOT relforcerowsecurity AND pg_has_role(relowner, 'USAGE')),
			current_setting('citus.propagate_set_commands', true) IS NOT NULL
		FROM pg_roles WHERE rolname = current_user`).Scan(&bypasses, &hasCitus)
	if err != nil {
		return false, fmt.Errorf("check database role: %w", err)
	}
	if bypasses {
		return false, errors.New("check database role: the role bypasses row-level security; use the application role")
	}
	return hasCitus, nil
}

// plansFor is how long a connection uses the plans that it has made. PostgreSQL keeps one for
// as long as the connection lives, or until it has counted the table again, which takes a minute or more:
// of a table that was nearly empty any index of the institution seems as good as the key, and
// along that one every row of the institution is read when there are many. Statements that read in the
// order of one index have no such choice ([DB.InEmpresaByKeys]); this is for those that cannot name an
// order, which are updates and the look-ups of foreign keys. Those that a cluster
// looks up at its workers are out of reach: their connections are Citus's, and live ten minutes.
const plansFor = 5 * time.Second

// plannedSince is where a connection keeps the time from which its plans are.
const plannedSince = "planned since"

// renewPlans has a connection that is about to be used plan anew what it planned long ago. One
// that cannot is not used.
func renewPlans(ctx context.Context, conn *pgx.Conn) (usable bool, err error) {
	kept := conn.PgConn().CustomData()
	since, _ := kept[plannedSince].(time.Time)
	if time.Since(since) < plansFor {
		return true, nil
	}
	kept[plannedSince] = time.Now()
	_, err = conn.Exec(ctx, "DISCARD PLANS")
	return err == nil, nil
}
