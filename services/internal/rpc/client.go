package rpc

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/enlace-iis/enlace/services/process/grpcclient"
)

// ClientConfig is how a program calls a service.
type ClientConfig struct {
	// Deadline bounds a unary call whose context has no deadline of its own. Zero: 15 s.
	// Streams have none, because a list lasts as long as its reader takes.
	Deadline time.Duration `env:"GRPC_CLIENT_DEADLINE" envDefault:"15s"`
	// TLS is shared with the server of the same program.
	TLS TLSConfig

	// Credentials go with every call; see the service tokens of package auth.
	Credentials credentials.PerRPCCredentials `env:"-"`
	// Idempotent names the full methods that are repeated, at most three times within
	// about a second, when no replica took them (UNAVAILABLE).
	Idempotent []string `env:"-"`
	// Metrics takes the client's metrics; several clients may share one. Nil: none.
	Metrics prometheus.Registerer `env:"-"`
	// Options go to gRPC as they are.
	Options []grpc.DialOption `env:"-"`
}

// Dial prepares a connection to target, see [grpcclient.Dial]. An error of the peer comes
// back with its reason, see errs.FromStatus. The caller closes the connection.
func Dial(target string, cfg ClientConfig) (*grpc.ClientConn, error) {
	transport, err := cfg.transport()
	if err != nil {
		return nil, fmt.Errorf("prepare connection to %s: %w", target, err)
	}
	options, err := cfg.options()
	if err != nil {
		return nil, fmt.Errorf("prepare connection to %s: %w", target, err)
	}
	return grpcclient.Dial(target, transport, cfg.Idempotent, options...)
}

func (c ClientConfig) transport() (credentials.TransportCredentials, error) {
	err := c.TLS.Validate()
	if err != nil {
		return nil, err
	}
	return c.TLS.clientCredentials()
}

func (c ClientConfig) options() ([]grpc.DialOption, error) {
	metrics, err := newMetrics(c.Metrics, "client")
	if err != nil {
		return nil, err
	}
	options := []grpc.DialOption{
		grpc.WithChainUnaryInterceptor(unaryErrors, c.unaryDeadline, metrics.unaryClient, unaryRequestID),
		grpc.WithChainStreamInterceptor(streamErrors, metrics.streamClient, streamRequestID),
	}
	if c.Credentials != nil {
		options = append(options, grpc.WithPerRPCCredentials(c.Credentials))
	}
	return append(options, c.Options...), nil
}
