package stack

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// insufficientPrivilege is PostgreSQL's code for "this role may not".
const insufficientPrivilege = "42501"

// useGiven takes databases that somebody else runs. Their addresses are the owners'; the services get roles of their own
// there when the owner may make some.
func (s *Stack) useGiven(ctx context.Context) error {
	for name, owner := range map[string]string{
		Registros: s.cfg.DatabaseURLRegistros, Integracion: s.cfg.DatabaseURLIntegracion,
	} {
		app, err := s.appURL(ctx, name, owner)
		if err != nil {
			return fmt.Errorf("prepare given database %s: %w", name, err)
		}
		s.databases[name] = database{owner: owner, app: app}
	}
	return nil
}

// appURL returns the address for the service itself.
func (s *Stack) appURL(ctx context.Context, name, owner string) (string, error) {
	address, err := url.Parse(owner)
	if err != nil || (address.Scheme != "postgres" && address.Scheme != "postgresql") {
		return "", errors.New("la dirección no tiene la forma postgres://usuario:clave@servidor/base")
	}
	conn, err := pgx.Connect(ctx, owner)
	if err != nil {
		return "", fmt.Errorf("connect: %w", withoutAddress(err))
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // all that it did is committed by then
	app, err := s.ownAppRole(ctx, conn, name)
	if isInsufficientPrivilege(err) {
		s.tell("el usuario dado para " + name + " no puede crear roles: el servicio lo usa también")
		return owner, refuseUnbound(ctx, conn)
	}
	if err != nil {
		return "", err
	}
	return withRole(*address, app), nil
}

// ownAppRole makes the service's role, all of it or nothing. Its name is this run's alone: another installation on the
// same server keeps its roles and their passwords.
func (s *Stack) ownAppRole(ctx context.Context, conn *pgx.Conn, name string) (role, error) {
	roleName, err := s.secrets.Ensure("ROL_"+strings.ToUpper(name), func() string {
		return name + "_app_" + strings.ToLower(rand.Text()[:8])
	})
	if err != nil {
		return role{}, err
	}
	var app role
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		app, err = s.loginRole(ctx, tx, roleName)
		if err != nil {
			return err
		}
		err = joinAppGroup(ctx, tx, app.name)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "GRANT CONNECT, TEMPORARY ON DATABASE "+quoted(conn.Config().Database)+" TO "+quoted(app.name))
		return err
	})
	return app, err
}

func isInsufficientPrivilege(err error) bool {
	refusal, ok := errors.AsType[*pgconn.PgError](err)
	return ok && refusal.Code == insufficientPrivilege
}

// refuseUnbound returns an error when row-level security does not bind the connected role: a service must not run as one
// that sees every institution's rows.
func refuseUnbound(ctx context.Context, conn *pgx.Conn) error {
	var unbound bool
	err := conn.QueryRow(ctx, "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user").Scan(&unbound)
	if err != nil {
		return fmt.Errorf("check role: %w", err)
	}
	if unbound {
		return errors.New("el usuario dado no puede crear roles y las políticas de filas no lo limitan: dé otro")
	}
	return nil
}

// withRole replaces who logs in. libpq's addresses may also name the user after the question mark, where it would win.
func withRole(address url.URL, app role) string {
	query := address.Query()
	query.Del("user")
	query.Del("password")
	address.RawQuery = query.Encode()
	address.User = url.UserPassword(app.name, app.password)
	return address.String()
}

// withoutAddress drops what the driver tells about the connection beside the cause: user, database and host.
func withoutAddress(err error) error {
	connecting, ok := errors.AsType[*pgconn.ConnectError](err)
	if ok && connecting.Unwrap() != nil {
		return connecting.Unwrap()
	}
	return err
}
