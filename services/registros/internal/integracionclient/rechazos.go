package integracionclient

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/enlace-iis/enlace/proto/errores"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

const (
	// rechazosEvery is between two calls, and rechazosLimit bounds one.
	rechazosEvery = time.Second
	rechazosLimit = 5 * time.Second
	// maxRechazos bounds the kinds of a second: a message has 64 KiB. Beyond it institution and
	// subject are lost.
	maxRechazos = 200
)

// Rechazos hands refusals of the guard to integracion, which keeps the Bitácora. Those of a kind are
// counted and sent once a second, so a flood of them costs a call.
type Rechazos struct {
	client integracionv1.CredencialServiceClient
	log    *slog.Logger

	mu      sync.Mutex
	counted map[rechazo]*integracionv1.Rechazo
}

// rechazo is a kind of refusal.
type rechazo struct {
	rpc     string
	empresa tenant.EmpresaID
	sujeto  string
	motivo  errores.Motivo
}

// NewRechazos makes a Rechazos; Run sends what it counted.
func NewRechazos(conn grpc.ClientConnInterface, log *slog.Logger) *Rechazos {
	return &Rechazos{client: integracionv1.NewCredencialServiceClient(conn), log: log, counted: map[rechazo]*integracionv1.Rechazo{}}
}

// Verdict counts what the guard refused for its credential.
func (r *Rechazos) Verdict(ctx context.Context, v auth.Verdict) {
	if v.Err == nil || !v.RefusesCredencial() {
		return
	}
	r.add(&integracionv1.Rechazo{
		Rpc: v.RPC, EmpresaId: string(v.Principal.EmpresaID), Sujeto: v.Principal.Subject,
		Motivo: errs.MotivoOf(v.Err), RequestId: rpc.RequestID(ctx), Veces: 1,
	})
}

func (r *Rechazos) add(more *integracionv1.Rechazo) {
	r.mu.Lock()
	defer r.mu.Unlock()
	kind := rechazo{more.GetRpc(), tenant.EmpresaID(more.GetEmpresaId()), more.GetSujeto(), more.GetMotivo()}
	if r.counted[kind] == nil && len(r.counted) >= maxRechazos {
		kind.empresa, kind.sujeto = "", ""
		more.EmpresaId, more.Sujeto = "", ""
	}
	if known := r.counted[kind]; known != nil {
		known.Veces += more.GetVeces()
		return
	}
	r.counted[kind] = more
}

// Run sends what was counted until ctx ends, and then the last of it.
func (r *Rechazos) Run(ctx context.Context) {
	ticker := time.NewTicker(rechazosEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			r.send(ctx)
			return
		case <-ticker.C:
			r.send(ctx)
		}
	}
}

// send hands over what was counted; what integracion does not take stays counted.
func (r *Rechazos) send(ctx context.Context) {
	r.mu.Lock()
	counted := r.counted
	r.counted = map[rechazo]*integracionv1.Rechazo{}
	r.mu.Unlock()
	if len(counted) == 0 {
		return
	}
	var req integracionv1.RecordRechazosRequest
	for _, each := range counted {
		req.Rechazos = append(req.Rechazos, each)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rechazosLimit)
	defer cancel()
	_, err := r.client.RecordRechazos(ctx, &req)
	if err == nil {
		return
	}
	r.log.WarnContext(ctx, "refusals are not in the bitacora yet", "kinds", len(req.GetRechazos()), "error", err)
	for _, each := range req.GetRechazos() {
		r.add(each)
	}
}
