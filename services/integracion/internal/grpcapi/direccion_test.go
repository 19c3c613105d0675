package grpcapi_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/grpcapi"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/process/header"
)

// lookups are the institutions that there are, and who was looked up.
type lookups struct {
	known []tenant.EmpresaID
	asked int
}

func (l *lookups) GetEmpresa(_ context.Context, id tenant.EmpresaID) (cuentas.Empresa, error) {
	l.asked++
	if !slices.Contains(l.known, id) {
		return cuentas.Empresa{}, errs.New(errores.NoEncontrado, cuentas.EmpresaMissing)
	}
	return cuentas.Empresa{ID: id}, nil
}

// Anybody may ask for the address of an institution that there is not, and over and over.
func TestDireccionPropia_whatThereIsNotCostsLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &lookups{known: []tenant.EmpresaID{"LAB010101AB1"}}
		direccion := grpcapi.NewDireccionPropia(store)
		ask := func(id string) error {
			ctx := metadata.NewIncomingContext(t.Context(), metadata.Pairs(header.Direccion, id))
			return direccion.Layer(ctx, "", func(context.Context) error { return nil })
		}
		for _, tt := range []struct {
			id    string
			known bool
			most  int // look-ups of five questions
		}{
			{"LAB010101AB1", true, 5},
			{"LAB020202CD2", false, 1},
			{"lab010101ab1", false, 0},
			{"no-es-un-rfc", false, 0},
			{"", false, 0},
		} {
			store.asked = 0
			for range 5 {
				err := ask(tt.id)
				if (err == nil) != tt.known || err != nil && !errs.Is(err, errores.NoEncontrado) {
					t.Errorf("%q: got %v", tt.id, err)
				}
			}
			if store.asked > tt.most {
				t.Errorf("%q: got %d look-ups, want %d at most", tt.id, store.asked, tt.most)
			}
		}
		// One that is created is there a second later.
		store.known = append(store.known, "LAB020202CD2")
		time.Sleep(2 * time.Second)
		err := ask("LAB020202CD2")
		if err != nil {
			t.Errorf("once it was created: got %v", err)
		}
	})
}
