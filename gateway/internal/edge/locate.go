package edge

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// locate finds out where the client is and whether it speaks TLS. Only a trusted proxy is
// believed what it forwards, and of the addresses that it lists only those which trusted
// proxies added: whatever stands to the left a client can invent.
func (e *Edge) locate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := of(r)
		x.client = peerOf(r)
		x.secure = isSecure(r.Context())
		switch {
		case e.trusts(x.client):
			x.secure = x.secure || r.Header.Get("X-Forwarded-Proto") == "https"
			x.client = e.forwardedClient(r, x.client)
		case r.Header.Get("X-Forwarded-For") != "":
			e.passOver(r)
		}
		next.ServeHTTP(w, r)
	})
}

// passOver says that a forwarded address was not believed. With a proxy that is missing from
// TRUSTED_PROXIES all clients share one limit, and nobody would see why. Anybody can send the
// header, so the log says it once.
func (e *Edge) passOver(r *http.Request) {
	e.metrics.untrusted.Inc()
	e.untrusted.Do(func() {
		e.log.WarnContext(r.Context(), "X-Forwarded-For from an address that is not in TRUSTED_PROXIES: its requests count as one client's")
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

func (e *Edge) trusts(addr netip.Addr) bool {
	return within(e.cfg.TrustedProxies, addr)
}

func within(networks []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(networks, func(network netip.Prefix) bool { return network.Contains(addr) })
}

// forwardedClient walks the list from the right and stops at the first address that is not
// a trusted proxy's, or at one that is no address.
func (e *Edge) forwardedClient(r *http.Request, proxy netip.Addr) netip.Addr {
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	client := proxy
	for i := len(hops) - 1; i >= 0 && e.trusts(client); i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			return client
		}
		client = hop.Unmap().WithZone("")
	}
	return client
}
