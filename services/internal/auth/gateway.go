package auth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"slices"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"

	"github.com/enlace-iis/enlace/services/process/header"
)

// IsGateway reports whether a call comes from a gateway, whose word on its client's address is
// taken: its certificate is one for the name "gateway", from an authority that the server
// trusts, or it knows one of the secrets.
func (s Secrets) IsGateway(ctx context.Context) bool {
	return hasGatewayCertificate(ctx) || s.areKnown(metadata.ValueFromIncomingContext(ctx, header.GatewaySecret))
}

func hasGatewayCertificate(ctx context.Context) bool {
	caller, found := peer.FromContext(ctx)
	if !found {
		return false
	}
	security, ok := caller.AuthInfo.(credentials.TLSInfo)
	// Only a certificate that was verified is in a chain.
	return ok && len(security.State.VerifiedChains) > 0 &&
		slices.Contains(security.State.VerifiedChains[0][0].DNSNames, header.GatewayName)
}

// areKnown compares hashes: those take the same time however long a presented value is.
func (s Secrets) areKnown(presented []string) bool {
	if len(presented) != 1 {
		return false
	}
	got, known := sha256.Sum256([]byte(presented[0])), 0
	for _, secret := range s {
		want := sha256.Sum256([]byte(secret))
		known |= subtle.ConstantTimeCompare(got[:], want[:])
	}
	return known == 1
}
