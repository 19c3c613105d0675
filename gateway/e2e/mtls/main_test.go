package mtls

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/services/process/certs/certstest"
)

var (
	// system is what all tests run against.
	system *harness.System
	// ours signed everything that the system uses; next will, once it has taken the place of
	// ours; theirs is another authority.
	ours, next, theirs *certstest.Authority
	// inside is what the programs themselves show, renewed what next signed for them, stranger
	// what theirs signed.
	inside, renewed, stranger certstest.Pair
	// inward is whom the programs trust among themselves, outward whom the clients of the
	// public port do: ours and next from the start, for they read it only once.
	inward, outward string
)

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	folder, err := os.MkdirTemp("", "enlace-mtls-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(folder) }()
	err = makeCertificates(folder)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	env := map[string]string{
		// The services' gRPC, and the gateway's public port.
		"TLS_CERT_FILE": inside.Cert, "TLS_KEY_FILE": inside.Key,
		// Who may call a service, and which services are trusted.
		"TLS_CLIENT_CA_FILE": inward, "TLS_SERVER_CA_FILE": inward,
		// What the gateway shows to a service.
		"TLS_CLIENT_CERT_FILE": inside.Cert, "TLS_CLIENT_KEY_FILE": inside.Key,
		// By that alone integracion knows it.
		"GATEWAY_SECRET": "", "TRUSTED_PROXIES": "127.0.0.0/8", "LOGIN_MAX_FAILURES": "3",
		// The simulator's way to the public port.
		"SSL_CERT_FILE": outward,
	}
	return harness.Main(m, env, func(s *harness.System) { system = s })
}

func makeCertificates(folder string) error {
	var problems [6]error
	ours, problems[0] = certstest.NewAuthority(folder, "ours")
	next, problems[1] = certstest.NewAuthority(folder, "next")
	theirs, problems[2] = certstest.NewAuthority(folder, "theirs")
	err := errors.Join(problems[:]...)
	if err != nil {
		return err
	}
	inside, problems[3] = ours.Issue("inside", "gateway")
	renewed, problems[4] = next.Issue("renewed", "gateway")
	stranger, problems[5] = theirs.Issue("stranger")
	inward, outward = filepath.Join(folder, "inward.pem"), filepath.Join(folder, "outward.pem")
	return errors.Join(append(problems[:],
		certstest.Join(inward, ours.File),
		certstest.Join(outward, ours.File, next.File),
		// The tests' own requests to the public port; read once, at the first of them.
		os.Setenv("SSL_CERT_FILE", outward))...)
}
