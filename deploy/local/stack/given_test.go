package stack

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/deploy/local/pgcluster"
)

// given is a server of somebody else's, with a database for each service and a login that owns both.
func given(t *testing.T, rights string) (registros, integracion string) {
	t.Helper()
	cluster, err := pgcluster.Start(t.Context(), pgcluster.Config{Throwaway: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := cluster.Close(context.Background())
		if err != nil {
			t.Error(err)
		}
	})
	admin := connect(t, cluster.URL("postgres"))
	for _, statement := range []string{
		"CREATE ROLE duenio LOGIN PASSWORD 'x' " + rights,
		"CREATE DATABASE a OWNER duenio", "CREATE DATABASE b OWNER duenio",
	} {
		_, err = admin.Exec(t.Context(), statement)
		if err != nil {
			t.Fatal(err)
		}
	}
	address, err := url.Parse(cluster.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	return pgcluster.URL("duenio", "x", address.Host, "a"), pgcluster.URL("duenio", "x", address.Host, "b")
}

func TestStart_givenDatabases(t *testing.T) {
	t.Parallel()
	tests := []struct {
		rights  string
		ownRole bool
	}{
		{"SUPERUSER", true},
		{"CREATEROLE", true},
		{"", false},
	}
	for _, tt := range tests {
		t.Run("owner "+tt.rights, func(t *testing.T) {
			t.Parallel()
			a, b := given(t, tt.rights)
			dir := t.TempDir()
			use := func(cfg *Config) {
				cfg.Dir, cfg.DatabaseURLRegistros, cfg.DatabaseURLIntegracion = dir, a, b
			}
			var roles []string
			for range 2 { // a second run must find its roles again
				s := start(t, use)
				if s.OwnerURL(Registros) != a || s.OwnerURL(Integracion) != b {
					t.Error("the given addresses are not the owners'")
				}
				var role string
				err := connect(t, environmentOf(t, s, Registros)["DATABASE_URL"]).QueryRow(t.Context(), "SELECT current_user").Scan(&role)
				if err != nil {
					t.Fatal(err)
				}
				if strings.HasPrefix(role, "registros_app_") != tt.ownRole {
					t.Errorf("the service runs as %s", role)
				}
				roles = append(roles, role)
				stop(t, s)
			}
			if roles[0] != roles[1] {
				t.Errorf("roles differ: %v", roles)
			}
		})
	}
}

func TestStart_givenOwnerThatSeesEverything(t *testing.T) {
	t.Parallel()
	a, b := given(t, "BYPASSRLS")
	_, err := Start(t.Context(), Config{BinDir: binDir, Dir: t.TempDir(), DatabaseURLRegistros: a, DatabaseURLIntegracion: b})
	if err == nil || !strings.Contains(err.Error(), "no lo limitan") {
		t.Errorf("error = %v", err)
	}
}

func TestStart_givenDatabasesRefused(t *testing.T) {
	t.Parallel()
	const nobodyListens = "postgres://alguien:secreto@127.0.0.1:1/x"
	tests := []struct{ registros, integracion, want string }{
		{nobodyListens, "", "van juntas"},
		{"", nobodyListens, "van juntas"},
		{"host=localhost", "host=localhost", "no tiene la forma"},
		{nobodyListens, nobodyListens, "connect"},
	}
	for i, tt := range tests {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			_, err := Start(t.Context(), Config{
				BinDir: binDir, Dir: t.TempDir(), DatabaseURLRegistros: tt.registros, DatabaseURLIntegracion: tt.integracion,
			})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want %q", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "secreto") {
				t.Errorf("error = %v tells the password", err)
			}
		})
	}
}

func TestWithRole(t *testing.T) {
	t.Parallel()
	address, err := url.Parse("postgres://duenio:x@db:5432/a?sslmode=require&user=duenio&password=x")
	if err != nil {
		t.Fatal(err)
	}
	got := withRole(*address, role{name: "app", password: "y"})
	if got != "postgres://app:y@db:5432/a?sslmode=require" {
		t.Errorf("address = %s", got)
	}
}
