package auth

import (
	"context"
	"errors"
	"math"
	"strconv"
	"time"

	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/process/fair"
	"github.com/enlace-iis/enlace/services/process/grpcclient"
	"github.com/enlace-iis/enlace/services/process/header"
)

// Work is what a method needs besides the moment that most take. The zero value: nothing.
type Work int

// What methods need.
const (
	// WorkBatch needs cores, memory and a database connection for a while.
	WorkBatch Work = iota + 1
	// WorkList needs memory for as long as its reader takes.
	WorkList
)

const (
	// placeBytes is how much of a batch one place is for. Its records, their verdicts and what
	// goes to the database take about ten times as much memory.
	placeBytes = 4 << 20
	// maxWaiting is how many places the batches of one institution may wait for together.
	maxWaiting = 256
	// maxLists is how many lists one process holds open: less than 1 MiB each when nobody reads.
	maxLists = 256
	// A batch is worth waiting for; who asks for a list can as well ask again.
	batchWait = 30 * time.Second
	listWait  = 5 * time.Second
	// expansion is how many times larger than its JSON a message may be: what JSON names
	// briefly, such as an unknown field, may take more words there.
	expansion = 4
	// retryAfter is when a share may be free again, as far as anyone can tell.
	retryAfter = time.Second
)

// ShareConfig is what each institution may have in hand at once, on each replica. Zero: no
// bound.
type ShareConfig struct {
	// MaxBatches is how many large batches (over 128 KiB) of an Empresa are taken at once,
	// waiting ones included.
	MaxBatches int `env:"EMPRESA_MAX_BATCHES" envDefault:"4"`
	// MaxBatchBytes is how many bytes of JSON they may have together. Less than the largest
	// batch refuses that for ever.
	MaxBatchBytes int64 `env:"EMPRESA_MAX_BATCH_BYTES" envDefault:"33554432"`
	// MaxLists is how many lists of an Empresa may be open at once.
	MaxLists int `env:"EMPRESA_MAX_LISTS" envDefault:"16"`
}

// Shares divides a process among institutions: nobody can use up what the others need.
type Shares struct {
	cfg ShareConfig

	// batches and bytes only count: large batches, and what they declare.
	batches, bytes *fair.Gate
	// places are what all batches wait for, institution by institution in turn.
	places *fair.Gate
	// records are what single records wait for that came as events.
	records *fair.Gate
	lists   *fair.Gate
	// most is how many places one institution has at once.
	most int64
}

// NewShares divides a process with that many database connections. Half of them are for
// batches, and a quarter for events: the other calls are short, and never wait for those to
// end. One institution has three quarters of each at most: its writes of the same folios wait
// for each other, each on a connection.
func NewShares(cfg ShareConfig, connections int) *Shares {
	places, records := int64(connections/2), int64(connections/4+1)
	most := max(1, places*3/4)
	return &Shares{
		cfg:     cfg,
		most:    most,
		records: fair.New(fair.Config{Capacity: records, Share: maxWaiting, Most: max(1, records*3/4)}),
		batches: fair.New(fair.Config{Capacity: math.MaxInt64, Share: int64(cfg.MaxBatches)}),
		bytes:   fair.New(fair.Config{Capacity: math.MaxInt64, Share: cfg.MaxBatchBytes}),
		places:  fair.New(fair.Config{Capacity: places, Share: maxWaiting, Most: most}),
		lists:   fair.New(fair.Config{Capacity: maxLists, Share: int64(cfg.MaxLists)}),
	}
}

// enter takes what a call needs, waiting for its turn if it must, and gives the call's
// context. Unless it fails the caller must call leave when the call has ended.
func (s *Shares) enter(ctx context.Context, work Work, empresa tenant.EmpresaID) (within context.Context, leave func(), err error) {
	var taken hand
	switch {
	case s == nil || empresa == "":
	case work == WorkBatch:
		ctx, err = s.enterBatch(ctx, string(empresa), &taken)
	case work == WorkList:
		err = taken.take(ctx, s.lists, string(empresa), 1, listWait)
		err = refused(err, "La institución ya tiene abiertas todas las listas que puede tener a la vez.", s.cfg.MaxLists)
	}
	if err != nil {
		taken.leave()
		return nil, nil, err
	}
	return ctx, taken.leave, nil
}

func (s *Shares) enterBatch(ctx context.Context, empresa string, taken *hand) (context.Context, error) {
	size, limit := s.sizeOf(ctx)
	if size > header.LargeBatch {
		err := taken.take(ctx, s.batches, empresa, 1, batchWait)
		if err == nil {
			err = taken.take(ctx, s.bytes, empresa, size, batchWait)
		}
		if err != nil {
			return nil, refused(err, "La institución ya tiene en proceso todos los envíos grandes que puede tener a la vez.", s.cfg.MaxBatches)
		}
	}
	err := taken.take(ctx, s.places, empresa, min(1+(size-1)/placeBytes, s.most), batchWait)
	if err != nil {
		return nil, refused(err, "La institución ya tiene en espera demasiados envíos.", maxWaiting)
	}
	return rpc.WithBounds(ctx, rpc.Bounds{Bytes: int(limit)}), nil
}

// EnterRecord takes what one record needs that a service hands over for an institution,
// waiting for its turn if it must. Unless it fails the caller must call leave.
func (s *Shares) EnterRecord(ctx context.Context, empresa tenant.EmpresaID) (leave func(), err error) {
	var taken hand
	if s == nil {
		return taken.leave, nil
	}
	err = taken.take(ctx, s.records, string(empresa), 1, batchWait)
	return taken.leave, refused(err, "La institución ya tiene en espera demasiados eventos.", maxWaiting)
}

// sizeOf is the size that a batch counts with, and how large its message may be. Who declares
// nothing gets an even part of what the institution may have in hand.
func (s *Shares) sizeOf(ctx context.Context) (size, limit int64) {
	declared := metadata.ValueFromIncomingContext(ctx, header.Bytes)
	if len(declared) == 1 {
		size, err := strconv.ParseInt(declared[0], 10, 64)
		if err == nil && size >= 0 && size <= grpcclient.MaxRequest {
			return max(1, size), min(expansion*max(1<<10, size), grpcclient.MaxRequest)
		}
	}
	even := int64(grpcclient.MaxRequest)
	if s.cfg.MaxBatches > 0 && s.cfg.MaxBatchBytes > 0 {
		even = min(even, s.cfg.MaxBatchBytes/int64(s.cfg.MaxBatches))
	}
	return even, even
}

// hand is what a call has taken.
type hand []func()

func (h *hand) take(ctx context.Context, gate *fair.Gate, empresa string, units int64, limit time.Duration) error {
	// What is left of the caller's own time is for the work.
	deadline, bounded := ctx.Deadline()
	if bounded {
		limit = min(limit, time.Until(deadline)*3/4)
	}
	waiting, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	leave, err := gate.Enter(waiting, empresa, units)
	if err != nil {
		return err
	}
	*h = append(*h, leave)
	return nil
}

func (h hand) leave() {
	for _, leave := range h {
		leave()
	}
}

// refused words why a gate did not let in. An institution is told of its own share; that all
// others together leave no room is nobody's fault.
func refused(err error, share string, limit int) error {
	switch {
	case errors.Is(err, fair.ErrShare):
		return errs.New(errores.DemasiadasSolicitudes, share).After(retryAfter).Within(errs.Cuota{Limite: limit, Ventana: retryAfter})
	case errors.Is(err, context.DeadlineExceeded):
		return errs.Wrap(err, errores.NoDisponible, errores.DetalleNoDisponible).After(retryAfter)
	default:
		return err
	}
}
