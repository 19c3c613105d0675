package pg

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/enlace-iis/enlace/services/process"
)

// Transport is what may carry the words between a program and its database.
type Transport struct {
	process.Installation
	// Plaintext admits a database without TLS outside of development, where the network to it
	// is private to this installation. Loopback and unix sockets need no TLS anywhere.
	Plaintext bool `env:"DATABASE_PLAINTEXT" envDefault:"false"`
}

// Check refuses an address at which the database could be reached in plain text: its
// sslmode is disable, allow or prefer, the last being the default. name is the setting's. What
// PGSSLMODE and PGSSLROOTCERT say of an address that is silent counts as said by it.
func (t Transport) Check(name, url string) error {
	if t.Plaintext || t.IsDevelopment() {
		return nil
	}
	config, err := pgconn.ParseConfig(url)
	if err != nil {
		// Not wrapped: its text has the address, and that may have a password.
		return fmt.Errorf("%s is not a PostgreSQL URL, or names a certificate that cannot be read", name)
	}
	// Each way that would be tried: hosts, and per host the modes that its sslmode allows.
	ways := append([]*pgconn.FallbackConfig{{Host: config.Host, TLSConfig: config.TLSConfig}}, config.Fallbacks...)
	for _, way := range ways {
		if way.TLSConfig == nil && !isLocal(way.Host) {
			return fmt.Errorf("%s reaches the database without TLS; add sslmode=verify-full and sslrootcert, "+
				"or set DATABASE_PLAINTEXT=true if the network is private", name)
		}
	}
	return nil
}

// isLocal tells hosts whose bytes do not leave the machine.
func isLocal(host string) bool {
	address, err := netip.ParseAddr(host)
	if err == nil {
		return address.IsLoopback()
	}
	isSocket := strings.HasPrefix(host, "/") || strings.HasPrefix(host, "@")
	return isSocket || host == "localhost"
}
