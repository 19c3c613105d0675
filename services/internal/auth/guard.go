package auth

import (
	"context"
	"errors"
	"strings"

	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/proto/errores"
	accesov1 "github.com/enlace-iis/enlace/proto/gen/enlace/acceso/v1"
	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/process/header"
)

// Limiter refuses a caller that calls too often, with DemasiadasSolicitudes.
type Limiter interface {
	// Allow counts a call.
	Allow(ctx context.Context, principal Principal, rpc string) error
	// Look answers what Allow would, and counts nothing.
	Look(ctx context.Context, principal Principal, rpc string) error
}

// Guard stands before every method: it authenticates, authorizes by the table, restricts,
// limits and takes from the caller's share, in this order. It also serves enlace.acceso.v1.AccesoService. The fields are set once,
// before the first call.
type Guard struct {
	accesov1.UnimplementedAccesoServiceServer

	// Table is who may call what.
	Table Table
	// Keys verifies API keys. Nil: none is accepted.
	Keys KeyVerifier
	// Tokens verifies bearer tokens. Nil: none is accepted.
	Tokens TokenVerifier
	// Restrict refuses callers that the table alone would let in. Nil: nobody.
	Restrict func(ctx context.Context, principal Principal) error
	// Limiter bounds how often a caller may call. Nil: no bound.
	Limiter Limiter
	// Shares bounds what an institution has in hand. Nil: no bound.
	Shares *Shares
	// Verdicts is told of every refusal, and of those that the gateway makes to callers who
	// might have called. Nil: nobody is.
	Verdicts func(ctx context.Context, verdict Verdict)
}

// Verdict is what the guard decided where no handler will say anything.
type Verdict struct {
	// RPC is the method that was to be called.
	RPC string
	// Principal is who called, as far as the credential names anyone.
	Principal Principal
	// Err is the refusal of the caller; nil if the caller might have called.
	Err error
	// Motivo is then why the gateway refuses the request itself.
	Motivo errores.Motivo
	// ReporteID is then what the request names, as it came and as far as it could be read.
	ReporteID string
}

// RefusesCredencial reports whether a refusal is of a credential that was there, or of its rights.
func (v Verdict) RefusesCredencial() bool {
	motivo := v.Motivo
	if v.Err != nil {
		motivo = errs.MotivoOf(v.Err)
	}
	switch motivo {
	case errores.CredencialInvalida, errores.CredencialCaducada, errores.CredencialRevocada, errores.SinPermiso, errores.SesionAntigua:
		return true
	default:
		return false
	}
}

// Layer is the guard as a layer of a server, unary and streaming.
func (g *Guard) Layer(ctx context.Context, method string, next func(context.Context) error) error {
	if open(method) {
		return next(ctx)
	}
	access, listed := g.Table[method]
	if !listed {
		return errs.Wrap(errors.New("check access: the method is not in the table"),
			errores.SinPermiso, "Esta operación no está permitida.")
	}
	if access.Public {
		return next(ctx)
	}
	principal, err := g.check(ctx, method, access, g.count)
	if err != nil {
		g.tell(ctx, Verdict{RPC: method, Principal: principal, Err: err})
		return err
	}
	within, leave, err := g.Shares.enter(ctx, access.Work, principal.EmpresaID)
	if err != nil {
		g.tell(ctx, Verdict{RPC: method, Principal: principal, Err: err})
		return err
	}
	defer leave()
	return next(WithPrincipal(within, principal))
}

