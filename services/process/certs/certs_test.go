package certs

import (
	"bytes"
	"crypto/tls"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/services/process/certs/certstest"
)

// Not parallel: it reads the default log.
func TestPublic_isRenewedWithoutARestart(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	first, second, third := newPair(t, "first"), newPair(t, "second"), newPair(t, "third")
	address := serve(t, first)
	wantServed(t, address, "first")
	replace(t, first.Cert, second.Cert)
	replace(t, first.Key, second.Key)
	wantServed(t, address, "second")
	// Only the certificate has been replaced so far; it does not fit the key.
	replace(t, first.Cert, third.Cert)
	wantServed(t, address, "second")
	if !strings.Contains(log.String(), "certificates changed but cannot be read") {
		t.Errorf("nobody was told: %s", &log)
	}
	replace(t, first.Key, third.Key)
	wantServed(t, address, "third")
}

func TestPublic_versions(t *testing.T) {
	address := serve(t, newPair(t, "server"))
	for version, good := range map[uint16]bool{tls.VersionTLS10: false, tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, MinVersion: version, MaxVersion: version})
		if (err == nil) != good {
			t.Errorf("%s: %v", tls.VersionName(version), err)
		}
		if err == nil {
			_ = conn.Close()
		}
	}
}

func TestPublic_ciphers(t *testing.T) {
	address := serve(t, newPair(t, "server")) // its key is of an elliptic curve
	for cipher, good := range map[uint16]bool{
		tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256:       true,
		tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: true,
		tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA:          false,
		tls.TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA:          false,
		tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256:       false,
	} {
		conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{cipher}})
		if (err == nil) != good {
			t.Errorf("%s: %v", tls.CipherSuiteName(cipher), err)
		}
		if err == nil {
			_ = conn.Close()
		}
	}
}

func TestFilesThatAreNot(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	good := newPair(t, "good")
	_, err := Public(none, none)
	if err == nil {
		t.Error("a certificate that is none was taken")
	}
	for _, files := range []Files{
		{Cert: none, Key: none, Authorities: good.Cert},
		{Cert: good.Cert, Key: good.Key, Authorities: none},
		{Cert: good.Cert, Key: good.Key, Authorities: good.Key},
	} {
		_, serverErr := Server(files)
		_, clientErr := Client(files)
		if serverErr == nil || clientErr == nil {
			t.Errorf("%+v was taken", files)
		}
	}
}

// serve answers handshakes, and nothing else, with a pair of files.
func serve(t *testing.T, pair certstest.Pair) (address string) {
	t.Helper()
	config, err := Public(pair.Cert, pair.Key)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_ = conn.(*tls.Conn).Handshake()
			_ = conn.Close()
		}
	}()
	return listener.Addr().String()
}

// wantServed connects anew and looks at whose certificate is served.
func wantServed(t *testing.T, address, name string) {
	t.Helper()
	conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if got := conn.ConnectionState().PeerCertificates[0].Subject.CommonName; got != name {
		t.Errorf("got the certificate of %s, want that of %s", got, name)
	}
}

func newPair(t *testing.T, name string) certstest.Pair {
	t.Helper()
	authority, err := certstest.NewAuthority(t.TempDir(), "authority")
	if err != nil {
		t.Fatal(err)
	}
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
