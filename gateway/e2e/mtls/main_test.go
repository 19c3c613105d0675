package mtls

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/sistema"
)

var (
	// system is what all tests run against.
	system *sistema.Sistema
	// ours signed everything that the system uses; theirs is another authority.
	ours, theirs *autoridad
	// inside is what the programs themselves show, stranger what theirs signed.
	inside, stranger par
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
		"TLS_CERT_FILE": inside.cert, "TLS_KEY_FILE": inside.key,
		// Who may call a service, and which services are trusted.
		"TLS_CLIENT_CA_FILE": ours.ca, "TLS_SERVER_CA_FILE": ours.ca,
		// What the gateway shows to a service.
		"TLS_CLIENT_CERT_FILE": inside.cert, "TLS_CLIENT_KEY_FILE": inside.key,
		// The simulator's way to the public port.
		"SSL_CERT_FILE": ours.ca,
	}
	return sistema.Main(m, env, func(s *sistema.Sistema) { system = s })
}

func makeCertificates(folder string) error {
	var problems [4]error
	ours, problems[0] = newAutoridad(folder, "ours")
	theirs, problems[1] = newAutoridad(folder, "theirs")
	err := errors.Join(problems[:]...)
	if err != nil {
		return err
	}
	inside, problems[2] = ours.issue("inside")
	stranger, problems[3] = theirs.issue("stranger")
	// The tests' own requests to the public port trust the same authority; read once, at the first of them.
	return errors.Join(append(problems[:], os.Setenv("SSL_CERT_FILE", ours.ca))...)
}