// CheckAcceso implements enlace.acceso.v1.AccesoService: it answers what a call of the
// named method would be answered before its request is looked at. With a motivo the request
// ends there and counts for the limits; without one it is yet to come.
func (g *Guard) CheckAcceso(ctx context.Context, req *accesov1.CheckAccesoRequest) (*accesov1.CheckAccesoResponse, error) {
	access, listed := g.Table[req.GetRpc()]
	if !listed {
		return nil, errs.New(errores.NoEncontrado, "La operación indicada no existe.")
	}
	ends := req.GetMotivo() != erroresv1.Motivo_MOTIVO_UNSPECIFIED
	if access.Public {
		if ends {
			g.tell(ctx, Verdict{RPC: req.GetRpc(), Motivo: req.GetMotivo()})
		}
		return &accesov1.CheckAccesoResponse{}, nil
	}
	limit := g.look
	if ends {
		limit = g.count
	}
	principal, err := g.check(ctx, req.GetRpc(), access, limit)
	if err != nil || ends {
		g.tell(ctx, Verdict{RPC: req.GetRpc(), Principal: principal, Err: err, Motivo: req.GetMotivo(), ReporteID: req.GetReporteId()})
	}
	if err != nil {
		return nil, err
	}
	return &accesov1.CheckAccesoResponse{IdEmpresa: string(principal.EmpresaID)}, nil
}

func (g *Guard) tell(ctx context.Context, verdict Verdict) {
	if g.Verdicts != nil {
		g.Verdicts(ctx, verdict)
	}
}

// limit is how a Limiter is asked.
type limit func(ctx context.Context, principal Principal, rpc string) error

func (g *Guard) count(ctx context.Context, principal Principal, rpc string) error {
	if g.Limiter == nil {
		return nil
	}
	return g.Limiter.Allow(ctx, principal, rpc)
}

func (g *Guard) look(ctx context.Context, principal Principal, rpc string) error {
	if g.Limiter == nil {
		return nil
	}
	return g.Limiter.Look(ctx, principal, rpc)
}

// check gives the caller also with a refusal, as far as it is known.
func (g *Guard) check(ctx context.Context, method string, access Access, within limit) (Principal, error) {
	principal, err := g.authenticate(ctx, access)
	if err != nil {
		return principal, err
	}
	rpc.SetCaller(ctx, principal.EmpresaID, string(principal.Rol))
	err = access.authorize(principal)
	if err != nil {
		return principal, err
	}
	if g.Restrict != nil {
		err = g.Restrict(ctx, principal)
		if err != nil {
			return principal, err
		}
	}
	return principal, within(ctx, principal, method)
}

// authenticate looks only at the kind of credential that the method accepts, so that a
// client may send both kinds on every call. If it accepts both, a key goes first.
func (g *Guard) authenticate(ctx context.Context, access Access) (Principal, error) {
	keys := presented(ctx, header.ApiKey)
	tokens := presented(ctx, header.Authorization)
	switch {
	case access.takesKey() && len(keys) > 0:
		return g.verifyKey(ctx, keys)
	case access.takesToken() && len(tokens) > 0:
		return g.verifyToken(ctx, tokens)
	case len(keys)+len(tokens) > 0:
		return Principal{}, errInvalida(errors.New("authenticate: the method does not accept this kind of credential"))
	default:
		return Principal{}, errs.New(errores.CredencialAusente, "La solicitud no trae credencial.")
	}
}

func (g *Guard) verifyKey(ctx context.Context, keys []string) (Principal, error) {
	if len(keys) > 1 || g.Keys == nil {
		return Principal{}, errInvalida(errors.New("authenticate: more than one api key, or none is accepted"))
	}
	key, err := Parse(keys[0])
	if err != nil {
		return Principal{}, err
	}
	return g.Keys.VerifyKey(ctx, key)
}

func (g *Guard) verifyToken(ctx context.Context, tokens []string) (Principal, error) {
	if len(tokens) > 1 || g.Tokens == nil {
		return Principal{}, errInvalida(errors.New("authenticate: more than one token, or none is accepted"))
	}
	scheme, bearer, _ := strings.Cut(tokens[0], " ")
	bearer = strings.TrimSpace(bearer)
	if !strings.EqualFold(scheme, "Bearer") || bearer == "" {
		return Principal{}, errInvalida(errors.New("authenticate: the authorization is not a bearer token"))
	}
	return g.Tokens.VerifyToken(ctx, bearer)
}

// presented gives the values of a metadata key that are not blank.
func presented(ctx context.Context, key string) []string {
	var values []string
	for _, value := range metadata.ValueFromIncomingContext(ctx, key) {
		value = strings.TrimSpace(value)
		if value != "" {
			values = append(values, value)
		}
	}
	return values
}
