package jobs

import (
	"context"
	"time"

	"github.com/enlace-iis/enlace/services/integracion/internal/postgres"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// sealEvery bounds for how long an entry of the Bitácora is not chained; what is exported is
// chained before.
const sealEvery = time.Minute

// sealer chains what was written to the Bitácora.
type sealer struct{ store *postgres.Store }

// seal goes over the institutions that have something to be chained, once.
func (s sealer) seal(ctx context.Context, after tenant.EmpresaID) (next tenant.EmpresaID, last bool, err error) {
	next, err = s.store.NextUnsealed(ctx, after)
	if err != nil || next == "" {
		return after, true, err
	}
	sealed, err := s.store.Seal(ctx, next)
	if err != nil || sealed {
		return next, false, err
	}
	return after, false, nil // there is more of the same one
}
