package pg_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/process"
	"github.com/enlace-iis/enlace/services/process/certs/certstest"
)

// secret is in every address below, and must be in no refusal.
const secret = "clave-del-rol"

func address(rest string) string { return "postgres://app:" + secret + "@" + rest }

func TestConfig_refusesAnAddressWithoutTLS(t *testing.T) {
	for name, url := range map[string]string{
		"nothing said":               address("db:5432/a"),
		"disable":                    address("db:5432/a?sslmode=disable"),
		"allow":                      address("db:5432/a?sslmode=allow"),
		"prefer":                     address("db:5432/a?sslmode=prefer"),
		"keywords":                   "host=db user=app password=" + secret + " sslmode=disable",
		"a private address":          address("10.0.0.7/a"),
		"the second of two hosts":    address("127.0.0.1:5432,db:5432/a"),
		"a host that sounds local":   address("localhost.example/a"),
		"not an address":             "postgres://app:" + secret + "@db:port/a",
		"a certificate not there":    address("db/a?sslmode=verify-full&sslrootcert=/nowhere/ca.pem"),
		"no certificate in the file": address("db/a?sslmode=verify-full&sslrootcert=" + placeholder(t)),
	} {
		t.Run(name, func(t *testing.T) {
			for _, cfg := range []pg.Config{
				{URL: url, Transport: pg.Transport{Installation: process.Installation{AppEnv: "production"}}},
				{URL: address("localhost/a"), LecturaURL: url, Transport: pg.Transport{Installation: process.Installation{AppEnv: "pruebas"}}},
			} {
				err := cfg.Validate()
				if err == nil || !strings.Contains(err.Error(), "DATABASE_URL") || strings.Contains(err.Error(), secret) {
					t.Errorf("error = %v, want a refusal that names the setting and not the password", err)
				}
			}
		})
	}
}

func TestConfig_takesAnAddressWithTLSOrOfThisMachine(t *testing.T) {
	authority, err := certstest.NewAuthority(t.TempDir(), "db")
	if err != nil {
		t.Fatal(err)
	}
	for name, cfg := range map[string]pg.Config{
		"require":                         {URL: address("db/a?sslmode=require")},
		"verify-full":                     {URL: address("db/a?sslmode=verify-full&sslrootcert=" + authority.File)},
		"two hosts":                       {URL: address("a:5432,b:5432/a?sslmode=verify-full"), LecturaURL: address("c/a?sslmode=require")},
		"loopback":                        {URL: address("127.0.0.1:5432/a?sslmode=disable")},
		"loopback of IPv6":                {URL: address("[::1]:5432/a")},
		"loopback by name":                {URL: address("localhost/a")},
		"a unix socket":                   {URL: "host=/var/run/postgresql user=app"},
		"a private network, as was said":  {URL: address("db/a"), Transport: pg.Transport{Plaintext: true}},
		"plain text in development":       {URL: address("db/a"), Transport: pg.Transport{Installation: process.Installation{AppEnv: "development"}}},
		"no certificate, and none wanted": {URL: address("db/a"), LecturaURL: address("c/a"), Transport: pg.Transport{Plaintext: true}},
	} {
		t.Run(name, func(t *testing.T) {
			if cfg.Transport.AppEnv == "" {
				cfg.Transport.AppEnv = "production"
			}
			err := cfg.Validate()
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// The manifests say it once for all addresses, by the variables of libpq.
func TestConfig_takesWhatTheEnvironmentSaysOfTLS(t *testing.T) {
	cfg := pg.Config{URL: address("db:5432/a"), Transport: pg.Transport{Installation: process.Installation{AppEnv: "production"}}}
	authority, err := certstest.NewAuthority(t.TempDir(), "db")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PGSSLMODE", "verify-full")
	t.Setenv("PGSSLROOTCERT", authority.File)
	err = cfg.Validate()
	if err != nil {
		t.Error(err)
	}
	cfg.URL += "?sslmode=disable"
	err = cfg.Validate()
	if err == nil {
		t.Error("an address that refuses TLS by itself is taken")
	}
}

func placeholder(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ca.pem")
	err := os.WriteFile(path, []byte("# the authority's certificate goes here\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
