package grpcapi_test

import (
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

// Every RPC of the access table is called with every kind of credential; one that this
// test forgets fails it.
func TestAccess(t *testing.T) {
	t.Parallel()
	s := setup(t)
	calls := s.calls()
	for rpc, access := range auth.DeclaredTable() {
		if !strings.HasPrefix(rpc, "/enlace.registros.v1.") {
			continue
		}
		call, listed := calls[rpc]
		if !listed {
			t.Errorf("%s is not called by this test", rpc)
			continue
		}
		if err := call(s.nobody); !errs.Is(err, errores.CredencialAusente) {
			t.Errorf("%s without a credential: %v", rpc, err)
		}
		if access.Ambito == auth.AmbitoCliente {
			if err := call(s.uno); err != nil {
				t.Errorf("%s with a key: %v", rpc, err)
			}
			if err := call(s.events); !errs.Is(err, errores.SinPermiso) {
				t.Errorf("%s with a key for events only: %v", rpc, err)
			}
			if err := call(s.integracion); !errs.Is(err, errores.SinPermiso) && !errs.Is(err, errores.CredencialAusente) && !errs.Is(err, errores.CredencialInvalida) {
				t.Errorf("%s with a service token: %v", rpc, err)
			}
			continue
		}
		if err := call(s.integracion); err != nil {
			t.Errorf("%s with a service token: %v", rpc, err)
		}
		if err := call(s.uno); err == nil {
			t.Errorf("%s takes an institution's key", rpc)
		}
	}
}
