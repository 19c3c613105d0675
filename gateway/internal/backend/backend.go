// Package backend connects the gateway with the services behind it. It knows addresses,
// transport security and which RPCs may be repeated; nothing of what they mean.
package backend

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	_ "google.golang.org/grpc/health" // lets the client watch the health of replicas
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/resolver/dns"

	"github.com/enlace-iis/enlace/services/process/certs"
)

// gRPC looks at DNS at most every 30 s, which is how long calls would fail after the only
// replica came back under another address. The setting is global and must precede any
// call, hence an init.
func init() {
	dns.SetMinResolutionInterval(5 * time.Second)
}

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

const (
	// The services send at most 64 MiB: the verdict on 5000 records that are all wrong is
	// many times larger than the records.
	maxAnswer  = 64 << 20
	maxRequest = 32 << 20

	// The services take pings from every 10 s on.
	pingEvery   = 30 * time.Second
	pingTimeout = 10 * time.Second

	// Fixed windows bound what one slow reader of a list makes this program hold; the
	// windows that gRPC grows by itself reach 16 MiB.
	streamWindow = 1 << 20
	connWindow   = 8 << 20
)

// Dial prepares a connection to target, such as "dns:///registros:9091"; it connects at
// the first call. Calls spread over all replicas that report themselves as serving. more
// goes to gRPC as it is. The caller closes the connection.
func Dial(target string, security TLS, more ...grpc.DialOption) (*grpc.ClientConn, error) {
	transport, err := security.credentials()
	if err != nil {
		return nil, err
	}
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		grpc.WithDefaultServiceConfig(serviceConfig(repeatable)),
		// Or DNS could overrule the policy above, at the price of a TXT look-up each time.
		grpc.WithDisableServiceConfig(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswer), grpc.MaxCallSendMsgSize(maxRequest)),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: pingEvery, Timeout: pingTimeout, PermitWithoutStream: true}),
		grpc.WithConnectParams(reconnect()),
		grpc.WithInitialWindowSize(streamWindow),
		grpc.WithInitialConnWindowSize(connWindow),
	}
	conn, err := grpc.NewClient(target, append(options, more...)...)
	if err != nil {
		return nil, fmt.Errorf("prepare connection to %s: %w", target, err)
	}
	return conn, nil
}

// reconnect finds a restarted service within two seconds and a half; gRPC's own backoff
// grows to two minutes.
func reconnect() grpc.ConnectParams {
	return grpc.ConnectParams{
		Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 2 * time.Second},
		MinConnectTimeout: 5 * time.Second,
	}
}

func (c TLS) credentials() (credentials.TransportCredentials, error) {
	if c.ServerCAFile == "" {
		return insecure.NewCredentials(), nil
	}
	return certs.Client(certs.Files{Cert: c.CertFile, Key: c.KeyFile, Authorities: c.ServerCAFile})
}

// serviceConfig is gRPC's own description of the policy. The throttle ends repetitions
// while most calls fail, so that they do not keep a struggling service down.
func serviceConfig(rpcs []string) string {
	type object = map[string]any
	var names []object
	for _, rpc := range rpcs {
		service, method, _ := strings.Cut(strings.TrimPrefix(rpc, "/"), "/")
		names = append(names, object{"service": service, "method": method})
	}
	text, err := json.Marshal(object{
		"loadBalancingConfig": []object{{"round_robin": object{}}},
		"healthCheckConfig":   object{"serviceName": ""},
		"retryThrottling":     object{"maxTokens": 10, "tokenRatio": 0.1},
		"methodConfig": []object{{
			"name": names,
			"retryPolicy": object{
				"maxAttempts": 4, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2,
				"retryableStatusCodes": []string{"UNAVAILABLE"},
			},
		}},
	})
	if err != nil {
		panic(err) // maps of texts and numbers
	}
	return string(text)
}
