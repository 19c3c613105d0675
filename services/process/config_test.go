package process

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type sampleConfig struct {
	Addr   string `env:"ADDR" envDefault:"127.0.0.1:0"`
	Secret string `env:"SECRET,required"`
	Size   int    `env:"SIZE"`
}

func (c *sampleConfig) Validate() error {
	if len(c.Secret) < 4 {
		return errors.New("SECRET must have at least 4 bytes")
	}
	return nil
}

func TestLoad_reportsEverythingAtOnceWithoutValues(t *testing.T) {
	_, err := load[sampleConfig]([]string{"SIZE=veryprivate"})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"SECRET", "Size"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not name %s", err, want)
		}
	}
	if strings.Contains(err.Error(), "veryprivate") {
		t.Errorf("error %q shows a value", err)
	}
}

func TestLoad_appliesTheStructsOwnRules(t *testing.T) {
	_, err := load[sampleConfig]([]string{"SECRET=abc"})
	if err == nil || !strings.Contains(err.Error(), "at least 4 bytes") {
		t.Errorf("error = %v", err)
	}
}

func TestLoad_readsSecretsFromFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	err := os.WriteFile(path, []byte("from a file\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}

	cfg, err := load[sampleConfig]([]string{"SECRET_FILE=" + path})
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Secret != "from a file" {
		t.Errorf("secret = %q", cfg.Secret)
	}

	_, err = load[sampleConfig]([]string{"SECRET=direct", "SECRET_FILE=" + path})
	if err == nil || !strings.Contains(err.Error(), "both set") {
		t.Errorf("error = %v, want a refusal of both", err)
	}
}

func TestLoad_leavesOtherFileVariablesAlone(t *testing.T) {
	cfg, err := load[sampleConfig]([]string{"SECRET=direct", "SSL_CERT_FILE=/there/is/no/such/file"})
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Secret != "direct" {
		t.Errorf("secret = %q", cfg.Secret)
	}
}
