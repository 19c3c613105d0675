package auth

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/proto/errores"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/process/header"
)

const (
	neighbour = tenant.EmpresaID("XEXX010101000")

	kib = 1 << 10
	mib = 1 << 20
)

// shipped is the shares as they are delivered.
var shipped = ShareConfig{MaxBatches: 4, MaxBatchBytes: 32 * mib, MaxLists: 16}

// declaring is a call that says how large its body is.
func declaring(ctx context.Context, size int) context.Context {
	return metadata.NewIncomingContext(ctx, metadata.Pairs(header.Bytes, strconv.Itoa(size)))
}

// entered takes a share n times and gives all of it back when the test ends.
func entered(t *testing.T, ctx context.Context, shares *Shares, work Work, empresa tenant.EmpresaID, n int) (leave func()) {
	t.Helper()
	for range n {
		_, leaveOne, err := shares.enter(ctx, work, empresa)
		if err != nil {
			t.Fatalf("enter: %v", err)
		}
		t.Cleanup(leaveOne)
		leave = leaveOne
	}
	return leave
}

// refusal enters and must be refused.
func refusal(t *testing.T, ctx context.Context, shares *Shares, work Work, empresa tenant.EmpresaID, want errores.Motivo) *errs.Error {
	t.Helper()
	_, _, err := shares.enter(ctx, work, empresa)
	refusal, ok := errors.AsType[*errs.Error](err)
	if !ok || refusal.Motivo != want || refusal.RetryAfter == 0 {
		t.Fatalf("%v, want %s and when to come again", err, want)
	}
	return refusal
}

func TestShares_largeBatchesOfAnInstitution(t *testing.T) {
	shares := NewShares(shipped, 1000)
	large := declaring(t.Context(), header.LargeBatch+1)
	leave := entered(t, large, shares, WorkBatch, empresa, 4)

	refused := refusal(t, large, shares, WorkBatch, empresa, errores.DemasiadasSolicitudes)

	if refused.Cuota == nil || refused.Cuota.Limite != 4 {
		t.Errorf("cuota %v", refused.Cuota)
	}
	entered(t, large, shares, WorkBatch, neighbour, 4)
	entered(t, declaring(t.Context(), header.LargeBatch), shares, WorkBatch, empresa, 50)
	leave()
	entered(t, large, shares, WorkBatch, empresa, 1)
}

func TestShares_bytesOfAnInstitution(t *testing.T) {
	shares := NewShares(shipped, 1000)
	leave := entered(t, declaring(t.Context(), 16*mib), shares, WorkBatch, empresa, 2)

	refusal(t, declaring(t.Context(), 200*kib), shares, WorkBatch, empresa, errores.DemasiadasSolicitudes)

	leave()
	// The refused one kept nothing of what it had got already.
	entered(t, declaring(t.Context(), 200*kib), shares, WorkBatch, empresa, 3)
}

func TestShares_zeroIsNoBound(t *testing.T) {
	shares := NewShares(ShareConfig{}, 100_000)
	entered(t, declaring(t.Context(), 200*kib), shares, WorkBatch, empresa, 200)
	entered(t, t.Context(), shares, WorkList, empresa, 200)
}

// Who is no institution works for all of them, and what is small work is not divided.
func TestShares_ofNobody(t *testing.T) {
	shares := NewShares(ShareConfig{MaxBatches: 1, MaxLists: 1}, 2)
	entered(t, t.Context(), shares, WorkBatch, "", 50)
	entered(t, t.Context(), shares, WorkList, "", 50)
	entered(t, t.Context(), shares, 0, empresa, 50)
}

func TestShares_batchesTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shares := NewShares(shipped, 2)
		small := declaring(t.Context(), 500)
		leave := entered(t, small, shares, WorkBatch, empresa, 1)
		order := make(chan tenant.EmpresaID, maxWaiting+1)
		wait := func(id tenant.EmpresaID) {
			go func() {
				_, leave, err := shares.enter(small, WorkBatch, id)
				if err == nil {
					order <- id
					leave()
				}
			}()
			synctest.Wait()
		}
		for range maxWaiting - 1 {
			wait(empresa)
		}
		refusal(t, small, shares, WorkBatch, empresa, errores.DemasiadasSolicitudes)
		wait(neighbour)

		leave()
		synctest.Wait()

		if first, second := <-order, <-order; first != empresa || second != neighbour {
			t.Errorf("after one of a burst of %d came %s and %s", maxWaiting, first, second)
		}
	})
}

// A large batch takes the place of several small ones, so that what is in memory is bounded.
func TestShares_placesFollowTheSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shares := NewShares(ShareConfig{}, 8)
		entered(t, declaring(t.Context(), 4*mib), shares, WorkBatch, empresa, 1)
		entered(t, declaring(t.Context(), 8*mib), shares, WorkBatch, empresa, 1)
		// An institution never has all four.
		refusal(t, declaring(t.Context(), 1), shares, WorkBatch, empresa, errores.NoDisponible)
		entered(t, declaring(t.Context(), 1), shares, WorkBatch, neighbour, 1)
		refusal(t, declaring(t.Context(), 1), shares, WorkBatch, "XEXX010101003", errores.NoDisponible)
	})
}

