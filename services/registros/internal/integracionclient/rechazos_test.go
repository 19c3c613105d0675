package integracionclient

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"

	"github.com/enlace-iis/enlace/proto/errores"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

// integracion counts what it is told by kind, and can be away.
type integracion struct {
	grpc.ClientConnInterface
	away  func() // what happens during a call that fails; nil: none does
	calls int
	veces map[string]int32
}

func (i *integracion) Invoke(_ context.Context, _ string, args, _ any, _ ...grpc.CallOption) error {
	if i.away != nil {
		i.away()
		return errors.New("away")
	}
	i.calls++
	for _, r := range args.(*integracionv1.RecordRechazosRequest).GetRechazos() {
		i.veces[fmt.Sprint(r.GetRpc(), " ", r.GetEmpresaId(), " ", r.GetSujeto(), " ", errores.Codigo(r.GetMotivo()))] += r.GetVeces()
	}
	return nil
}

func TestRechazos(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := &integracion{veces: map[string]int32{}}
		r := NewRechazos(i, slog.New(slog.DiscardHandler))
		ctx, end := context.WithCancel(t.Context())
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			r.Run(ctx)
		}()
		refuse := func(sujeto string, motivo errores.Motivo) {
			r.Verdict(ctx, auth.Verdict{RPC: "/s/ListCasos", Principal: auth.Principal{Subject: sujeto}, Err: errs.New(motivo, "no")})
		}
		i.away = func() { refuse("K", errores.SinPermiso) }
		for range 1000 {
			refuse("K", errores.SinPermiso)
			refuse("K", errores.DemasiadasSolicitudes) // no refusal of a credential
		}
		time.Sleep(3 * rechazosEvery)
		synctest.Wait()
		i.away = nil
		refuse("K", errores.SinPermiso)
		time.Sleep(2 * rechazosEvery)
		synctest.Wait()
		if got := i.veces["/s/ListCasos  K sin_permiso"]; got != 1004 || len(i.veces) != 1 || i.calls != 1 {
			t.Errorf("got %v in %d calls, want 1004 of a kind in one", i.veces, i.calls)
		}

		for n := range 3 * maxRechazos {
			refuse(fmt.Sprint(n), errores.SinPermiso)
		}
		end()
		<-stopped
		if got := i.veces["/s/ListCasos   sin_permiso"]; got != 2*maxRechazos || len(i.veces) != maxRechazos+2 {
			t.Errorf("got %d kinds, %d without a subject; want %d and %d", len(i.veces), got, maxRechazos+2, 2*maxRechazos)
		}
	})
}
