package pg

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/tenant"
)

const (
	// replicaLimit bounds one read from the replica, connecting included; the database
	// itself then still has time to answer.
	replicaLimit = 3 * time.Second
	// replicaRest is how long a replica that failed is left alone.
	replicaRest = 5 * time.Second
)

// Lectura reads what may be a little old, from the replica if there is one. Whatever keeps
// the replica from answering (it is away, it is catching up with a new schema, the read was
// in the way of its replay), the database itself answers instead. Safe for concurrent use.
type Lectura struct {
	primary *DB
	replica *replica // nil without one
}

// ReadRow reads one row of an Empresa in a single round trip, for what is asked far more
// often than it changes.
func (l *Lectura) ReadRow(ctx context.Context, id tenant.EmpresaID, query string, args []any, dest ...any) error {
	answered := l.replica.try(ctx, func(ctx context.Context, db *DB) error {
		return db.ReadRow(ctx, id, query, args, dest...)
	})
	if answered {
		return nil
	}
	return l.primary.ReadRow(ctx, id, query, args, dest...)
}

// InEmpresa is [DB.InEmpresa] for reads of what may be a little old, but not too old for
// fresh, which is asked in the transaction, before fn, of a replica only. nil: anything goes.
func (l *Lectura) InEmpresa(ctx context.Context, id tenant.EmpresaID, fresh func(tx pgx.Tx) (bool, error), fn func(tx pgx.Tx) error) error {
	answered := l.replica.try(ctx, func(ctx context.Context, db *DB) error {
		return db.InEmpresa(ctx, id, func(tx pgx.Tx) error {
			if fresh == nil {
				return fn(tx)
			}
			ok, err := fresh(tx)
			if err != nil {
				return err
			}
			if !ok {
				return errBehind
			}
			return fn(tx)
		})
	})
	if answered {
		return nil
	}
	return l.primary.InEmpresa(ctx, id, fn)
}

// errBehind says that the replica works but has not replayed enough.
var errBehind = errors.New("the replica is behind")

// replica is a streaming replica that comes and goes.
type replica struct {
	*DB

	// restsUntil is when it may be asked again, in nanoseconds since 1970; 0 while it answers.
	restsUntil atomic.Int64
}

func openReplica(ctx context.Context, cfg Config) (*replica, error) {
	var clustered atomic.Bool
	pool, err := newPool(ctx, cfg, cfg.LecturaURL, &clustered)
	if err != nil {
		return nil, fmt.Errorf("open DATABASE_URL_READ: %w", err)
	}
	return &replica{DB: &DB{pool: pool, clustered: &clustered}}, nil
}

// try reads from the replica and tells whether it answered.
func (r *replica) try(ctx context.Context, read func(ctx context.Context, db *DB) error) bool {
	if r == nil || time.Now().UnixNano() < r.restsUntil.Load() {
		return false
	}
	limited, cancel := context.WithTimeout(ctx, replicaLimit)
	defer cancel()
	err := read(limited, r.DB)
	if err == nil || errors.Is(err, errBehind) {
		if r.restsUntil.Swap(0) != 0 {
			slog.InfoContext(ctx, "the replica answers again")
		}
		return err == nil
	}
	if ctx.Err() != nil {
		// The caller gave up; that says nothing about the replica.
		return false
	}
	if r.restsUntil.Swap(time.Now().Add(replicaRest).UnixNano()) == 0 {
		slog.WarnContext(ctx, "the replica does not answer; lists are read from the database itself", "error", err)
	}
	return false
}