// Records that came as events count with their institution, not with the service that hands
// them over, and wait for no batch.
func TestShares_EnterRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shares := NewShares(ShareConfig{}, 8)
		record := func(id tenant.EmpresaID) (leave func(), err error) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			return shares.EnterRecord(ctx, id)
		}
		entered(t, declaring(t.Context(), 16*mib), shares, WorkBatch, empresa, 1)
		var leave func()
		for n := range 2 {
			var err error
			leave, err = record(empresa)
			if err != nil {
				t.Fatalf("record %d: %v", n+1, err)
			}
		}
		_, err := record(empresa)
		if !errs.Is(err, errores.NoDisponible) {
			t.Errorf("beyond what the institution may have: got %v", err)
		}
		_, err = record(neighbour)
		if err != nil {
			t.Errorf("the neighbour: got %v", err)
		}
		leave()
		_, err = record(empresa)
		if err != nil {
			t.Errorf("once a place is free: got %v", err)
		}
	})
}

func TestShares_waitsNoLongerThanItsCallerCan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shares := NewShares(shipped, 2)
		small := declaring(t.Context(), 500)
		entered(t, small, shares, WorkBatch, empresa, 1)
		started := time.Now()
		refusal(t, small, shares, WorkBatch, neighbour, errores.NoDisponible)
		if waited := time.Since(started); waited != batchWait {
			t.Errorf("without a deadline it waited %s", waited)
		}
		hurried, cancel := context.WithTimeout(small, 4*time.Second)
		defer cancel()
		started = time.Now()
		refusal(t, hurried, shares, WorkBatch, neighbour, errores.NoDisponible)
		if waited := time.Since(started); waited != 3*time.Second {
			t.Errorf("with four seconds it waited %s; nobody would hear the answer", waited)
		}
		gone, cancel := context.WithCancel(small)
		cancel()
		_, _, err := shares.enter(gone, WorkBatch, neighbour)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("given up: %v", err)
		}
	})
}

func TestShares_lists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shares := NewShares(shipped, 8)
		leave := entered(t, t.Context(), shares, WorkList, empresa, 16)
		refusal(t, t.Context(), shares, WorkList, empresa, errores.DemasiadasSolicitudes)
		for i := range maxLists/16 - 1 {
			entered(t, t.Context(), shares, WorkList, tenant.EmpresaID(strconv.Itoa(i)), 16)
		}
		refusal(t, t.Context(), shares, WorkList, neighbour, errores.NoDisponible)
		leave()
		entered(t, t.Context(), shares, WorkList, neighbour, 1)
	})
}

// limited is a server whose institution may have one large batch and one list at once.
func limited(t *testing.T) *guarded {
	g := newGuarded(t, nil)
	g.guard.Table = Table{
		loteRPC:  {Roles: []Rol{RolInstitucion}, Work: WorkBatch},
		casosRPC: {Roles: []Rol{RolInstitucion}, Work: WorkList},
	}
	g.guard.Shares = NewShares(ShareConfig{MaxBatches: 1, MaxBatchBytes: mib, MaxLists: 1}, 8)
	return g
}

func TestGuard_holdsAShareUntilTheCallEnds(t *testing.T) {
	g := limited(t)
	var told []Verdict
	g.guard.Verdicts = func(_ context.Context, v Verdict) { told = append(told, v) }
	key := []string{"x-api-key", g.present.cliente}
	for _, method := range []string{loteRPC, casosRPC} {
		told = nil
		// Nobody takes the principal of the first, so the handler of the second waits.
		check(t, "first", g.call(t, method, key...), allowed)
		ctx, cancel := context.WithCancel(t.Context())
		second := make(chan error, 1)
		go func() { second <- g.callWith(ctx, method, key...) }()
		g.waiting(t, second)
		check(t, "while another is at work", g.call(t, method, key...), errores.DemasiadasSolicitudes)
		if len(told) != 1 || told[0].RPC != method || !errs.Is(told[0].Err, errores.DemasiadasSolicitudes) {
			t.Errorf("told %+v", told)
		}
		<-g.seen
		check(t, "second", <-second, allowed)
		<-g.seen
		check(t, "once it has ended", g.call(t, method, key...), allowed)
		<-g.seen
		cancel()
	}
}

// Who declares less than it sends would else get more than its share.
func TestGuard_holdsABatchToItsSize(t *testing.T) {
	g := limited(t)
	call := func(size int, pairs ...string) error {
		ctx := metadata.AppendToOutgoingContext(t.Context(), append(pairs, "x-api-key", g.present.cliente)...)
		_, err := registrosv1.NewRegistroServiceClient(g.conn).SaveLote(ctx, &registrosv1.SaveLoteRequest{
			Registros: []*registrosv1.Registro{{Folio: string(make([]byte, size))}},
		})
		select {
		case <-g.seen:
		default:
		}
		return err
	}
	const tooLarge = errores.CuerpoDemasiadoGrande
	check(t, "as declared", call(100*kib, header.Bytes, "102400"), allowed)
	check(t, "a message that is somewhat larger than its JSON", call(300*kib, header.Bytes, "102400"), allowed)
	check(t, "declared far too small", call(500*kib, header.Bytes, "102400"), tooLarge)
	for name, declared := range map[string][]string{
		"nothing":  nil,
		"nonsense": {header.Bytes, "-1"},
		"twice":    {header.Bytes, "1", header.Bytes, "2"},
	} {
		check(t, name+", an even part", call(900*kib, declared...), allowed)
		check(t, name+", more than that", call(mib, declared...), tooLarge)
	}
}
