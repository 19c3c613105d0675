package edge

import (
	"context"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/enlace-iis/enlace/services/process/header"
)

// An origin is who sends a request, and what it is called.
type origin struct {
	requestID string
	client    netip.Addr
	secure    bool // the client speaks TLS, to us or to a trusted proxy
}

type originKey struct{}

func originOf(ctx context.Context) origin {
	from, _ := ctx.Value(originKey{}).(origin)
	return from
}

// locate gives the request its id, the client's own if it can be taken, and finds out where the client
// is and whether it speaks TLS. Only a trusted proxy is believed what it forwards, and of the addresses
// that it lists only those which trusted proxies added: whatever stands to the left a client can invent.
func (e *Edge) locate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from := origin{requestID: r.Header.Get(header.RequestID), client: peerOf(r), secure: r.TLS != nil}
		if !header.IsRequestID(from.requestID) {
			from.requestID = header.NewRequestID()
		}
		w.Header().Set(header.RequestID, from.requestID)
		switch {
		case within(e.cfg.TrustedProxies, from.client):
			from.secure = from.secure || r.Header.Get("X-Forwarded-Proto") == "https"
			from.client = e.forwardedClient(r, from.client)
		case r.Header.Get("X-Forwarded-For") != "":
			// With a proxy that is missing from TRUSTED_PROXIES all clients share one limit, and nobody would
			// see why. Anybody can send the header, so the log says it once.
			e.metrics.untrusted.Inc()
			e.untrusted.Do(func() {
				e.log.WarnContext(r.Context(), "X-Forwarded-For from an address that is not in TRUSTED_PROXIES: its requests count as one client's")
			})
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), originKey{}, from)))
	})
}

func peerOf(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		// Not a network connection; such peers share one address.
		return netip.IPv6Unspecified()
	}
	return peer.Addr().Unmap().WithZone("")
}

func within(networks []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(networks, func(network netip.Prefix) bool { return network.Contains(addr) })
}

// forwardedClient walks the list from the right and stops at the first address that is not
// a trusted proxy's, or at one that is no address.
func (e *Edge) forwardedClient(r *http.Request, client netip.Addr) netip.Addr {
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0 && within(e.cfg.TrustedProxies, client); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			return client
		}
		client = hop.Unmap().WithZone("")
	}
	return client
}
