package auth

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"testing"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
)

func TestSecrets_IsGateway(t *testing.T) {
	t.Parallel()
	secrets := Secrets{"the-new-secret-of-gateways-32-bytes", "the-old-secret-of-gateways-32-bytes"}
	told := func(values ...string) context.Context {
		return metadata.NewIncomingContext(t.Context(), metadata.MD{"x-gateway-secret": values})
	}
	shows := func(verified bool, names ...string) context.Context {
		certificate := &x509.Certificate{DNSNames: names}
		state := tls.ConnectionState{PeerCertificates: []*x509.Certificate{certificate}}
		if verified {
			state.VerifiedChains = [][]*x509.Certificate{{certificate}}
		}
		return peer.NewContext(t.Context(), &peer.Peer{AuthInfo: credentials.TLSInfo{State: state}})
	}
	for name, tt := range map[string]struct {
		ctx  context.Context
		want bool
	}{
		"nothing":                              {t.Context(), false},
		"the new secret":                       {told(secrets[0]), true},
		"the old secret":                       {told(secrets[1]), true},
		"another secret":                       {told("another-secret-of-nobody-of-32-bytes"), false},
		"no secret":                            {told(""), false},
		"two secrets":                          {told(secrets[0], secrets[1]), false},
		"the gateway's certificate":            {shows(true, "gateway"), true},
		"one that has other names too":         {shows(true, "gateway.enlace.svc", "gateway"), true},
		"one that nobody verified":             {shows(false, "gateway"), false},
		"another program's":                    {shows(true, "registros"), false},
		"one of a name that begins like it":    {shows(true, "gateway.example"), false},
		"another program's, and a good secret": {metadata.NewIncomingContext(shows(true, "registros"), metadata.Pairs("x-gateway-secret", secrets[0])), true},
	} {
		if got := secrets.IsGateway(tt.ctx); got != tt.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
	if (Secrets{}).IsGateway(told("")) {
		t.Error("without secrets, an empty one is good")
	}
}
