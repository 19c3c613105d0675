package stack

import (
	"encoding/base64"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/deploy/local/envfile"
)

// unstarted is a stack as far as environments need one.
func unstarted(t *testing.T, env map[string]string) *Stack {
	t.Helper()
	store, err := envfile.Open(filepath.Join(t.TempDir(), SecretsFile))
	if err != nil {
		t.Fatal(err)
	}
	s := &Stack{cfg: Config{Env: env}, secrets: store}
	err = s.makeSecrets()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEnvironment_inherits(t *testing.T) {
	t.Parallel()
	s := unstarted(t, map[string]string{"AJUSTE": "de la configuración"})
	inherited := []string{
		"PATH=/bin", "LOG_LEVEL=debug", "LOGIN_MAX_FAILURES=3", "APP_ENV=production", "ROOT_PATH=/enlace", "AJUSTE=heredado",
		"DATABASE_URL=mine", "DATABASE_URL_FILE=mine", "OPS_ADDR=:1", "HTTP_PORT=1", "PUI_SALIDA_CLAVE=x",
		"DATABASE_URL_REGISTROS=owner", "TEST_DATABASE_URL=other",
	}
	got := parseEnvironment(s.environment(Gateway, inherited))
	for key, want := range map[string]string{
		"PATH": "/bin", "LOG_LEVEL": "debug", "LOGIN_MAX_FAILURES": "3", "APP_ENV": "production", "ROOT_PATH": "/enlace",
		"AJUSTE": "de la configuración", "DATABASE_URL": "", "DATABASE_URL_FILE": "", "OPS_ADDR": "", "HTTP_PORT": "",
		"PUI_SALIDA_CLAVE": "", "DATABASE_URL_REGISTROS": "", "TEST_DATABASE_URL": "",
	} {
		if got[key] != want {
			t.Errorf("%s = %q, want %q", key, got[key], want)
		}
	}
}

func TestEnvironment_secretsOfThePerson(t *testing.T) {
	t.Parallel()
	s := unstarted(t, nil)
	got := parseEnvironment(s.environment(Integracion, []string{"JWT_SECRET=own", "ENCRYPTION_KEYS_FILE=/run/claves"}))
	if got["JWT_SECRET"] != "own" || got["ENCRYPTION_KEYS_FILE"] != "/run/claves" {
		t.Error("a secret of the environment is not used")
	}
	if slices.ContainsFunc(s.environment(Integracion, []string{"ENCRYPTION_KEYS_FILE=/run/claves"}), func(line string) bool {
		return strings.HasPrefix(line, "ENCRYPTION_KEYS=")
	}) {
		t.Error("a secret is given as a value and as a file")
	}
	got = parseEnvironment(s.environment(Gateway, []string{"JWT_SECRET=own", "JWT_SECRET_FILE=/run/jwt"}))
	if got["JWT_SECRET"] != "" || got["JWT_SECRET_FILE"] != "" {
		t.Error("the gateway inherits a secret")
	}
}

func TestMakeSecrets(t *testing.T) {
	t.Parallel()
	s := unstarted(t, nil)
	id, key, found := strings.Cut(s.secrets.Get("ENCRYPTION_KEYS"), ":")
	raw, err := base64.StdEncoding.DecodeString(key)
	if !found || id == "" || err != nil || len(raw) != 32 {
		t.Errorf("ENCRYPTION_KEYS is not id:base64 of 32 bytes: %v", err)
	}
	if s.secrets.Get("JWT_SECRET") == s.secrets.Get("SERVICE_SECRET") {
		t.Error("two secrets are the same")
	}
}

func TestScheme(t *testing.T) {
	const key = "TLS_CERT_FILE"
	tests := []struct {
		inherited string
		own       map[string]string
		want      string
	}{
		{"", nil, "http"},
		{"/run/cert.pem", nil, "https"},
		{"", map[string]string{key: "/run/cert.pem"}, "https"},
		{"/run/cert.pem", map[string]string{key: ""}, "http"},
	}
	for _, tt := range tests {
		t.Setenv(key, tt.inherited)
		got := scheme(tt.own)
		if got != tt.want {
			t.Errorf("inherited %q, own %v: %s, want %s", tt.inherited, tt.own, got, tt.want)
		}
	}
}
