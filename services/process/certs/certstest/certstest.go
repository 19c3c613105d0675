// Package certstest makes certificate authorities for tests. Nothing else imports it.
package certstest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Authority signs certificates; its own lies in File.
type Authority struct {
	File string

	folder      string
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// Pair names the files of a certificate and its key.
type Pair struct{ Cert, Key string }

// NewAuthority makes an authority that keeps its files in folder.
func NewAuthority(folder, name string) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make key: %w", err)
	}
	template := certificateOf(name)
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("sign own certificate: %w", err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("read own certificate: %w", err)
	}
	a := &Authority{File: filepath.Join(folder, name+"-ca.pem"), folder: folder, certificate: certificate, key: key}
	return a, writePEM(a.File, "CERTIFICATE", der)
}

// Issue signs a certificate for the host of that name, others of its names and loopback, good
// for both ends of a connection.
func (a *Authority) Issue(name string, others ...string) (Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, fmt.Errorf("make key: %w", err)
	}
	template := certificateOf(name)
	template.DNSNames, template.IPAddresses = append(others, name), []net.IP{net.IPv4(127, 0, 0, 1)}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return Pair{}, fmt.Errorf("sign certificate: %w", err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return Pair{}, fmt.Errorf("encode key: %w", err)
	}
	pair := Pair{Cert: filepath.Join(a.folder, name+".pem"), Key: filepath.Join(a.folder, name+"-key.pem")}
	err = writePEM(pair.Cert, "CERTIFICATE", der)
	if err != nil {
		return Pair{}, err
	}
	return pair, writePEM(pair.Key, "PRIVATE KEY", keyDER)
}

// Join puts the content of the files from into the file to, one after the other. A file that
// is there already gets a later time than it had, for the clock of a file system may be coarse.
func Join(to string, from ...string) error {
	var content []byte
	for _, path := range from {
		part, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("read certificates: %w", err)
		}
		content = append(content, part...)
	}
	var later time.Time
	info, err := os.Stat(to)
	if err == nil {
		later = info.ModTime().Add(time.Minute)
	}
	err = os.WriteFile(to, content, 0o600)
	if err != nil {
		return fmt.Errorf("write certificates: %w", err)
	}
	return os.Chtimes(to, later, later) // a zero time changes nothing
}

func certificateOf(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}
}

func writePEM(path, kind string, der []byte) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
