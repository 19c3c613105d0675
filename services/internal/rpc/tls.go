package rpc

import (
	"errors"

	"google.golang.org/grpc/credentials"

	"github.com/enlace-iis/enlace/services/process/certs"
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
	return certs.Server(certs.Files{Cert: c.CertFile, Key: c.KeyFile, Authorities: c.ClientCAFile})
}

func (c TLSConfig) clientCredentials() (credentials.TransportCredentials, error) {
	return certs.Client(certs.Files{Cert: c.CertFile, Key: c.KeyFile, Authorities: c.ServerCAFile})
}
