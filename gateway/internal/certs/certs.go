// Package certs reads the program's certificates from PEM files and notices when they are
// renewed, so that no restart is needed. It decides nothing about trust.
package certs

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// A Pair is a certificate and its key. The files are looked at before each handshake.
// While the two do not fit together, as between the replacement of one and the other, the
// last good pair stays in use. It is safe for concurrent use.
type Pair struct {
	certFile, keyFile string
	log               *slog.Logger

	mu      sync.Mutex
	stamp   stamp
	current *tls.Certificate
}

// Read reads a pair for the first time, when it must be good.
func Read(certFile, keyFile string, log *slog.Logger) (*Pair, error) {
	p := &Pair{certFile: certFile, keyFile: keyFile, log: log}
	err := p.load(p.stampNow())
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Server is the TLS side of a public port: version 1.2 or later (pui.md S-20).
func (p *Pair) Server() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return p.latest(), nil },
		NextProtos:     []string{"h2", "http/1.1"},
	}
}

// Client presents the certificate to a server that asks for one.
func (p *Pair) Client(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	return p.latest(), nil
}

// A stamp changes whenever one of the two files does. A link counts as what it leads to,
// for that is how Kubernetes replaces secrets.
type stamp [2]struct {
	modified time.Time
	size     int64
}

func (p *Pair) stampNow() stamp {
	var now stamp
	for i, path := range []string{p.certFile, p.keyFile} {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		now[i].modified, now[i].size = info.ModTime(), info.Size()
	}
	return now
}

func (p *Pair) load(now stamp) error {
	pair, err := tls.LoadX509KeyPair(p.certFile, p.keyFile)
	if err != nil {
		return fmt.Errorf("read certificate: %w", err)
	}
	p.stamp, p.current = now, &pair
	return nil
}

func (p *Pair) latest() *tls.Certificate {
	p.mu.Lock()
	defer p.mu.Unlock()

	now := p.stampNow()
	if now == p.stamp {
		return p.current
	}
	err := p.load(now)
	if err != nil {
		p.log.Error("certificate changed but cannot be read; the last one stays", "error", err)
	}
	return p.current
}
