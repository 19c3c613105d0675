package routes

import (
	"errors"
	"fmt"

	"google.golang.org/grpc"

	"github.com/enlace-iis/enlace/proto/opciones"
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

// repeatable are the RPCs whose protos say that they change nothing. They are sent again when a
// replica that may have begun them went away, a list only before its first message; what no replica
// has begun is sent again by gRPC itself, whatever it is.
func repeatable() (rpcs []string, err error) {
	metodos, err := opciones.Todos()
	if err != nil {
		return nil, fmt.Errorf("find what may be repeated: %w", err)
	}
	for _, metodo := range metodos {
		if metodo.GetRepetible() {
			rpcs = append(rpcs, metodo.RPC)
		}
	}
	return rpcs, nil
}
