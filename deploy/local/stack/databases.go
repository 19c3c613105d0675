package stack

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/deploy/local/pgcluster"
)

// appGroup is the role to which the services' migrations grant the rights on their tables. Login roles get them by being
// its members.
const appGroup = "enlace_app"

// The folders of the run that hold the private cluster and, where PostgreSQL had to be brought, its programs.
const (
	PostgresFolder = "postgres"
	ProgramsFolder = "programas"
)

// database holds the addresses of one service's database: for its owner, who migrates, and for the service itself, to
// whose role row-level security applies.
type database struct {
	owner string
	app   string
	// lectura is the service's address of the replica; empty without one.
	lectura string
}

func (s *Stack) openDatabases(ctx context.Context) error {
	err := s.makeSecrets()
	if err != nil {
		return err
	}
	if s.cfg.DatabaseURLRegistros != "" {
		return s.useGiven(ctx)
	}
	return s.startPostgres(ctx)
}

// startPostgres starts the private cluster and makes the roles and databases in it.
func (s *Stack) startPostgres(ctx context.Context) error {
	s.tell("arranca PostgreSQL")
	s.server = &server{title: Postgres, log: filepath.Join(s.cfg.Dir, logsFolder, Postgres+".log"), cfg: pgcluster.Config{
		Dir: filepath.Join(s.cfg.Dir, PostgresFolder), ProgramsDir: filepath.Join(s.cfg.Dir, ProgramsFolder),
		Throwaway: s.cfg.Throwaway, Progress: s.cfg.Progress,
	}}
	s.server.cfg.LogPath = s.server.log
	s.server.workers = s.cfg.CitusWorkers
	err := s.startPart(ctx, s.server)
	if err != nil {
		return err
	}
	err = s.makeDatabases(ctx)
	if err == nil && s.cfg.Lectura {
		err = s.startLectura(ctx)
	}
	if err == nil && s.cfg.Pgbouncer != "" {
		err = s.startPgbouncer(ctx)
	}
	return err
}

func (s *Stack) makeDatabases(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.server.cluster.URL("postgres"))
	if err != nil {
		return fmt.Errorf("connect to postgres: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // all that it did is committed by then
	for _, name := range []string{Registros, Integracion} {
		s.databases[name], err = s.makeDatabase(ctx, conn, name)
		if err == nil && s.server.citus != nil {
			err = s.extend(ctx, name)
		}
		if err != nil {
			return fmt.Errorf("make database %s: %w", name, err)
		}
	}
	return nil
}

// extend lets the database of a service be spread over the workers of the cluster.
func (s *Stack) extend(ctx context.Context, name string) error {
	for _, address := range []string{s.databases[name].owner, s.databases[name].app} {
		login, err := url.Parse(address)
		if err != nil {
			return fmt.Errorf("read address of the database: %w", err)
		}
		password, _ := login.User.Password()
		err = s.server.citus.Know(login.User.Username(), password)
		if err != nil {
			return err
		}
	}
	return s.server.citus.Extend(ctx, name)
}

// server is a private PostgreSQL as a part.
type server struct {
	title   string
	cfg     pgcluster.Config
	log     string
	cluster *pgcluster.Cluster
	// source is the cluster that this one follows; nil for one of its own.
	source *pgcluster.Cluster
	// workers is how many workers it has; with any, cluster is the coordinator of citus.
	workers int
	citus   *pgcluster.Citus
}

func (v *server) name() string                   { return v.title }
func (v *server) logPath() string                { return v.log }
func (v *server) stop(ctx context.Context) error { return v.cluster.Stop(ctx) }
func (v *server) kill() error                    { return v.cluster.Crash() }
func (v *server) done() <-chan struct{}          { return v.cluster.Done() }

func (v *server) start(ctx context.Context) error {
	log, err := openLog(v.log)
	if err != nil {
		return err
	}
	err = log.Close()
	if err != nil {
		return fmt.Errorf("close log: %w", err)
	}
	if v.cluster != nil {
		return v.cluster.Restart(ctx)
	}
	if v.source != nil {
		v.cluster, err = v.source.StartStandby(ctx, v.cfg)
		return err
	}
	if v.workers > 0 {
		v.citus, err = pgcluster.StartCitus(ctx, v.cfg, v.workers)
		if err == nil {
			v.cluster = v.citus.Coordinator()
		}
		return err
	}
	v.cluster, err = pgcluster.Start(ctx, v.cfg)
	return err
}

// close ends it for good, and deletes what is throw-away.
func (v *server) close(ctx context.Context) error {
	if v.citus != nil {
		return v.citus.Close(ctx)
	}
	return v.cluster.Close(ctx)
}

// makeDatabase makes, unless they exist, a service's database and its two roles: the owner may do everything in it, the
// service only what the migrations grant to its group.
func (s *Stack) makeDatabase(ctx context.Context, conn *pgx.Conn, name string) (database, error) {
	owner, err := s.loginRole(ctx, conn, name+"_duenio")
	if err != nil {
		return database{}, err
	}
	app, err := s.loginRole(ctx, conn, name+"_app")
	if err != nil {
		return database{}, err
	}
	err = joinAppGroup(ctx, conn, app.name)
	if err != nil {
		return database{}, err
	}
	exists, err := found(ctx, conn, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name)
	if err != nil {
		return database{}, err
	}
	statements := []string{
		"REVOKE ALL ON DATABASE " + quoted(name) + " FROM PUBLIC",
		"GRANT CONNECT, TEMPORARY ON DATABASE " + quoted(name) + " TO " + quoted(app.name),
	}
	if !exists {
		statements = append([]string{"CREATE DATABASE " + quoted(name) + " OWNER " + quoted(owner.name)}, statements...)
	}
	for _, statement := range statements {
		_, err = conn.Exec(ctx, statement)
		if err != nil {
			return database{}, err
		}
	}
	host := net.JoinHostPort(conn.Config().Host, strconv.Itoa(int(conn.Config().Port)))
	return database{
		owner: pgcluster.URL(owner.name, owner.password, host, name),
		app:   pgcluster.URL(app.name, app.password, host, name),
	}, nil
}
