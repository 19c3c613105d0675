// Package grpcclient connects a program of Enlace with a service, so that all find its
// replicas, leave the unhealthy ones out, and come back after a restart alike. Whether a
// connection is TLS and which calls may be repeated is the caller's to say; errors, metrics
// and request ids are what a caller adds as options.
package grpcclient

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	_ "google.golang.org/grpc/health" // lets clients watch the health of replicas
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/resolver/dns"

	"github.com/enlace-iis/enlace/proto/opciones"
)

// A batch of 5000 records is 2 to 5 MiB of protobuf, and the body limit of 16 MiB of JSON
// allows more; what a server takes of each call is less, and its own. The largest answer is that
// to a batch that is all wrong: 5000 observaciones of at most a KiB.
const (
	MaxRequest = opciones.MaxMensajeLote
	MaxAnswer  = 8 << 20
)

// How either side finds out that the other is gone.
const (
	PingEvery   = 30 * time.Second
	PingTimeout = 10 * time.Second
)

const (
	// Fixed windows bound what one slow reader of a list makes a program hold; the windows
	// that gRPC grows by itself reach 16 MiB.
	streamWindow = 64 << 10
	connWindow   = 8 << 20
)

// gRPC looks at DNS at most every 30 s, which is how long calls would fail after the only
// replica came back under another address. The setting is global and must precede any
// call, hence an init.
func init() {
	dns.SetMinResolutionInterval(5 * time.Second)
}

// Dial prepares a connection to target, such as "dns:///registros:9091"; it connects at
// the first call. Calls spread over all replicas that report themselves as serving. Those
// whose full methods repeatable names are sent again, at most three times within about a
// second, when the replica that took them went away (UNAVAILABLE). options go to gRPC as
// they are. The caller closes the connection.
func Dial(target string, transport credentials.TransportCredentials, repeatable []string, options ...grpc.DialOption) (*grpc.ClientConn, error) {
	policy, err := serviceConfig(repeatable)
	if err != nil {
		return nil, fmt.Errorf("prepare connection to %s: %w", target, err)
	}
	ours := []grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		grpc.WithDefaultServiceConfig(policy),
		// Or DNS could overrule the policy above, at the price of a TXT look-up each time.
		grpc.WithDisableServiceConfig(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(MaxAnswer), grpc.MaxCallSendMsgSize(MaxRequest)),
		grpc.WithConnectParams(reconnect()),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: PingEvery, Timeout: PingTimeout, PermitWithoutStream: true}),
		grpc.WithInitialWindowSize(streamWindow),
		grpc.WithInitialConnWindowSize(connWindow),
	}
	conn, err := grpc.NewClient(target, append(ours, options...)...)
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

// serviceConfig is gRPC's own description of the policy. The throttle ends repetitions while
// most calls fail, so that they do not keep a struggling service down.
func serviceConfig(repeatable []string) (string, error) {
	type object = map[string]any
	config := object{
		"loadBalancingConfig": []object{{"round_robin": object{}}},
		"healthCheckConfig":   object{"serviceName": ""},
		"retryThrottling":     object{"maxTokens": 10, "tokenRatio": 0.1},
	}
	names := make([]object, 0, len(repeatable))
	for _, rpc := range repeatable {
		service, method, ok := strings.Cut(strings.TrimPrefix(rpc, "/"), "/")
		if !ok {
			return "", fmt.Errorf("repeatable RPC %q is not a full method", rpc)
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
