package grpcapi_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

// Every RPC of the access table is called with every kind of credential.
func TestAccess(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for rpc, access := range auth.DeclaredTable() {
		if !strings.HasPrefix(rpc, "/enlace.registros.v1.") {
			continue
		}
		if err := s.call(s.nobody, rpc); !errs.Is(err, errores.CredencialAusente) {
			t.Errorf("%s without a credential: %v", rpc, err)
		}
		admitted, refused := s.integracion, []context.Context{s.uno, s.events}
		if access.Ambito == auth.AmbitoCliente {
			admitted, refused = s.uno, []context.Context{s.events, s.integracion}
		}
		if err := s.call(admitted, rpc); err != nil && !isOfTheRequest(err) {
			t.Errorf("%s with what it asks for: %v", rpc, err)
		}
		for _, ctx := range refused {
			if err := s.call(ctx, rpc); !isOfTheCredential(err) {
				t.Errorf("%s with another credential: %v", rpc, err)
			}
		}
	}
}

// isOfTheRequest tells that who asked was let in, and asked for nothing.
func isOfTheRequest(err error) bool {
	return slices.Contains([]errores.Motivo{errores.Validacion, errores.LoteVacio, errores.NoEncontrado}, errs.MotivoOf(err))
}

func isOfTheCredential(err error) bool {
	return slices.Contains([]errores.Motivo{errores.SinPermiso, errores.CredencialAusente, errores.CredencialInvalida}, errs.MotivoOf(err))
}
