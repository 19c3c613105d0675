package stack

import (
	"context"
	"crypto/rand"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// role is a login with its password.
type role struct {
	name     string
	password string
}

// executor is a connection or a transaction.
type executor interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// loginRole makes the role unless it exists, and gives it the password that the folder of the run keeps for it.
func (s *Stack) loginRole(ctx context.Context, db executor, name string) (role, error) {
	password, err := s.secrets.Ensure("CLAVE_"+strings.ToUpper(name), rand.Text)
	if err != nil {
		return role{}, err
	}
	err = createRole(ctx, db, name)
	if err != nil {
		return role{}, err
	}
	// ALTER ROLE takes no parameters, and the password is letters and digits by construction.
	_, err = db.Exec(ctx, "ALTER ROLE "+quoted(name)+" LOGIN PASSWORD '"+password+"'")
	if err != nil {
		return role{}, err
	}
	return role{name: name, password: password}, nil
}

// joinAppGroup makes the role a member of the group that the migrations grant rights to. The group holds no login, so
// the same one serves every installation on a server.
func joinAppGroup(ctx context.Context, db executor, member string) error {
	err := createRole(ctx, db, appGroup)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, "GRANT "+quoted(appGroup)+" TO "+quoted(member))
	return err
}

// createRole makes a role that may not log in, unless one of that name exists.
func createRole(ctx context.Context, db executor, name string) error {
	exists, err := found(ctx, db, "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)", name)
	if err != nil || exists {
		return err
	}
	_, err = db.Exec(ctx, "CREATE ROLE "+quoted(name)+" NOLOGIN")
	return err
}

func found(ctx context.Context, db executor, sql, name string) (bool, error) {
	var exists bool
	err := db.QueryRow(ctx, sql, name).Scan(&exists)
	return exists, err
}

func quoted(name string) string { return pgx.Identifier{name}.Sanitize() }
