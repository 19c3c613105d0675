package process

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestExpiryOf(t *testing.T) {
	t.Parallel()
	expires := time.Date(2031, 2, 3, 4, 5, 6, 0, time.UTC)
	good := filepath.Join(t.TempDir(), "good.pem")
	writeCertificate(t, good, expires)
	broken := filepath.Join(t.TempDir(), "broken.pem")
	err := os.WriteFile(broken, []byte("no certificate"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		path string
		want float64
	}{
		"a certificate":        {good, float64(expires.Unix())},
		"none":                 {"", math.Inf(1)},
		"a file that is none":  {broken, 0},
		"a file that is away":  {good + ".not", 0},
		"a folder of the path": {filepath.Dir(good), 0},
	} {
		if got := expiryOf(tt.path); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
	renewed := expires.AddDate(1, 0, 0)
	writeCertificate(t, good, renewed)
	if got := expiryOf(good); got != float64(renewed.Unix()) {
		t.Errorf("renewed: %v, want %v", got, renewed.Unix())
	}
}

func writeCertificate(t *testing.T, path string, expires time.Time) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: expires}
	content, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	if err != nil {
		t.Fatal(err)
	}
	err = os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: content}), 0o600)
	if err != nil {
		t.Fatal(err)
	}
}
