package mtls

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/services/process/certs/certstest"
)

// Each hop is crossed: public port, gateway to both services, each service to the other, and
// the platform back in.
func TestMutualTLS_aReportIsAnswered(t *testing.T) {
	if base := system.Addresses().BaseURL; !strings.HasPrefix(base, "https://") {
		t.Fatalf("the public port is %s", base)
	}
	answerReporte(t, system.NewInstitucion(t))
}

// Another authority takes the place of ours as the chapter on TLS says: first both are trusted,
// then the certificates are the new one's, then it alone is trusted. The services restart, so
// that every connection is new; the gateway goes on running.
func TestMutualTLS_anotherAuthorityTakesOver(t *testing.T) {
	i := system.NewInstitucion(t)
	err := errors.Join(
		certstest.Join(inward, ours.File, next.File),
		certstest.Join(inside.Cert, renewed.Cert),
		certstest.Join(inside.Key, renewed.Key),
		certstest.Join(inward, next.File),
		system.Restart(t.Context(), stack.Registros),
		system.Restart(t.Context(), stack.Integracion),
	)
	if err != nil {
		t.Fatal(err)
	}
	ours = next
	harness.Eventually(t, "both services behind the gateway, and each behind the other", func() bool {
		health := harness.Call(t, http.MethodGet, system.Addresses().BaseURL+"/health", nil, nil)
		return health.Status == http.StatusOK && i.Post(t, "/cliente/sandbox/ping", nil).Status == http.StatusOK
	})
	answerReporte(t, i)
}

// answerReporte crosses every hop.
func answerReporte(t *testing.T, i *harness.Institucion) {
	t.Helper()
	id := harness.ReporteID(1)
	i.Post(t, "/cliente/registros", harness.Registro("A-1", harness.CurpUno, harness.Day(-3))).Want(t, http.StatusCreated)
	i.Activate(t, map[string]any{"id": id, "curp": harness.CurpUno, "fecha_desaparicion": harness.Day(-10)})
	want := []string{"1:", "2:" + harness.Day(-3), harness.Fin}
	harness.Eventually(t, "the end of the search", func() bool { return slices.Equal(i.Told(id), want) })
	i.Deactivate(t, id)
	harness.Eventually(t, "the closed Caso", func() bool {
		casos := i.Casos(t)
		return len(casos) == 1 && casos[0].CerradoEn != nil
	})
}

// integracion knows the gateway by its certificate, and counts wrong logins by the addresses
// that it tells.
func TestMutualTLS_theGatewayIsKnown(t *testing.T) {
	login := func(address string) int {
		header := http.Header{"X-Forwarded-For": {address}}
		return harness.Call(t, http.MethodPost, system.Addresses().BaseURL+"/login", header, map[string]string{"usuario": "nadie", "clave": "otra"}).Status
	}
	for n := range 4 {
		want := http.StatusUnauthorized
		if n == 3 {
			want = http.StatusTooManyRequests
		}
		if got := login("198.51.100.1"); got != want {
			t.Errorf("wrong login %d: got %d, want %d", n+1, got, want)
		}
	}
	if got := login("198.51.100.2"); got != http.StatusUnauthorized {
		t.Errorf("from another address: got %d", got)
	}
}

func TestMutualTLS_publicPort(t *testing.T) {
	health := system.Addresses().BaseURL + "/health"
	harness.Call(t, http.MethodGet, health, nil, nil).Want(t, http.StatusOK)
	// Clients of the public port need no certificate, and plain text gets nowhere.
	plain, err := harness.HTTP.Get("http://" + strings.TrimPrefix(health, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	_ = plain.Body.Close()
	if plain.StatusCode != http.StatusBadRequest {
		t.Errorf("plain text was answered %d", plain.StatusCode)
	}
}

// A service takes calls from its own authority's certificates alone, before it looks at any
// other credential.
func TestMutualTLS_strangersAreRefused(t *testing.T) {
	tests := []struct {
		name   string
		client credentials.TransportCredentials
		want   codes.Code
	}{
		{"ours", client(t, ours, &inside), codes.OK},
		{"without a certificate", client(t, ours, nil), codes.Unavailable},
		{"a certificate of another authority", client(t, ours, &stranger), codes.Unavailable},
		{"plain text", insecure.NewCredentials(), codes.Unavailable},
		{"ours, but it trusts another authority", client(t, theirs, &inside), codes.Unavailable},
	}
	addresses := system.Addresses()
	for service, address := range map[string]string{"registros": addresses.GRPCRegistros, "integracion": addresses.GRPCIntegracion} {
		for _, tt := range tests {
			t.Run(service+" "+tt.name, func(t *testing.T) {
				got := status.Code(check(t, address, tt.client))
				if got != tt.want {
					t.Errorf("code %v, want %v", got, tt.want)
				}
			})
		}
	}
}

// check makes one call that needs no credential but the connection's.
func check(t *testing.T, address string, client credentials.TransportCredentials) error {
	t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(client))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), harness.Limit)
	defer cancel()
	_, err = healthv1.NewHealthClient(conn).Check(ctx, &healthv1.HealthCheckRequest{})
	return err
}

// client trusts an authority's servers and shows a certificate, or none.
func client(t *testing.T, trusts *certstest.Authority, shows *certstest.Pair) credentials.TransportCredentials {
	t.Helper()
	content, err := os.ReadFile(trusts.File)
	if err != nil {
		t.Fatal(err)
	}
	config := &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS13}
	if !config.RootCAs.AppendCertsFromPEM(content) {
		t.Fatal("no authority in its file")
	}
	if shows == nil {
		return credentials.NewTLS(config)
	}
	pair, err := tls.LoadX509KeyPair(shows.Cert, shows.Key)
	if err != nil {
		t.Fatal(err)
	}
	// Shown even to a server that asks for another authority's.
	config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
	return credentials.NewTLS(config)
}
