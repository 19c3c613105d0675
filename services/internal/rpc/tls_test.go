package rpc

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/process/certs/certstest"
)

func TestTLS_mutual(t *testing.T) {
	ours, theirs := newAuthority(t), newAuthority(t)
	serverFiles := issue(t, ours, "enlace")
	clientFiles := issue(t, ours, "client")
	strangerFiles := issue(t, theirs, "client")
	f := serve(t, ServerConfig{TLS: TLSConfig{
		CertFile: serverFiles.Cert, KeyFile: serverFiles.Key, ClientCAFile: ours.File,
	}}, ServerParts{}, &stub{})

	tests := []struct {
		name   string
		client TLSConfig
		ok     bool
	}{
		{"both known", TLSConfig{CertFile: clientFiles.Cert, KeyFile: clientFiles.Key, ServerCAFile: ours.File}, true},
		{"client without certificate", TLSConfig{ServerCAFile: ours.File}, false},
		{"client of another authority", TLSConfig{CertFile: strangerFiles.Cert, KeyFile: strangerFiles.Key, ServerCAFile: ours.File}, false},
		{"server of another authority", TLSConfig{CertFile: clientFiles.Cert, KeyFile: clientFiles.Key, ServerCAFile: theirs.File}, false},
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
	files := issue(t, before, "enlace")
	f := serve(t, ServerConfig{TLS: TLSConfig{CertFile: files.Cert, KeyFile: files.Key}}, ServerParts{}, &stub{})
	trustBefore, trustAfter := TLSConfig{ServerCAFile: before.File}, TLSConfig{ServerCAFile: after.File}
	if err := errors.Join(f.ping(t, trustBefore), refused(f.ping(t, trustAfter))); err != nil {
		t.Fatal(err)
	}

	// Half of the new pair cannot be used; the old one goes on serving.
	renewed := issue(t, after, "enlace")
	replace(t, files.Cert, renewed.Cert)
	if err := f.ping(t, trustBefore); err != nil {
		t.Fatalf("half renewed: %v", err)
	}
	replace(t, files.Key, renewed.Key)
	if err := errors.Join(f.ping(t, trustAfter), refused(f.ping(t, trustBefore))); err != nil {
		t.Errorf("renewed: %v", err)
	}
}

func TestTLS_refusesAuthoritiesWithoutCertificate(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	err := os.WriteFile(empty, nil, 0o600)
	if err != nil {
		t.Fatal(err)
	}
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
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
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

func newAuthority(t *testing.T) *certstest.Authority {
	t.Helper()
	authority, err := certstest.NewAuthority(t.TempDir(), "authority")
	if err != nil {
		t.Fatal(err)
	}
	return authority
}

func issue(t *testing.T, authority *certstest.Authority, name string) certstest.Pair {
	t.Helper()
	pair, err := authority.Issue(name)
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

func replace(t *testing.T, path, from string) {
	t.Helper()
	err := certstest.Join(path, from)
	if err != nil {
		t.Fatal(err)
	}
}
