package inbound

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

func (c *cliente) isTLS() bool { return strings.HasPrefix(c.base, "https://") }

// checkTLS tries versions that must be off (S-20). Without TLS only this very machine is
// admitted, for trials.
func checkTLS(ctx context.Context, c *cliente) error {
	base, err := url.Parse(c.base)
	if err != nil {
		return errors.New("la dirección no es válida")
	}
	if !c.isTLS() {
		if isLoopback(base.Hostname()) {
			return nil
		}
		return errors.New("la dirección no es https")
	}
	port := base.Port()
	if port == "" {
		port = "443"
	}
	dialer := &tls.Dialer{Config: &tls.Config{ //nolint:gosec // whether it is refused is the question
		ServerName: base.Hostname(),
		MinVersion: tls.VersionTLS10,
		MaxVersion: tls.VersionTLS11,
	}}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(base.Hostname(), port))
	if err != nil {
		return nil //nolint:nilerr // refused, as it should be
	}
	_ = conn.Close()
	return errors.New("admite TLS 1.1 o anterior")
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}
