package registrostest_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/proto/errores"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/integracion/integraciontest"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/pgtest"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/registros/registrostest"
)

const (
	empresa  = "LAB010101AB1"
	replicas = 3
	// Every key is a trial on each replica.
	keysPerWave = 35
	// promise is how long a revoked key may still be accepted (contract, section 5).
	promise = time.Second
	// watched goes a little beyond the promise.
	watched = promise + 100*time.Millisecond
	// pace is between two calls with one key at one replica.
	pace = 100 * time.Millisecond
)

// TestRevocation_underLoad revokes keys that are in use on three replicas, which are busy
// with other calls too. What counts is when a call was sent: none that was sent over a
// second after the revocation was answered may be accepted.
func TestRevocation_underLoad(t *testing.T) {
	integracion := integraciontest.Start(t, integraciontest.Options{})
	integracion.CreateEmpresa(empresa, "Laboratorio")
	keys := integracionv1.NewApiKeyServiceClient(integracion.Dial())
	operador := metadata.AppendToOutgoingContext(t.Context(), "authorization",
		"Bearer "+integracion.Login("operadora", integracion.CreateUsuario("operadora")))
	clients := startReplicas(t, integracion.Target)
	stopLoad := load(t, clients, integracion.IssueApiKey(empresa).Texto)

	waves := 20
	if testing.Short() {
		waves = 2
	}
	var slowest atomic.Int64
	accepted, latest := 0, time.Duration(0)
	for range waves {
		var wave sync.WaitGroup
		var trials []*trial
		for range keysPerWave {
			key := integracion.IssueApiKey(empresa)
			revoked := &revocation{answered: make(chan struct{})}
			var inUse sync.WaitGroup
			for _, client := range clients {
				tr := &trial{client: client, key: key.Texto, revoked: revoked, slowest: &slowest}
				trials = append(trials, tr)
				inUse.Add(1)
				wave.Go(func() { tr.run(t, inUse.Done) })
			}
			wave.Go(func() {
				inUse.Wait()
				revoked.revoke(t, operador, keys, key.KeyID)
			})
		}
		wave.Wait()
		for _, tr := range trials {
			if tr.last > promise {
				t.Errorf("a call sent %s after the revocation was accepted", tr.last)
			}
			if tr.last > 0 {
				accepted++
			}
			latest = max(latest, tr.last)
		}
	}
	calls := stopLoad()
	t.Logf("%d revocations on %d replicas beside %d other calls: the latest call that was accepted was sent %s after the revocation was answered, the slowest first refusal arrived %s after it; %d of %d trials had a call accepted after it",
		waves*keysPerWave, replicas, calls, latest.Round(time.Millisecond),
		time.Duration(slowest.Load()).Round(time.Millisecond), accepted, waves*keysPerWave*replicas)
	if accepted == 0 || calls == 0 {
		t.Error("nothing was put to the test: no key was remembered, or there was no load")
	}
}

// startReplicas runs registros three times on one database.
func startReplicas(t *testing.T, integracionTarget string) []registrosv1.RegistroServiceClient {
	t.Helper()
	database := pgtest.New(t, registrostest.Migrations)
	var clients []registrosv1.RegistroServiceClient
	for range replicas {
		s := registrostest.Start(t, registrostest.Options{IntegracionTarget: integracionTarget, Database: &database})
		conn, err := rpc.Dial(s.Target, rpc.ClientConfig{Deadline: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() }) // nothing is lost at the end of a test
		clients = append(clients, registrosv1.NewRegistroServiceClient(conn))
	}
	return clients
}

// load calls all replicas without pause until it is stopped, and tells how often.
func load(t *testing.T, clients []registrosv1.RegistroServiceClient, key string) (stop func() int64) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var calls atomic.Int64
	var callers sync.WaitGroup
	for _, client := range clients {
		callers.Go(func() {
			for ctx.Err() == nil {
				err := ping(ctx, client, key)
				if err != nil && ctx.Err() == nil {
					t.Errorf("load: %v", err)
					return
				}
				calls.Add(1)
			}
		})
	}
	return func() int64 {
		cancel()
		callers.Wait()
		return calls.Load()
	}
}

func ping(ctx context.Context, client registrosv1.RegistroServiceClient, key string) error {
	ctx = metadata.AppendToOutgoingContext(ctx, "x-api-key", key)
	_, err := client.Ping(ctx, &registrosv1.PingRequest{}, grpc.WaitForReady(true))
	return err
}

// revocation is one key's end.
type revocation struct {
	answered chan struct{} // closed once at is set
	at       time.Time
}

func (r *revocation) revoke(t *testing.T, ctx context.Context, keys integracionv1.ApiKeyServiceClient, keyID string) {
	t.Helper()
	_, err := keys.RevokeApiKey(ctx, &integracionv1.RevokeApiKeyRequest{KeyId: keyID})
	if err != nil {
		t.Errorf("revoke: %v", err)
	}
	r.at = time.Now()
	close(r.answered)
}

// since tells how long before sent the revocation was answered; negative: it was not yet.
func (r *revocation) since(sent time.Time) time.Duration {
	select {
	case <-r.answered:
		return sent.Sub(r.at)
	default:
		return -1
	}
}

// trial is one key at one replica.
type trial struct {
	client  registrosv1.RegistroServiceClient
	key     string
	revoked *revocation
	slowest *atomic.Int64
	// last is how long after the revocation the last accepted call was sent.
	last time.Duration
}

// run calls until a little over a second after the revocation. inUse is told once the key
// was accepted.
func (tr *trial) run(t *testing.T, inUse func()) {
	ticker := time.NewTicker(pace)
	defer ticker.Stop()
	told, refused := false, false
	for {
		sent := time.Now()
		err := ping(t.Context(), tr.client, tr.key)
		after := tr.revoked.since(sent)
		switch {
		case err == nil:
			tr.last = max(tr.last, after)
		case !errs.Is(errs.FromStatus(err), errores.CredencialRevocada):
			t.Errorf("ping: %v", err)
		case !refused:
			refused = true
			tr.refusedAt(time.Now())
		}
		if !told {
			told = true
			inUse()
		}
		if after > watched {
			return
		}
		<-ticker.C
	}
}

// refusedAt keeps the slowest first refusal of all trials.
func (tr *trial) refusedAt(now time.Time) {
	after := int64(tr.revoked.since(now))
	for {
		known := tr.slowest.Load()
		if after <= known || tr.slowest.CompareAndSwap(known, after) {
			return
		}
	}
}
