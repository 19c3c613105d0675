package certs

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// writePair writes a fresh self-signed certificate and its key, and sets the time of the
// files, which a file system may keep too coarsely for a test.
func writePair(t *testing.T, certFile, keyFile string, serial int64) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial),
		Subject:      pkix.Name{CommonName: "enlace.example"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	writePEM(t, certFile, "CERTIFICATE", der, serial)
	writePEM(t, keyFile, "EC PRIVATE KEY", keyDER, serial)
}

func writePEM(t *testing.T, path, kind string, der []byte, serial int64) {
	t.Helper()
	err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1_700_000_000+serial, 0)
	err = os.Chtimes(path, at, at)
	if err != nil {
		t.Fatal(err)
	}
}

// serve answers handshakes, and nothing else, with a pair of files.
func serve(t *testing.T) (address, certFile, keyFile string, log *bytes.Buffer) {
	t.Helper()
	certFile, keyFile = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	writePair(t, certFile, keyFile, 1)
	log = &bytes.Buffer{}
	pair, err := Read(certFile, keyFile, slog.New(slog.NewJSONHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", pair.Server())
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
	return listener.Addr().String(), certFile, keyFile, log
}

// serial connects anew and gives the serial number of the certificate that is served.
func serial(t *testing.T, address string) int64 {
	t.Helper()
	conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
}

func TestPair_isRenewedWithoutARestart(t *testing.T) {
	address, certFile, keyFile, log := serve(t)
	if got := serial(t, address); got != 1 {
		t.Errorf("got certificate %d", got)
	}
	writePair(t, certFile, keyFile, 2)
	if got := serial(t, address); got != 2 {
		t.Errorf("got certificate %d, want the renewed one", got)
	}
	// Only the certificate has been replaced so far; it does not fit the key.
	writePair(t, certFile, filepath.Join(t.TempDir(), "other.pem"), 3)
	if got := serial(t, address); got != 2 {
		t.Errorf("got certificate %d, want the last good one", got)
	}
	if !strings.Contains(log.String(), "certificate changed but cannot be read") {
		t.Errorf("nobody was told: %s", log)
	}
	writePair(t, certFile, keyFile, 4)
	if got := serial(t, address); got != 4 {
		t.Errorf("got certificate %d", got)
	}
}

func TestServer_versions(t *testing.T) {
	address, _, _, _ := serve(t)
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

func TestPair_asAClient(t *testing.T) {
	certFile, keyFile := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	for want := range int64(3) {
		writePair(t, certFile, keyFile, want)
		pair, err := Read(certFile, keyFile, slog.Default())
		if err != nil {
			t.Fatal(err)
		}
		got, err := pair.Client(nil)
		if err != nil || got.Leaf.SerialNumber.Int64() != want {
			t.Errorf("got %v, %v; want certificate %d", got, err, want)
		}
	}
}

func TestRead_refusesFilesThatAreNot(t *testing.T) {
	_, err := Read(filepath.Join(t.TempDir(), "none"), filepath.Join(t.TempDir(), "none"), slog.Default())
	if err == nil {
		t.Error("no files, yet no error")
	}
}
