package cuentas

import (
	"context"
	"log/slog"

	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// UsoStore writes down that a key was used, at most once a minute for each key.
type UsoStore interface {
	TouchApiKey(ctx context.Context, empresa tenant.EmpresaID, keyID string) error
}

// waitingUsos is how many uses may wait to be written; more are dropped, since the next
// use of the same key tells the same.
const waitingUsos = 256

type uso struct {
	empresa tenant.EmpresaID
	keyID   string
}

// UsoRecorder is Usos that writes beside the calls that report to it.
type UsoRecorder struct {
	store   UsoStore
	log     *slog.Logger
	waiting chan uso
}

// NewUsoRecorder makes a recorder; Run does its work.
func NewUsoRecorder(store UsoStore, log *slog.Logger) *UsoRecorder {
	return &UsoRecorder{store: store, log: log, waiting: make(chan uso, waitingUsos)}
}

// Used implements [Usos].
func (r *UsoRecorder) Used(empresa tenant.EmpresaID, keyID string) {
	select {
	case r.waiting <- uso{empresa, keyID}:
	default:
	}
}

// Run writes uses down until ctx ends.
func (r *UsoRecorder) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case u := <-r.waiting:
			err := r.store.TouchApiKey(ctx, u.empresa, u.keyID)
			if err != nil && ctx.Err() == nil {
				r.log.WarnContext(ctx, "use of api key not recorded", "key_id", u.keyID, "error", err)
			}
		}
	}
}
