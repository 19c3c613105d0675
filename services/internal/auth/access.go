package auth

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/grpc"

	accesov1 "github.com/enlace-iis/enlace/proto/gen/enlace/acceso/v1"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

// Access is who may call one method. The zero value allows nobody.
type Access struct {
	// Public lets anyone call, with no credential looked at.
	Public bool
	// Roles are the roles that may call.
	Roles []Rol
	// Ambito is the scope that an institution's key needs besides its role. Empty: none.
	Ambito Ambito
	// Work is what the method takes from its institution's share.
	Work Work
}

// With is the same access to a method that takes that work.
func (a Access) With(work Work) Access {
	a.Work = work
	return a
}

// Table gives the access of each full method, such as
// "/enlace.registros.v1.RegistroService/SaveLote".
type Table map[string]Access

// Covers tells the registered methods that the table forgets. A program calls it at
// start-up, so that a new method without a decision is found before a client finds it.
func (t Table) Covers(services map[string]grpc.ServiceInfo) error {
	var missing []string
	for service, info := range services {
		for _, method := range info.Methods {
			rpc := "/" + service + "/" + method.Name
			_, listed := t[rpc]
			if !listed && !open(rpc) {
				missing = append(missing, rpc)
			}
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		return fmt.Errorf("check access table: no access decided for %s", strings.Join(missing, ", "))
	}
	return nil
}

// openPrefixes are the services that need no credential: health and reflection, which say
// nothing of anyone, and the access service, which applies the rules itself.
var openPrefixes = []string{
	"/grpc.health.v1.Health/",
	"/grpc.reflection.v1.ServerReflection/",
	"/grpc.reflection.v1alpha.ServerReflection/",
	"/" + accesov1.AccesoService_ServiceDesc.ServiceName + "/",
}

func open(rpc string) bool {
	return slices.ContainsFunc(openPrefixes, func(prefix string) bool {
		return strings.HasPrefix(rpc, prefix)
	})
}

// takesKey tells whether an API key can be the right kind of credential.
func (a Access) takesKey() bool {
	return slices.Contains(a.Roles, RolInstitucion)
}

// takesToken tells whether a bearer token can be the right kind of credential.
func (a Access) takesToken() bool {
	return slices.ContainsFunc(a.Roles, func(rol Rol) bool { return rol != RolInstitucion })
}

// authorize refuses a caller whose role or scope is not enough.
func (a Access) authorize(principal Principal) error {
	if !slices.Contains(a.Roles, principal.Rol) {
		return errs.New(errs.SinPermiso, "La credencial no tiene el rol que esta operación requiere.")
	}
	if principal.Rol == RolInstitucion && a.Ambito != "" && !principal.Has(a.Ambito) {
		return errs.New(errs.SinPermiso, fmt.Sprintf("La credencial no tiene el ámbito %q.", a.Ambito))
	}
	return nil
}
