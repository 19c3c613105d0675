package pg

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

const (
	// togetherMost bounds the turns of one transaction, so that its locks are held for a moment only.
	togetherMost = 100
	// togetherLimit bounds one transaction: callers may leave it, and nobody else would end it.
	togetherLimit = 10 * time.Second
)

// Together does in one transaction what many callers ask for the same Empresa at the same
// time: what costs is the durable commit and the round trips, hardly the rows. Nobody waits
// for company. Who comes while no transaction of the Empresa is under way begins one; who
// comes meanwhile shares the next. An answer is given after the commit, as by a transaction
// of one's own. Safe for concurrent use.
type Together[Q, A any] struct {
	do func(ctx context.Context, empresa tenant.EmpresaID, asked []Q) ([]A, error)
	// alike says that all ask the same, so that what fails for all fails for each.
	alike bool

	mu sync.Mutex
	// waiting has an entry for each Empresa that has a transaction under way.
	waiting map[tenant.EmpresaID][]*turn[Q, A]
}

// Run does what was asked and answers each in its place. What it returns an error for is
// rolled back and asked again one by one, so that none fails for another's sake. It must have
// no effect outside tx that it cannot repeat. Its statements are planned once for all arguments.
type Run[Q, A any] func(ctx context.Context, tx pgx.Tx, empresa tenant.EmpresaID, asked []Q) ([]A, error)

// NewTogether makes a Together on db.
func NewTogether[Q, A any](db *DB, run Run[Q, A]) *Together[Q, A] {
	return newTogether(func(ctx context.Context, empresa tenant.EmpresaID, asked []Q) (answers []A, err error) {
		err = db.InEmpresaByKeys(ctx, empresa, func(tx pgx.Tx) error {
			// Made anew each time: run may note in it what it reads.
			answers, err = run(ctx, tx, empresa, slices.Clone(asked))
			return err
		})
		return answers, err
	})
}

// NewReading makes a Together whose callers all ask the same: what is read once answers everyone
// who came before it was begun.
func NewReading[A any](read func(ctx context.Context, empresa tenant.EmpresaID) (A, error)) *Together[struct{}, A] {
	t := newTogether(func(ctx context.Context, empresa tenant.EmpresaID, asked []struct{}) ([]A, error) {
		answer, err := read(ctx, empresa)
		return slices.Repeat([]A{answer}, len(asked)), err
	})
	t.alike = true
	return t
}

func newTogether[Q, A any](do func(context.Context, tenant.EmpresaID, []Q) ([]A, error)) *Together[Q, A] {
	return &Together[Q, A]{do: do, waiting: map[tenant.EmpresaID][]*turn[Q, A]{}}
}

// turn is one caller's.
type turn[Q, A any] struct {
	ctx    context.Context
	asked  Q
	answer A
	err    error
	done   chan struct{}
}

// Ask waits for the answer. After the end of ctx it is not known whether the transaction was
// committed, as with a transaction of one's own that was cut while it committed.
func (t *Together[Q, A]) Ask(ctx context.Context, empresa tenant.EmpresaID, asked Q) (A, error) {
	own := &turn[Q, A]{ctx: ctx, asked: asked, done: make(chan struct{})}
	if t.enter(empresa, own) {
		go t.lead(empresa)
	}
	select {
	case <-own.done:
	case <-ctx.Done():
		var none A
		return none, ctx.Err()
	}
	if panicked, is := errors.AsType[*errs.Panic](own.err); is {
		panic(panicked) // it is met where the caller's own would be
	}
	return own.answer, own.err
}

// enter tells whether the caller is the first.
func (t *Together[Q, A]) enter(empresa tenant.EmpresaID, own *turn[Q, A]) (first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	queue, busy := t.waiting[empresa]
	t.waiting[empresa] = append(queue, own)
	return !busy
}

// lead runs one transaction after the other until nobody waits.
func (t *Together[Q, A]) lead(empresa tenant.EmpresaID) {
	for {
		group := t.next(empresa)
		if len(group) == 0 {
			return
		}
		t.settle(empresa, group)
	}
}

func (t *Together[Q, A]) next(empresa tenant.EmpresaID) []*turn[Q, A] {
	t.mu.Lock()
	defer t.mu.Unlock()
	queue := t.waiting[empresa]
	if len(queue) == 0 {
		delete(t.waiting, empresa)
		return nil
	}
	n := min(len(queue), togetherMost)
	t.waiting[empresa] = queue[n:]
	return queue[:n]
}

// settle answers all of the group, one by one if they fail together. That the database is
// away is no one's fault.
func (t *Together[Q, A]) settle(empresa tenant.EmpresaID, group []*turn[Q, A]) {
	answers, err := t.try(empresa, group)
	if err != nil && len(group) > 1 && !t.alike && !unreachable(err) {
		for n := range group {
			t.settle(empresa, group[n:n+1])
		}
		return
	}
	for n, each := range group {
		each.err = err
		if err == nil {
			each.answer = answers[n]
		}
		close(each.done)
	}
}

func (t *Together[Q, A]) try(empresa tenant.EmpresaID, group []*turn[Q, A]) (answers []A, err error) {
	defer func() {
		value := recover()
		if value != nil {
			err = errs.Recovered(value)
		}
	}()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(group[0].ctx), togetherLimit)
	defer cancel()
	asked := make([]Q, len(group))
	for n, each := range group {
		asked[n] = each.asked
	}
	return t.do(ctx, empresa, asked)
}
