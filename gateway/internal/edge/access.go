package edge

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
	"github.com/enlace-iis/enlace/gateway/internal/routes"
	"github.com/enlace-iis/enlace/proto/errores"
	accesov1 "github.com/enlace-iis/enlace/proto/gen/enlace/acceso/v1"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/process/header"
)

// credentials are the two headers that can hold one, as received.
type credentials struct {
	apiKeys        []string
	authorizations []string
}

// owner tells the senders of credentials apart, good or not.
func (c credentials) owner() string {
	return strings.Join(slices.Concat(c.apiKeys, c.authorizations), "\n")
}

// wantCredentials refuses a request to a protected route that brings no credential at all,
// or one that gRPC could not even carry. All else about it is for the services to judge.
func (e *Edge) wantCredentials(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := of(r)
		x.credentials = credentials{
			apiKeys:        r.Header.Values(header.ApiKey),
			authorizations: r.Header.Values(header.Authorization),
		}
		if x.access() == routes.Open {
			x.credentials = credentials{}
		} else if refusal := x.checkCredentials(); refusal != nil {
			x.credentials = credentials{}
			e.answer(w, r, cmp.Or(e.checkDireccion(r), refusal))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (x *exchange) checkCredentials() *httperr.Error {
	given := false
	for _, values := range [][]string{x.credentials.apiKeys, x.credentials.authorizations} {
		for _, value := range values {
			given = given || strings.TrimSpace(value) != ""
			if !header.IsPrintable(value) {
				return httperr.New(errores.CredencialInvalida, errores.DetalleCredencialInvalida)
			}
		}
	}
	if given {
		return nil
	}
	return httperr.New(errores.CredencialAusente, x.missingCredential())
}

func (x *exchange) missingCredential() string {
	switch {
	case x.style() == httperr.Platform:
		return "Token no proporcionado" // the manual's own words (7.4)
	case x.access() == routes.APIKey:
		return "Falta la llave de la institución en la cabecera X-API-Key."
	default:
		return "Falta el token en la cabecera Authorization."
	}
}

// ask has the owning service judge the credentials for the RPC of the route, without
// calling it, and the institution's own address if it is one. motivo is why the edge refuses
// the request if they are good; none if it only wants to know beforehand. ask gives nil when
// they are good and when there is nothing to judge.
func (e *Edge) ask(ctx context.Context, x *exchange, motivo errores.Motivo) error {
	open := x.access() == routes.Open && x.direccion() == ""
	if open && !x.refusesLogin(motivo) {
		return nil
	}
	question := &accesov1.CheckAccesoRequest{Rpc: x.route.RPC, Motivo: motivo, ReporteId: x.call.ReporteID}
	answer, err := e.checkAcceso(ctx, x, x.route.Service, question)
	if open {
		return nil // the service took note, there was nothing to judge
	}
	x.empresa = answer.GetIdEmpresa()
	return err
}

// refusesLogin reports whether the edge refuses a login for what it sent. The service writes that to
// the Bitácora. Of an address that sends too many it is not told: a flood is to cost little.
func (x *exchange) refusesLogin(motivo errores.Motivo) bool {
	return motivo != beforehand && motivo != errores.DemasiadasSolicitudes &&
		x.route != nil && x.route.RPC == integracionv1.SesionService_Login_FullMethodName
}

func (e *Edge) checkAcceso(ctx context.Context, x *exchange, service routes.Service, question *accesov1.CheckAccesoRequest) (*accesov1.CheckAccesoResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, e.cfg.Timeout)
	defer cancel()
	ctx = metadata.NewOutgoingContext(ctx, x.metadata())
	return e.asking[service].CheckAcceso(ctx, question)
}

// checkDireccion refuses a request to an institution's own address if there is no such
// institution: 404 comes before 405 and 401 (contract.md 8). No credential counts for that,
// so the question is about the one RPC there that is open to all. nil is no refusal.
func (e *Edge) checkDireccion(r *http.Request) *httperr.Error {
	x := of(r)
	if x.direccion() == "" {
		return nil
	}
	if !e.mayAsk(x) {
		return e.limiterOf(x).refusal()
	}
	question := &accesov1.CheckAccesoRequest{Rpc: integracionv1.SesionService_Login_FullMethodName}
	_, verdict := e.checkAcceso(r.Context(), x, routes.Integracion, question)
	if verdict == nil {
		return nil
	}
	refusal := httperr.FromError(verdict)
	if refusal.Motivo != errores.NoEncontrado {
		return nil
	}
	return refusal
}

// outranks tells whether the verdict on the credentials goes before a refusal of the edge.
// A service that cannot say is no verdict: what is wrong with the body is true anyway.
func outranks(verdict error) bool {
	if verdict == nil || status.Code(verdict) == codes.Unimplemented {
		return false
	}
	switch errores.Status(httperr.FromError(verdict).Motivo) {
	case http.StatusNotFound, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
		return true
	default:
		return false
	}
}
