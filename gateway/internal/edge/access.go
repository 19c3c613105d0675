package edge

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/enlace-iis/enlace/gateway/internal/routes"
	"github.com/enlace-iis/enlace/proto/errores"
	accesov1 "github.com/enlace-iis/enlace/proto/gen/enlace/acceso/v1"
	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
)

// beforehand is the reason of a refusal that there is not.
const beforehand = erroresv1.Motivo_MOTIVO_UNSPECIFIED

// ask has the owning service judge the credentials for the RPC of the route, without
// calling it, and the institution's own address if it is one. motivo is why the edge refuses
// the request if they are good, or beforehand. It gives the institution whose they are, and no error
// when they are good and when there is nothing to judge.
func (e *Edge) ask(r *http.Request, motivo errores.Motivo) (empresa string, err error) {
	m := matchOf(r.Context())
	open := m.route.Access == routes.Open && m.direccion() == ""
	// The service writes to the Bitácora which logins the edge refuses for what they sent. Of an address
	// that sends too many it is not told: a flood is to cost little.
	noted := motivo != beforehand && motivo != errores.DemasiadasSolicitudes && m.route.RPC == integracionv1.SesionService_Login_FullMethodName
	if open && !noted {
		return "", nil
	}
	answer, err := e.checkAcceso(r.Context(), m.route.Service, &accesov1.CheckAccesoRequest{
		Rpc: m.route.RPC, Motivo: motivo, ReporteId: callOf(r).ReporteID,
	})
	if open {
		return "", nil
	}
	return answer.GetIdEmpresa(), err
}

func (e *Edge) checkAcceso(ctx context.Context, service routes.Service, question *accesov1.CheckAccesoRequest) (*accesov1.CheckAccesoResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, e.cfg.Timeout)
	defer cancel()
	return e.asking[service].CheckAcceso(ctx, question)
}

// checkDireccion refuses a request to an institution's own address if there is no such
// institution: 404 comes before 405 and 401 (contract.md 8). No credential counts for that,
// so the question is about the one RPC there that is open to all. nil is no refusal.
func (e *Edge) checkDireccion(r *http.Request) *routes.Error {
	if matchOf(r.Context()).direccion() == "" {
		return nil
	}
	left := allowanceOf(r.Context())
	if !left.mayAsk() {
		return left.refusal()
	}
	question := &accesov1.CheckAccesoRequest{Rpc: integracionv1.SesionService_Login_FullMethodName}
	_, verdict := e.checkAcceso(r.Context(), routes.Integracion, question)
	if verdict == nil {
		return nil
	}
	refusal := routes.FromError(verdict)
	if refusal.Motivo != errores.NoEncontrado {
		return nil
	}
	return refusal
}

// checkOwn asks for the institution of an address whose route no service answers.
func (e *Edge) checkOwn(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if matchOf(r.Context()).route.RPC == "" {
			refusal := e.checkDireccion(r)
			if refusal != nil {
				e.answer(w, r, refusal)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// refuse answers a refusal of the edge's own, after whatever the owning service has to say
// about the credentials: 401, 403 and 429 come first (contract.md 8).
func (e *Edge) refuse(w http.ResponseWriter, r *http.Request, refusal *routes.Error) {
	left := allowanceOf(r.Context())
	if !left.mayAsk() {
		e.answer(w, r, left.refusal())
		return
	}
	_, verdict := e.ask(r, refusal.Motivo)
	// A service that cannot say is no verdict: what is wrong with the request is true anyway.
	if verdict != nil && status.Code(verdict) != codes.Unimplemented {
		said := routes.FromError(verdict)
		switch errores.Status(said.Motivo) {
		case http.StatusNotFound, http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
			refusal = said
		}
	}
	e.answer(w, r, refusal)
}

// failed is the mux's error handler. Generated handlers make a text of the decoder's error; the
// body still has it with its place.
func (e *Edge) failed(_ context.Context, _ *runtime.ServeMux, _ runtime.Marshaler, w http.ResponseWriter, r *http.Request, err error) {
	e.onError(w, r, cmp.Or(callOf(r).Err, err))
}

// onError answers what went wrong in or on the way to a service.
func (e *Edge) onError(w http.ResponseWriter, r *http.Request, err error) {
	// The client has gone, and with it anybody to answer.
	if errors.Is(r.Context().Err(), context.Canceled) {
		panic(http.ErrAbortHandler)
	}
	refusal := routes.FromError(err)
	switch refusal.Motivo {
	case errores.JSONInvalido:
		e.refuse(w, r, refusal)
		return
	case errores.Interno, errores.NoDisponible, errores.TiempoAgotado:
		recordOf(r.Context()).failure = err
	}
	e.answer(w, r, refusal)
}

// maxInstance bounds how much of an unknown path is repeated to whoever made it up.
const maxInstance = 512

// answer writes a refusal.
func (e *Edge) answer(w http.ResponseWriter, r *http.Request, refusal *routes.Error) {
	recordOf(r.Context()).codigo = errores.Codigo(refusal.Motivo)
	if callOf(r).Source != http.NoBody && (r.ContentLength < 0 || r.ContentLength > strangersBody) {
		// net/http would first take in a body that was not asked for and may be long in coming.
		w.Header().Set("Connection", "close")
	}
	instance := e.cfg.RootPath + r.URL.Path
	about := routes.About{Instance: instance[:min(len(instance), maxInstance)], RequestID: originOf(r.Context()).requestID}
	if m := matchOf(r.Context()); m != nil {
		about.Style, about.Challenge = m.route.Style, m.route.Access.Challenge()
	}
	routes.WriteError(w, e.cfg.PublicURL+e.cfg.RootPath, about, refusal)
}
