// Package backend connects the gateway with the services behind it. It knows how they are
// reached and which RPCs may be repeated; nothing of what they mean.
package backend

import (
	"errors"
	"fmt"

	"google.golang.org/grpc"

	"github.com/enlace-iis/enlace/services/process/certs"
	"github.com/enlace-iis/enlace/services/process/grpcclient"
)

// TLS is how the services are reached. The zero value is plain text, for a loopback run or
// a network that encrypts by itself. The files are read again when they change, at the next
// connection.
type TLS struct {
	// ServerCAFile makes the gateway speak TLS and trust only services whose certificate
	// these authorities signed.
	ServerCAFile string `env:"TLS_SERVER_CA_FILE"`
	// CertFile and KeyFile are what the gateway shows to a service that asks for a
	// certificate.
	CertFile string `env:"TLS_CLIENT_CERT_FILE"`
	KeyFile  string `env:"TLS_CLIENT_KEY_FILE"`
}

// Validate refuses combinations that would be less secure than they look.
func (c TLS) Validate() error {
	if (c.CertFile == "") != (c.KeyFile == "") {
		return errors.New("TLS_CLIENT_CERT_FILE and TLS_CLIENT_KEY_FILE go together")
	}
	if c.CertFile != "" && c.ServerCAFile == "" {
		return errors.New("TLS_CLIENT_CERT_FILE needs TLS_SERVER_CA_FILE")
	}
	return nil
}

// Dial prepares a connection to target, see [grpcclient.Dial]; more goes to gRPC as it is.
// The caller closes the connection.
func Dial(target string, security TLS, more ...grpc.DialOption) (*grpc.ClientConn, error) {
	transport, err := certs.Client(certs.Files{Cert: security.CertFile, Key: security.KeyFile, Authorities: security.ServerCAFile})
	if err != nil {
		return nil, fmt.Errorf("prepare connection to %s: %w", target, err)
	}
	again, err := repeatable()
	if err != nil {
		return nil, fmt.Errorf("prepare connection to %s: %w", target, err)
	}
	return grpcclient.Dial(target, transport, again, more...)
}
