package rpc

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// TLSConfig names the PEM files of both sides. All empty means plain text, for a loopback
// run or a network that encrypts by itself. The files are read again when they change, at
// the next connection, so certificates are renewed without a restart.
type TLSConfig struct {
	// CertFile and KeyFile are this program's certificate and key. A server with them
	// speaks TLS; a client with them shows them to a server that asks.
	CertFile string `env:"TLS_CERT_FILE"`
	KeyFile  string `env:"TLS_KEY_FILE"`
	// ClientCAFile makes a server refuse every client without a certificate that these
	// authorities signed.
	ClientCAFile string `env:"TLS_CLIENT_CA_FILE"`
	// ServerCAFile makes a client speak TLS and trust only servers whose certificate these
	// authorities signed.
	ServerCAFile string `env:"TLS_SERVER_CA_FILE"`
}

// Validate refuses combinations that would be less secure than they look.
func (c TLSConfig) Validate() error {
	if (c.CertFile == "") != (c.KeyFile == "") {
		return errors.New("TLS_CERT_FILE and TLS_KEY_FILE go together")
	}
	if c.ClientCAFile != "" && c.CertFile == "" {
		return errors.New("TLS_CLIENT_CA_FILE needs TLS_CERT_FILE")
	}
	return nil
}

func (c TLSConfig) serverCredentials() (credentials.TransportCredentials, error) {
	if c.CertFile == "" {
		return insecure.NewCredentials(), nil
	}
	return newReloading(c.serverTLS, c.CertFile, c.KeyFile, c.ClientCAFile)
}

func (c TLSConfig) clientCredentials() (credentials.TransportCredentials, error) {
	if c.ServerCAFile == "" {
		return insecure.NewCredentials(), nil
	}
	return newReloading(c.clientTLS, c.CertFile, c.KeyFile, c.ServerCAFile)
}

func (c TLSConfig) serverTLS() (*tls.Config, error) {
	config, err := c.ownCertificate()
	if err != nil || c.ClientCAFile == "" {
		return config, err
	}
	config.ClientAuth = tls.RequireAndVerifyClientCert
	config.ClientCAs, err = readAuthorities(c.ClientCAFile)
	return config, err
}

func (c TLSConfig) clientTLS() (*tls.Config, error) {
	config, err := c.ownCertificate()
	if err != nil {
		return nil, err
	}
	config.RootCAs, err = readAuthorities(c.ServerCAFile)
	return config, err
}

func (c TLSConfig) ownCertificate() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS13}
	if c.CertFile == "" {
		return config, nil
	}
	certificate, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("read certificate: %w", err)
	}
	config.Certificates = []tls.Certificate{certificate}
	return config, nil
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

// reloading is TLS whose files are looked at before each handshake. A set that cannot be
// read, such as a new certificate beside the old key while both are being replaced, leaves
// the last good one in use.
type reloading struct {
	credentials.TransportCredentials // the first ones, for what never changes

	read  func() (*tls.Config, error)
	files []string

	mu      sync.Mutex
	stamp   string
	current credentials.TransportCredentials
}

func newReloading(read func() (*tls.Config, error), files ...string) (*reloading, error) {
	r := &reloading{read: read, files: files}
	stamp := r.stampFiles()
	config, err := read()
	if err != nil {
		return nil, err
	}
	r.stamp, r.current = stamp, credentials.NewTLS(config)
	r.TransportCredentials = r.current
	return r, nil
}

func (r *reloading) ClientHandshake(ctx context.Context, authority string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return r.latest().ClientHandshake(ctx, authority, conn)
}

func (r *reloading) ServerHandshake(conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return r.latest().ServerHandshake(conn)
}

// Clone shares the receiver: gRPC never changes credentials after it has cloned them.
func (r *reloading) Clone() credentials.TransportCredentials {
	return r
}

func (r *reloading) latest() credentials.TransportCredentials {
	r.mu.Lock()
	defer r.mu.Unlock()

	stamp := r.stampFiles()
	if stamp == r.stamp {
		return r.current
	}
	config, err := r.read()
	if err != nil {
		slog.Error("certificates changed but cannot be read; the last ones stay", "error", err)
		return r.current
	}
	r.stamp, r.current = stamp, credentials.NewTLS(config)
	return r.current
}

// stampFiles changes whenever one of the files does. A link counts as what it leads to,
// for that is how Kubernetes replaces secrets.
func (r *reloading) stampFiles() string {
	var stamp strings.Builder
	for _, path := range r.files {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		fmt.Fprintf(&stamp, "%s %d %d\n", path, info.ModTime().UnixNano(), info.Size())
	}
	return stamp.String()
}
