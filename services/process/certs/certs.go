// Package certs makes TLS of PEM files, for the connections between programs of Enlace and
// for the public port. The files are looked at before each handshake and read again when
// they have changed: certificates, keys and authorities are renewed without a restart. A
// set that cannot be read, such as a new certificate beside the old key while both are
// being replaced, leaves the last good one in use.
//
// It knows no settings; who trusts whom is decided by whoever names the files.
package certs

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// Files are one side's of a connection between programs of Enlace, which is TLS 1.3.
type Files struct {
	// Cert and Key are the program's own certificate and its key. A client shows them to a
	// server that asks.
	Cert, Key string
	// Authorities must have signed the other side's certificate.
	Authorities string
}

// Server is the side that takes calls: in plain text without Cert, from anybody without
// Authorities.
func Server(files Files) (credentials.TransportCredentials, error) {
	if files.Cert == "" {
		return insecure.NewCredentials(), nil
	}
	return newReloading(files, func(config *tls.Config, authorities *x509.CertPool) {
		config.ClientAuth, config.ClientCAs = tls.RequireAndVerifyClientCert, authorities
	})
}

// Client is the side that calls: in plain text without Authorities.
func Client(files Files) (credentials.TransportCredentials, error) {
	if files.Authorities == "" {
		return insecure.NewCredentials(), nil
	}
	return newReloading(files, func(config *tls.Config, authorities *x509.CertPool) {
		config.RootCAs = authorities
	})
}

// authenticated are the ciphers of TLS 1.2 that encrypt and authenticate at once; those of TLS
// 1.3, which cannot be chosen, all do. Go would also offer CBC to clients that have nothing
// better, and scanners count that as a weakness (LUCKY13).
var authenticated = []uint16{
	tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
	tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
	tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
}

// Public is the TLS of a public HTTP port: version 1.2 or later (pui.md S-20).
func Public(cert, key string) (*tls.Config, error) {
	pair, err := newFresh(func() (*tls.Certificate, error) { return readPair(cert, key) }, cert, key)
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		CipherSuites:   authenticated,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return pair.latest(), nil },
		NextProtos:     []string{"h2", "http/1.1"},
	}, nil
}

// config reads all the files; trust says what the authorities, if any, are for.
func (f Files) config(trust func(*tls.Config, *x509.CertPool)) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS13}
	if f.Cert != "" {
		pair, err := readPair(f.Cert, f.Key)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{*pair}
	}
	if f.Authorities == "" {
		return config, nil
	}
	authorities, err := readAuthorities(f.Authorities)
	if err != nil {
		return nil, err
	}
	trust(config, authorities)
	return config, nil
}

func readPair(cert, key string) (*tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("read certificate: %w", err)
	}
	return &pair, nil
}

func readAuthorities(path string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read certificate authorities: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("read certificate authorities: no certificate in %s", path)
	}
	return pool, nil
}
