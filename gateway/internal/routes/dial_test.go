package routes

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	accesov1 "github.com/enlace-iis/enlace/proto/gen/enlace/acceso/v1"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/process/certs"
	"github.com/enlace-iis/enlace/services/process/certs/certstest"
)

// replica is a service that refuses its first calls as a restarting one does.
type replica struct {
	registrosv1.UnimplementedRegistroServiceServer

	server  *grpc.Server
	answer  *registrosv1.PingResponse
	refuses atomic.Int32 // how many calls are still to be refused
	calls   atomic.Int32
}

func (r *replica) try() error {
	r.calls.Add(1)
	if r.refuses.Add(-1) >= 0 {
		return status.Error(codes.Unavailable, "restarting")
	}
	return nil
}

func (r *replica) Ping(context.Context, *registrosv1.PingRequest) (*registrosv1.PingResponse, error) {
	return r.answer, r.try()
}

func (r *replica) SaveLote(context.Context, *registrosv1.SaveLoteRequest) (*registrosv1.SaveLoteResponse, error) {
	return &registrosv1.SaveLoteResponse{}, r.try()
}

func start(t *testing.T, options ...grpc.ServerOption) (r *replica, address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r = &replica{server: grpc.NewServer(options...), answer: &registrosv1.PingResponse{}}
	registrosv1.RegisterRegistroServiceServer(r.server, r)
	healthv1.RegisterHealthServer(r.server, health.NewServer())
	go func() { _ = r.server.Serve(listener) }()
	t.Cleanup(r.server.Stop)
	return r, listener.Addr().String()
}

func dialTest(t *testing.T, target string) registrosv1.RegistroServiceClient {
	t.Helper()
	conn, err := Dial(target, TLS{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return registrosv1.NewRegistroServiceClient(conn)
}

func TestDial_repeatsWhatIsSafeToRepeat(t *testing.T) {
	r, address := start(t)
	client := dialTest(t, "dns:///"+address)
	r.refuses.Store(2)
	_, err := client.Ping(t.Context(), &registrosv1.PingRequest{})
	if err != nil || r.calls.Load() != 3 {
		t.Errorf("ping: %v after %d calls", err, r.calls.Load())
	}

	r.calls.Store(0)
	r.refuses.Store(2)
	_, err = client.SaveLote(t.Context(), &registrosv1.SaveLoteRequest{})
	if status.Code(err) != codes.Unavailable || r.calls.Load() != 1 {
		t.Errorf("a write: %v after %d calls", err, r.calls.Load())
	}
}

func TestDial_largeAnswersFit(t *testing.T) {
	r, address := start(t)
	r.answer = &registrosv1.PingResponse{Nombre: string(make([]byte, 5<<20))}
	answer, err := dialTest(t, address).Ping(t.Context(), &registrosv1.PingRequest{})
	if err != nil || len(answer.GetNombre()) != 5<<20 {
		t.Errorf("got %d bytes, %v", len(answer.GetNombre()), err)
	}
}

func TestDial_bothSidesShowACertificate(t *testing.T) {
	ca, pair := newPair(t)
	_, address := start(t, grpc.Creds(mutual(t, ca, pair)))
	for _, tt := range []struct {
		name string
		tls  TLS
		want codes.Code
	}{
		{"both", TLS{ServerCAFile: ca, CertFile: pair.Cert, KeyFile: pair.Key}, codes.OK},
		{"only the service", TLS{ServerCAFile: ca}, codes.Unavailable},
		{"plain text", TLS{}, codes.Unavailable},
	} {
		conn, err := Dial(address, tt.tls)
		if err != nil {
			t.Fatal(err)
		}
		_, err = registrosv1.NewRegistroServiceClient(conn).SaveLote(t.Context(), &registrosv1.SaveLoteRequest{})
		if status.Code(err) != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.want)
		}
		_ = conn.Close()
	}
}

