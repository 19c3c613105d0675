//go:build linux && floods

package floods

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/deploy/local/port"
	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/services/process/certs/certstest"
)

// TestHandshakes begins thousands of TLS connections and never ends their handshakes: the
// gateway answers others meanwhile, stays within its pod, and lets the slow ones go.
func TestHandshakes(t *testing.T) {
	address, client, pid := startSecure(t)
	quiet := newSender(t, system.NewInstitucion(t).ApiKey, "203.0.113.1", 0)
	quiet.client, quiet.base = client, "https://"+address
	ask := func() time.Duration {
		t.Helper()
		began := time.Now()
		status, err := quiet.status(t.Context(), http.MethodPost, "/cliente/sandbox/ping", nil)
		if err != nil || status != http.StatusOK {
			t.Errorf("ping: got %d %v", status, err)
		}
		return time.Since(began)
	}
	harness.Eventually(t, "the gateway answers", func() bool {
		status, err := quiet.status(t.Context(), http.MethodPost, "/cliente/sandbox/ping", nil)
		return err == nil && status == http.StatusOK
	})
	calm := ask()
	// The beginning of a ClientHello: a record of 512 bytes, of which few come.
	hello := []byte{22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3}
	var slow []net.Conn
	for range slowConnections {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		slow = append(slow, conn)
		_, err = conn.Write(hello)
		if err != nil {
			t.Fatal(err)
		}
	}
	var slowest time.Duration
	for range least {
		client.CloseIdleConnections()
		slowest = max(slowest, ask())
	}
	t.Logf("slowest ping of a new connection: %s beside %d handshakes, %s without", slowest, len(slow), calm)
	if *slower > 0 && slowest > floor {
		t.Errorf("a ping of a new connection takes %s beside slow handshakes", slowest)
	}
	for _, conn := range slow {
		_ = conn.SetReadDeadline(time.Now().Add(harness.Limit))
		_, err := io.Copy(io.Discard, conn)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal("a handshake that does not go on is not ended")
		}
		_ = conn.Close()
	}
	given, err := podOf(stack.Gateway)
	if err != nil {
		t.Fatal(err)
	}
	most := harness.Memory(t, pid, "VmHWM")
	t.Logf("the gateway had %d MiB of %d at most", most>>20, given.limit>>20)
	if most > given.limit {
		t.Errorf("the gateway would have died: it had %d MiB, its pod has %d", most>>20, given.limit>>20)
	}
}

// startSecure starts another gateway of the system, whose port speaks TLS.
func startSecure(t *testing.T) (address string, client *http.Client, pid int) {
	t.Helper()
	authority, err := certstest.NewAuthority(t.TempDir(), "public")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := authority.Issue("gateway")
	if err != nil {
		t.Fatal(err)
	}
	var ports [2]string
	for i := range ports {
		number, err := port.Free()
		if err != nil {
			t.Fatal(err)
		}
		ports[i] = port.Address(number)
	}
	gateway := exec.CommandContext(t.Context(), filepath.Join(system.BinDir, "gateway"), "serve")
	gateway.Env = append(os.Environ(), "APP_ENV=development", "HTTP_ADDR="+ports[0], "OPS_ADDR="+ports[1],
		"REGISTROS_TARGET="+system.Target(stack.Registros), "INTEGRACION_TARGET="+system.Target(stack.Integracion),
		"GATEWAY_SECRET="+system.Secrets().Get("GATEWAY_SECRET"),
		"TLS_CERT_FILE="+pair.Cert, "TLS_KEY_FILE="+pair.Key, "LOG_LEVEL=error", "STOP_DELAY=0s", "TRUSTED_PROXIES=127.0.0.0/8")
	gateway.Cancel = func() error { return gateway.Process.Signal(syscall.SIGTERM) }
	gateway.WaitDelay = harness.Limit
	gateway.Stderr = os.Stderr
	err = gateway.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gateway.Wait() })
	pem, err := os.ReadFile(authority.File)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	client = &http.Client{
		Timeout:   harness.Limit,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}},
	}
	t.Cleanup(client.CloseIdleConnections)
	return ports[0], client, gateway.Process.Pid
}
