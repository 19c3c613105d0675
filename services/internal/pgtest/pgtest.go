// Package pgtest gives a test its own database on a real PostgreSQL: a template is
// migrated once, and each test gets a clone of it in about 50 ms.
//
// The server is the one at TEST_DATABASE_URL, whose role must be allowed to create roles
// and databases; `make test` starts a private one. Tests connect as the two roles that
// production has, so that row-level security holds in every test.
package pgtest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/pg"
)

const (
	// Roles of the test databases; the passwords guard nothing.
	ownerRole = "enlace_test_owner"
	appRole   = "enlace_test_app"
	password  = "enlace_test"

	// setupLock keeps test binaries from preparing roles and templates at the same time.
	setupLock = 0x7067746573
)

// Database is a test's own database.
type Database struct {
	// AppURL connects as the application role, which row-level security holds.
	AppURL string
	// OwnerURL connects as the role that owns the schema.
	OwnerURL string
	// AdminURL connects as the server's superuser, who sees everything.
	AdminURL string
}

var templates sync.Map // template name → *sync.Once-guarded error

type template struct {
	once sync.Once
	err  error
}

// New clones a database with the schema of migrations; it is dropped when the test ends.
func New(tb testing.TB, migrations pg.Migrations) Database {
	tb.Helper()
	admin := os.Getenv("TEST_DATABASE_URL")
	if admin == "" {
		tb.Fatal("TEST_DATABASE_URL is not set: run `make test`, or `go run ./deploy/local con-postgres -- go test …`")
	}
	ctx := context.Background()
	name := templateName(tb, migrations)
	entry, _ := templates.LoadOrStore(name, &template{})
	made := entry.(*template)
	made.once.Do(func() { made.err = makeTemplate(ctx, admin, name, migrations) })
	if made.err != nil {
		tb.Fatalf("prepare template database: %v", made.err)
	}
	clone := "enlace_test_" + randomName()
	for _, node := range append(workers(), admin) {
		exec(tb, node, fmt.Sprintf(`CREATE DATABASE %s TEMPLATE %s OWNER %s`, clone, name, ownerRole))
		tb.Cleanup(func() { exec(tb, node, append(empty(clone), `DROP DATABASE `+clone+` WITH (FORCE)`)...) })
	}
	return Database{
		AppURL:   withUser(tb, admin, clone, url.UserPassword(appRole, password)),
		OwnerURL: withUser(tb, admin, clone, url.UserPassword(ownerRole, password)),
		AdminURL: withUser(tb, admin, clone, nil),
	}
}

// Open clones a database and connects to it as the application role.
func Open(tb testing.TB, migrations pg.Migrations) (*pg.DB, Database) {
	tb.Helper()
	database := New(tb, migrations)
	db, err := pg.Open(context.Background(), pg.Config{URL: database.AppURL})
	if err != nil {
		tb.Fatalf("open test database: %v", err)
	}
	tb.Cleanup(db.Close)
	return db, database
}

// templateName carries a hash of the schema, so that a changed migration makes a new one.
func templateName(tb testing.TB, migrations pg.Migrations) string {
	tb.Helper()
	hash := sha256.New()
	err := fs.WalkDir(migrations.Files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(migrations.Files, path)
		fmt.Fprintf(hash, "%s\n%s\n", path, content)
		return err
	})
	if err != nil {
		tb.Fatalf("read migrations: %v", err)
	}
	fmt.Fprint(hash, migrations.Limits, migrations.Everywhere)
	return "enlace_template_" + hex.EncodeToString(hash.Sum(nil))[:16]
}

// makeTemplate creates and migrates the template database if it is not there yet.
func makeTemplate(ctx context.Context, admin, name string, migrations pg.Migrations) error {
	conn, err := pgx.Connect(ctx, admin)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, int64(setupLock))
	if err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	var exists bool
	err = conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)`, name).Scan(&exists)
	if err != nil || exists {
		return err
	}
	// Built under another name: a template of that name is always a finished one.
	draft := name + "_draft"
	for _, statement := range []string{
		createRole(pg.AppRole, "NOLOGIN"),
		createRole(ownerRole, "LOGIN PASSWORD '"+password+"'"),
		createRole(appRole, "LOGIN PASSWORD '"+password+"' IN ROLE "+pg.AppRole),
		`DROP DATABASE IF EXISTS ` + draft,
		`CREATE DATABASE ` + draft + ` OWNER ` + ownerRole,
	} {
		_, err = conn.Exec(ctx, statement)
		if err != nil {
			return fmt.Errorf("prepare: %w", err)
		}
	}
	owner, err := connectionURL(admin, draft, url.UserPassword(ownerRole, password))
	if err != nil {
		return err
	}
	err = pg.Migrate(ctx, owner, migrations)
	if err == nil && len(workers()) > 0 {
		err = distribute(ctx, admin, draft, migrations)
	}
	if err != nil {
		return err
	}
	for _, node := range append(workers(), admin) {
		err = run(ctx, node, `ALTER DATABASE `+draft+` RENAME TO `+name)
		if err != nil {
			return err
		}
	}
	return nil
}

func createRole(name, options string) string {
	return fmt.Sprintf(`DO $$ BEGIN
		IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '%[1]s') THEN CREATE ROLE %[1]s %[2]s; END IF;
	END $$`, name, options)
}

func exec(tb testing.TB, admin string, statements ...string) {
	tb.Helper()
	err := run(context.Background(), admin, statements...)
	if err != nil {
		tb.Fatalf("prepare test database: %v", err)
	}
}

func withUser(tb testing.TB, admin, database string, user *url.Userinfo) string {
	tb.Helper()
	text, err := connectionURL(admin, database, user)
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// connectionURL points the administrator's URL at another database and, unless nil, user.
func connectionURL(admin, database string, user *url.Userinfo) (string, error) {
	parsed, err := url.Parse(admin)
	if err != nil {
		return "", fmt.Errorf("TEST_DATABASE_URL is not a URL")
	}
	parsed.Path = "/" + database
	if user != nil {
		parsed.User = user
	}
	return parsed.String(), nil
}

func randomName() string {
	return strings.ToLower(rand.Text()[:16])
}