// A service comes back with a certificate of a new authority, and takes none of the old one.
func TestDial_authoritiesAreReplacedUnderAConnection(t *testing.T) {
	ca, pair := newPair(t)
	before, address := start(t, grpc.Creds(mutual(t, ca, pair)))
	var current atomic.Value
	current.Store(address)
	conn, err := Dial(address, TLS{ServerCAFile: ca, CertFile: pair.Cert, KeyFile: pair.Key},
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", current.Load().(string))
		}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	client := registrosv1.NewRegistroServiceClient(conn)
	_, err = client.Ping(t.Context(), &registrosv1.PingRequest{})
	if err != nil {
		t.Fatal(err)
	}

	newCA, newer := newPair(t)
	err = errors.Join(certstest.Join(ca, newCA), certstest.Join(pair.Cert, newer.Cert), certstest.Join(pair.Key, newer.Key))
	if err != nil {
		t.Fatal(err)
	}
	after, address := start(t, grpc.Creds(mutual(t, newCA, newer)))
	current.Store(address)
	before.server.Stop()

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err = client.Ping(ctx, &registrosv1.PingRequest{}, grpc.WaitForReady(true))
	if err != nil || after.calls.Load() != 1 {
		t.Errorf("%v after %d calls", err, after.calls.Load())
	}
}

// newPair makes an authority and a certificate that it signed.
func newPair(t *testing.T) (ca string, pair certstest.Pair) {
	t.Helper()
	authority, err := certstest.NewAuthority(t.TempDir(), "authority")
	if err != nil {
		t.Fatal(err)
	}
	pair, err = authority.Issue("service")
	if err != nil {
		t.Fatal(err)
	}
	return authority.File, pair
}

// mutual is a service that takes calls from certificates of that authority alone.
func mutual(t *testing.T, ca string, pair certstest.Pair) credentials.TransportCredentials {
	t.Helper()
	transport, err := certs.Server(certs.Files{Cert: pair.Cert, Key: pair.Key, Authorities: ca})
	if err != nil {
		t.Fatal(err)
	}
	return transport
}

// TestRepeat_changesNothing: what is repeated must be a question. By its name it is one, but for
// four that have no such name.
func TestRepeat_changesNothing(t *testing.T) {
	rpcs, err := repeatable()
	if err != nil {
		t.Fatal(err)
	}
	question := regexp.MustCompile(`/(Get|List)[A-Z][A-Za-z]*$`)
	got := slices.DeleteFunc(slices.Clone(rpcs), question.MatchString)
	want := []string{
		accesov1.AccesoService_CheckAcceso_FullMethodName,
		integracionv1.BitacoraService_ExportEvidencia_FullMethodName,
		registrosv1.RegistroService_Ping_FullMethodName,
		registrosv1.RegistroService_ValidateRegistros_FullMethodName,
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" || len(rpcs) == len(got) {
		t.Errorf("%d are repeated; those that no name tells:\n%s", len(rpcs), diff)
	}
}

func TestTLS_Validate(t *testing.T) {
	tests := []struct {
		name string
		tls  TLS
		good bool
	}{
		{"plain", TLS{}, true},
		{"authorities", TLS{ServerCAFile: "a"}, true},
		{"all", TLS{ServerCAFile: "a", CertFile: "b", KeyFile: "c"}, true},
		{"no key", TLS{ServerCAFile: "a", CertFile: "b"}, false},
		{"no certificate", TLS{ServerCAFile: "a", KeyFile: "c"}, false},
		{"certificate over plain text", TLS{CertFile: "b", KeyFile: "c"}, false},
	}
	for _, tt := range tests {
		if err := tt.tls.Validate(); (err == nil) != tt.good {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestDial_refusesAuthoritiesThatAreNone(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "ca.pem")
	err := os.WriteFile(empty, []byte("nothing"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{empty, empty + ".none"} {
		_, err := Dial("dns:///localhost:1", TLS{ServerCAFile: path})
		if err == nil {
			t.Errorf("%s was taken", path)
		}
	}
}
