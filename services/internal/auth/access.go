package auth

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	accesov1 "github.com/enlace-iis/enlace/proto/gen/enlace/acceso/v1"
	opcionesv1 "github.com/enlace-iis/enlace/proto/gen/enlace/opciones/v1"
	"github.com/enlace-iis/enlace/proto/opciones"
	"github.com/enlace-iis/enlace/services/internal/errs"
)

// MaxRecent is how old a login may be for what asks for a recent one (contract.md, section 9): a
// token alone, found or stolen later, does not become the account.
const MaxRecent = 5 * time.Minute

// Access is who may call one method. The zero value allows nobody.
type Access struct {
	// Public lets anyone call, with no credential looked at.
	Public bool
	// Roles are the roles that may call.
	Roles []Rol
	// Ambito is the scope that an institution's key needs besides its role. Empty: none.
	Ambito Ambito
	// Recent asks for a login of at most [MaxRecent] ago.
	Recent bool
	// Work is what the method takes from its institution's share.
	Work Work
}

// Table gives the access of each full method, such as
// "/enlace.registros.v1.RegistroService/SaveLote".
type Table map[string]Access

// DeclaredTable reads from the protos who may call each method that is linked into the program.
// It panics on a proto that leaves a method to nobody: a mistake of ours, which every start then
// shows.
func DeclaredTable() Table {
	metodos, err := opciones.Todos()
	if err != nil {
		panic(err)
	}
	table := Table{}
	for _, metodo := range metodos {
		table[metodo.RPC] = accessOf(metodo)
	}
	return table
}

func accessOf(metodo opciones.Metodo) Access {
	access := Access{Public: metodo.Acceso.GetPublico(), Recent: metodo.GetReciente()}
	for _, rol := range metodo.Acceso.GetRoles() {
		access.Roles = append(access.Roles, Rol(wireName(rol, "ROL_")))
	}
	if ambito := metodo.Acceso.GetAmbito(); ambito != opcionesv1.Ambito_AMBITO_UNSPECIFIED {
		access.Ambito = Ambito(wireName(ambito, "AMBITO_"))
	}
	switch {
	case metodo.GetMaximoRegistros() > 0:
		access.Work = WorkBatch
	case metodo.IsList():
		access.Work = WorkList
	}
	return access
}

// wireName is the name of an enum's value as tokens and keys carry it: "institucion".
func wireName(value fmt.Stringer, prefix string) string {
	return strings.ToLower(strings.TrimPrefix(value.String(), prefix))
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

// authorize refuses a caller whose role or scope is not enough, or whose login is too long ago.
func (a Access) authorize(principal Principal) error {
	if !slices.Contains(a.Roles, principal.Rol) {
		return errs.New(errores.SinPermiso, "La credencial no tiene el rol que esta operación requiere.")
	}
	if principal.Rol == RolInstitucion && a.Ambito != "" && !principal.Has(a.Ambito) {
		return errs.New(errores.SinPermiso, fmt.Sprintf("La credencial no tiene el ámbito %q.", a.Ambito))
	}
	if a.Recent && time.Since(principal.LoggedInAt) > MaxRecent {
		return errs.New(errores.SesionAntigua, "Esta operación pide un inicio de sesión de hace cinco minutos o menos. Inicie sesión otra vez, con clave y código.")
	}
	return nil
}
