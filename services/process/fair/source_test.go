package fair

import (
	"net/netip"
	"testing"
)

func TestSourceOf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		a, b string
		same bool
	}{
		{"1.2.3.4", "1.2.3.4", true},
		{"1.2.3.4", "1.2.3.5", false},
		{"2001:db8:0:1::1", "2001:db8:0:1:ffff::2", true},
		{"2001:db8:0:1::1", "2001:db8:0:2::1", false},
		{"fe80::1%eth0", "fe80::2%eth1", true},
	}
	for _, tt := range tests {
		if got := SourceOf(netip.MustParseAddr(tt.a)) == SourceOf(netip.MustParseAddr(tt.b)); got != tt.same {
			t.Errorf("%s and %s: got %v", tt.a, tt.b, got)
		}
	}
}
