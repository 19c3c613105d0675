package rpc

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	_ "google.golang.org/grpc/health" // lets clients watch the health of replicas
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/resolver/dns"
)

// gRPC looks at DNS at most every 30 s, which is how long calls would fail after the only
// replica came back under another address. The setting is global and must precede any
// call, hence an init.
func init() {
	dns.SetMinResolutionInterval(5 * time.Second)
}

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

// Dial prepares a connection to target, such as "dns:///registros:9091"; it connects at
// the first call. Calls spread over all healthy replicas. An error of the peer comes back
// with its reason, see errs.FromStatus. The caller closes the connection.
func Dial(target string, cfg ClientConfig) (*grpc.ClientConn, error) {
	options, err := cfg.options()
	if err != nil {
		return nil, fmt.Errorf("prepare connection to %s: %w", target, err)
	}
	conn, err := grpc.NewClient(target, options...)
	if err != nil {
		return nil, fmt.Errorf("prepare connection to %s: %w", target, err)
	}
	return conn, nil
}

func (c ClientConfig) options() ([]grpc.DialOption, error) {
	err := c.TLS.Validate()
	if err != nil {
		return nil, err
	}
	transport, err := c.TLS.clientCredentials()
	if err != nil {
		return nil, err
	}
	policy, err := serviceConfig(c.Idempotent)
	if err != nil {
		return nil, err
	}
	metrics, err := newMetrics(c.Metrics, "client")
	if err != nil {
		return nil, err
	}
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		grpc.WithDefaultServiceConfig(policy),
		// Or DNS could overrule the policy above, at the price of a TXT look-up each time.
		grpc.WithDisableServiceConfig(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswer), grpc.MaxCallSendMsgSize(maxRequest)),
		grpc.WithConnectParams(reconnect()),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{
			Time: pingEvery, Timeout: pingTimeout, PermitWithoutStream: true,
		}),
		grpc.WithChainUnaryInterceptor(unaryErrors, c.unaryDeadline, metrics.unaryClient, unaryRequestID),
		grpc.WithChainStreamInterceptor(streamErrors, metrics.streamClient, streamRequestID),
	}
	if c.Credentials != nil {
		options = append(options, grpc.WithPerRPCCredentials(c.Credentials))
	}
	return append(options, c.Options...), nil
}

// reconnect finds a restarted service within two seconds and a half; gRPC's own backoff
// grows to two minutes.
func reconnect() grpc.ConnectParams {
	return grpc.ConnectParams{
		Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 2 * time.Second},
		MinConnectTimeout: 5 * time.Second,
	}
}

// serviceConfig spreads calls over the replicas that report themselves as serving, and
// repeats the idempotent ones. The throttle ends repetitions while most calls fail, so
// that they do not keep a struggling service down.
func serviceConfig(idempotent []string) (string, error) {
	type object = map[string]any
	config := object{
		"loadBalancingConfig": []object{{"round_robin": object{}}},
		"healthCheckConfig":   object{"serviceName": ""},
		"retryThrottling":     object{"maxTokens": 10, "tokenRatio": 0.1},
	}
	names := make([]object, 0, len(idempotent))
	for _, rpc := range idempotent {
		service, method, ok := strings.Cut(strings.TrimPrefix(rpc, "/"), "/")
		if !ok {
			return "", fmt.Errorf("idempotent RPC %q is not a full method", rpc)
		}
		names = append(names, object{"service": service, "method": method})
	}
	if len(names) > 0 {
		config["methodConfig"] = []object{{
			"name": names,
			"retryPolicy": object{
				"maxAttempts": 4, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2,
				"retryableStatusCodes": []string{"UNAVAILABLE"},
			},
		}}
	}
	text, err := json.Marshal(config)
	if err != nil {
		return "", fmt.Errorf("write service config: %w", err)
	}
	return string(text), nil
}
