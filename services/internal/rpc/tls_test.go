package rpc

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

func TestTLS_mutual(t *testing.T) {
	ours, theirs := newAuthority(t), newAuthority(t)
	serverFiles := ours.issue(t, "enlace")
	clientFiles := ours.issue(t, "client")
	strangerFiles := theirs.issue(t, "client")
	f := serve(t, ServerConfig{TLS: TLSConfig{
		CertFile: serverFiles.cert, KeyFile: serverFiles.key, ClientCAFile: ours.file,
	}}, ServerParts{}, &stub{})

	tests := []struct {
		name   string
		client TLSConfig
		ok     bool
	}{
		{"both known", TLSConfig{CertFile: clientFiles.cert, KeyFile: clientFiles.key, ServerCAFile: ours.file}, true},
		{"client without certificate", TLSConfig{ServerCAFile: ours.file}, false},
		{"client of another authority", TLSConfig{CertFile: strangerFiles.cert, KeyFile: strangerFiles.key, ServerCAFile: ours.file}, false},
		{"server of another authority", TLSConfig{CertFile: clientFiles.cert, KeyFile: clientFiles.key, ServerCAFile: theirs.file}, false},
		{"plain text", TLSConfig{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := f.ping(t, tt.client)
			if (err == nil) != tt.ok {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestTLS_renewedWithoutRestart(t *testing.T) {
	before, after := newAuthority(t), newAuthority(t)
	files := before.issue(t, "enlace")
	f := serve(t, ServerConfig{TLS: TLSConfig{CertFile: files.cert, KeyFile: files.key}}, ServerParts{}, &stub{})
	trustBefore, trustAfter := TLSConfig{ServerCAFile: before.file}, TLSConfig{ServerCAFile: after.file}
	if err := errors.Join(f.ping(t, trustBefore), refused(f.ping(t, trustAfter))); err != nil {
		t.Fatal(err)
	}

	// Half of the new pair cannot be used; the old one goes on serving.
	renewed := after.issue(t, "enlace")
	replace(t, files.cert, renewed.cert)
	if err := f.ping(t, trustBefore); err != nil {
		t.Fatalf("half renewed: %v", err)
	}
	replace(t, files.key, renewed.key)
	if err := errors.Join(f.ping(t, trustAfter), refused(f.ping(t, trustBefore))); err != nil {
		t.Errorf("renewed: %v", err)
	}
}

func TestTLS_refusesAuthoritiesWithoutCertificate(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	write(t, empty, nil)
	for _, path := range []string{empty, "no such file"} {
		_, err := Dial("dns:///localhost:1", ClientConfig{TLS: TLSConfig{ServerCAFile: path}})
		if err == nil {
			t.Errorf("%q accepted", path)
		}
	}
}

// ping makes one call over a connection of its own.
func (f *fixture) ping(t *testing.T, cfg TLSConfig) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err := registrosv1.NewRegistroServiceClient(f.dial(t, ClientConfig{TLS: cfg})).Ping(ctx, nil)
	return err
}

func refused(err error) error {
	if err == nil {
		return errors.New("not refused")
	}
	return nil
}

// authority signs certificates; its own lies in file.
type authority struct {
	file        string
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

type certFiles struct{ cert, key string }

func newAuthority(t *testing.T) authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := certificateFor("authority")
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	write(t, file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	return authority{file: file, certificate: certificate, key: key}
}

func (a authority) issue(t *testing.T, name string) certFiles {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, certificateFor(name), a.certificate, key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	files := certFiles{cert: filepath.Join(t.TempDir(), "cert.pem"), key: filepath.Join(t.TempDir(), "key.pem")}
	write(t, files.cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	write(t, files.key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}))
	return files
}

func certificateFor(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		Subject:      pkix.Name{CommonName: name},
		DNSNames:     []string{name},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	err := os.WriteFile(path, content, 0o600)
	if err != nil {
		t.Fatal(err)
	}
}

// replace gives the file another content and, as the clock of a file system may be coarse,
// a time that differs for certain.
func replace(t *testing.T, path, from string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, content)
	later := time.Now().Add(time.Minute)
	err = os.Chtimes(path, later, later)
	if err != nil {
		t.Fatal(err)
	}
}
