package pg

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

// collided tells a transaction that PostgreSQL gave up in favour of another one.
func collided(err error) bool {
	code := codeOf(err)
	return code == "40001" || code == "40P01"
}

// classify turns "the database cannot be reached" into NoDisponible, and a text that no table
// can hold, which has a NUL, into NoEncontrado; other errors stay. What is written was checked
// before, so that such a text names something.
func classify(err error) error {
	switch {
	case err == nil:
		return nil
	case unreachable(err):
		return errs.Wrap(err, errores.NoDisponible, errores.DetalleNoDisponible).After(time.Second)
	case codeOf(err) == "22021":
		return errs.Wrap(err, errores.NoEncontrado, "No existe lo que nombra la solicitud.")
	default:
		return err
	}
}

// codeOf is the SQLSTATE with which PostgreSQL refused, or "".
func codeOf(err error) string {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return ""
	}
	return pgErr.Code
}

func unreachable(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	if connecting || pgconn.SafeToRetry(err) || errors.Is(err, errClosed) {
		return true
	}
	switch codeOf(err) {
	case "":
		return isNetwork(err)
	case "XX000", "58030":
		return isLostWorker(err)
	case
		"08P01",                   // a pooler has no connection to give, or lost the one it gave
		"08006",                   // a worker of a cluster is away
		"57P01", "57P02", "57P03", // shutting down, crashed, starting
		"53100", // the disk is full; when the WAL's is, the server crashes and starts again
		"53300", // too many connections
		"25006": // read-only: a fail-over is under way
		return true
	}
	return false
}

// lostWorker is how the words begin with which Citus tells of a lost worker; from the second line on they are libpq's,
// which it passes on, the last ones of a connection by TLS.
var lostWorker = []string{
	"could not commit transaction for shard", "failure on connection marked as essential", "failed to COPY to shard",
	"server closed the connection unexpectedly", "no connection to the server", "could not receive data from server", "could not send data to server",
	"SSL SYSCALL error", "SSL connection has been closed", "SSL error",
}

// isLostWorker tells a worker of a cluster that went away within a transaction, for which Citus has
// no code of its own. If it was committing, it may have done so or not, as when any connection
// breaks then.
func isLostWorker(err error) bool {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	return ok && slices.ContainsFunc(lostWorker, func(start string) bool { return strings.HasPrefix(pgErr.Message, start) })
}

// ConstraintOf gives the name of the constraint that err violates, or "".
func ConstraintOf(err error) string {
	pgErr, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return ""
	}
	return pgErr.ConstraintName
}

var errClosed = puddle.ErrClosedPool

// isNetwork tells a connection that broke under us.
func isNetwork(err error) bool {
	_, isNet := errors.AsType[net.Error](err)
	return isNet || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}
