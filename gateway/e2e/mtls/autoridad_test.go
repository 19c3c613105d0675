package mtls

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

// autoridad signs certificates; its own lies in ca.
type autoridad struct {
	ca          string
	folder      string
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// par is a certificate and its key, as files.
type par struct{ cert, key string }

// newAutoridad makes an authority that keeps its files in folder.
func newAutoridad(folder, name string) (*autoridad, error) {
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
	a := &autoridad{ca: filepath.Join(folder, name+"-ca.pem"), folder: folder, certificate: certificate, key: key}
	return a, writePEM(a.ca, "CERTIFICATE", der)
}

// issue signs a certificate for loopback, good for both ends of a connection.
func (a *autoridad) issue(name string) (par, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return par{}, fmt.Errorf("make key: %w", err)
	}
	template := certificateOf(name)
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return par{}, fmt.Errorf("sign certificate: %w", err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return par{}, fmt.Errorf("encode key: %w", err)
	}
	files := par{cert: filepath.Join(a.folder, name+".pem"), key: filepath.Join(a.folder, name+"-key.pem")}
	err = writePEM(files.cert, "CERTIFICATE", der)
	if err != nil {
		return par{}, err
	}
	return files, writePEM(files.key, "PRIVATE KEY", keyDER)
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
