//go:build linux && rotation

package rotation

import (
	"context"
	"crypto/tls"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/fleet"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/services/process/certs"
	"github.com/enlace-iis/enlace/services/process/certs/certstest"
)

// certificados are the files that the programs read, and what comes into them: first what
// ours signed, then what next did.
type certificados struct {
	files      certs.Files
	ours, next *certstest.Authority
	old, fresh certstest.Pair
	// outward is whom the clients of the public port trust: both from the start, for they
	// read it only once.
	outward string
}

// The names of the certificates, by which they are told apart.
const (
	nameOld   = "old"
	nameFresh = "fresh"
)

func newCertificados(folder string) (*certificados, error) {
	at := func(name string) string { return filepath.Join(folder, name+".pem") }
	c := &certificados{
		files:   certs.Files{Cert: at("present"), Key: at("present-key"), Authorities: at("inward")},
		outward: at("outward"),
	}
	var problems [4]error
	c.ours, problems[0] = certstest.NewAuthority(folder, "ours")
	c.next, problems[1] = certstest.NewAuthority(folder, "next")
	err := errors.Join(problems[:]...)
	if err != nil {
		return nil, err
	}
	c.old, problems[2] = c.ours.Issue(nameOld, stack.Registros, stack.Integracion)
	c.fresh, problems[3] = c.next.Issue(nameFresh, stack.Registros, stack.Integracion)
	return c, errors.Join(append(problems[:],
		c.show(c.old), c.trust(c.ours),
		certstest.Join(c.outward, c.ours.File, c.next.File),
		// The tests' own requests to the public port.
		os.Setenv("SSL_CERT_FILE", c.outward))...)
}

func (c *certificados) show(pair certstest.Pair) error {
	return errors.Join(certstest.Join(c.files.Cert, pair.Cert), certstest.Join(c.files.Key, pair.Key))
}

func (c *certificados) trust(authorities ...*certstest.Authority) error {
	var files []string
	for _, authority := range authorities {
		files = append(files, authority.File)
	}
	return certstest.Join(c.files.Authorities, files...)
}

// settings make every connection TLS, and those among the programs mutual.
func (c *certificados) settings() map[string]string {
	return map[string]string{
		"TLS_CERT_FILE": c.files.Cert, "TLS_KEY_FILE": c.files.Key,
		"TLS_CLIENT_CA_FILE": c.files.Authorities, "TLS_SERVER_CA_FILE": c.files.Authorities,
		"TLS_CLIENT_CERT_FILE": c.files.Cert, "TLS_CLIENT_KEY_FILE": c.files.Key,
		// The simulator's way to the public port.
		"SSL_CERT_FILE": c.outward,
	}
}

// certificados has another authority take over, without a restart.
func (r *rotation) certificados(t *testing.T) {
	r.wantServed(t, nameOld)
	r.wantClient(t, shown.old, codes.OK)
	r.wantClient(t, shown.fresh, codes.Unavailable)
	must(t, shown.trust(shown.ours, shown.next))
	r.wantClient(t, shown.old, codes.OK)
	r.wantClient(t, shown.fresh, codes.OK)
	must(t, shown.show(shown.fresh))
	r.wantServed(t, nameFresh)
	must(t, shown.trust(shown.next))
	r.wantClient(t, shown.old, codes.Unavailable)
	r.wantClient(t, shown.fresh, codes.OK)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantServed looks at the certificate of every port, the gateways' public ones included.
func (r *rotation) wantServed(t *testing.T, name string) {
	t.Helper()
	for _, half := range r.Halves {
		for _, replica := range half {
			// Whose it is, is what is asked here.
			conn, err := tls.Dial("tcp", replica.Address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
			if err != nil {
				t.Fatal(err)
			}
			got := conn.ConnectionState().PeerCertificates[0].Subject.CommonName
			if got != name {
				t.Errorf("%s shows the certificate %s, want %s", replica.Name, got, name)
			}
			_ = conn.Close() // it has told what it had to
		}
	}
}

// wantClient calls every service with a certificate.
func (r *rotation) wantClient(t *testing.T, shows certstest.Pair, want codes.Code) {
	t.Helper()
	for _, replica := range r.Services() {
		conn := dial(t, replica, shows)
		ctx, cancel := context.WithTimeout(t.Context(), harness.Limit)
		_, err := healthv1.NewHealthClient(conn).Check(ctx, &healthv1.HealthCheckRequest{})
		cancel()
		if got := status.Code(err); got != want {
			t.Errorf("%s answers %v to the certificate in %s, want %v", replica.Name, err, filepath.Base(shows.Cert), want)
		}
	}
}

// dial calls a service by its name, as an internal system would that trusts both authorities.
func dial(t *testing.T, replica fleet.Replica, shows certstest.Pair) *grpc.ClientConn {
	t.Helper()
	client, err := certs.Client(certs.Files{Cert: shows.Cert, Key: shows.Key, Authorities: shown.outward})
	must(t, err)
	conn, err := grpc.NewClient(replica.Address, grpc.WithTransportCredentials(client), grpc.WithAuthority(replica.Service))
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}
