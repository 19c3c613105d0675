package fair

import "net/netip"

// SourceOf is what counts as one sender: an IPv4 address, or the /64 that an IPv6 subscriber
// has at his disposal.
func SourceOf(client netip.Addr) netip.Prefix {
	bits := 64
	if client.Is4() {
		bits = 32
	}
	// The number of bits suits the family, so there is no error.
	prefix, _ := client.Prefix(bits)
	return prefix
}
