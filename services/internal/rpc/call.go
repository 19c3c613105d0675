package rpc

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// call is what the inner layers tell about a call, for its log line. Only the goroutine
// that serves the call touches it.
type call struct {
	empresa tenant.EmpresaID
	rol     string
}

type callKey struct{}

// SetCaller names who makes the call of ctx, for its log line. The authentication layer
// calls it, once it knows; outside of a call it does nothing.
func SetCaller(ctx context.Context, empresa tenant.EmpresaID, rol string) {
	current, ok := ctx.Value(callKey{}).(*call)
	if ok {
		current.empresa, current.rol = empresa, rol
	}
}

// errPanicked stands for the outcome of a call whose handler did not return.
var errPanicked = errors.New("handler panicked")

// observe writes the one log line of each call and counts it. Only ids are logged: no
// request, no answer, no metadata.
func (s *Server) observe(ctx context.Context, rpc string, next func(context.Context) error) error {
	current := &call{}
	started := time.Now()
	err := errPanicked
	defer func() {
		taken := time.Since(started)
		code := codeOf(err)
		s.metrics.observe(rpc, code, taken)
		s.log.LogAttrs(ctx, level(rpc, err), "rpc", current.attributes(ctx, rpc, code, err, taken)...)
	}()
	err = next(context.WithValue(ctx, callKey{}, current))
	return err
}

func (c *call) attributes(ctx context.Context, rpc string, code codes.Code, err error, taken time.Duration) []slog.Attr {
	attributes := []slog.Attr{
		slog.String("rpc", rpc),
		slog.String("code", code.String()),
		slog.Int64("duration_us", taken.Microseconds()),
		slog.String("request_id", RequestID(ctx)),
	}
	if c.rol != "" {
		attributes = append(attributes, slog.String("rol", c.rol))
	}
	if c.empresa != "" {
		attributes = append(attributes, slog.String("empresa_id", string(c.empresa)))
	}
	// A canceled call was given up by its caller, and one that could not be read answered by
	// gRPC itself; the contract has no reason for either.
	_, unreadable := errors.AsType[*unreceived](err)
	if err != nil && code != codes.Canceled && !unreadable {
		attributes = append(attributes, slog.String("motivo", errores.Codigo(motivoOf(err))))
	}
	if err != nil {
		attributes = append(attributes, slog.Any("error", err))
	}
	return attributes
}

// level keeps expected refusals quiet: they are the client's business. What an operator
// must mend is an error, and what passes by itself a warning.
func level(rpc string, err error) slog.Level {
	if infrastructure(rpc) {
		return slog.LevelDebug
	}
	_, unreadable := errors.AsType[*unreceived](err)
	if unreadable {
		return slog.LevelInfo
	}
	switch codeOf(err) {
	case codes.Internal, codes.Unknown:
		return slog.LevelError
	case codes.Unavailable, codes.DeadlineExceeded:
		return slog.LevelWarn
	default:
		return slog.LevelInfo
	}
}

// infrastructure tells the services that gRPC itself brings. They speak in plain statuses
// and their calls are nobody's request.
func infrastructure(rpc string) bool {
	return strings.HasPrefix(rpc, "/grpc.")
}

// answered is the outcome of a call as the client sees it, with the cause for the log.
type answered struct {
	status *status.Status
	cause  error
}

func (a *answered) Error() string              { return a.cause.Error() }
func (a *answered) Unwrap() error              { return a.cause }
func (a *answered) GRPCStatus() *status.Status { return a.status }

// mapErrors turns what the handler returned into what the client may see.
func mapErrors(ctx context.Context, rpc string, next func(context.Context) error) error {
	err := next(ctx)
	_, unreadable := errors.AsType[*unreceived](err)
	_, refused := errors.AsType[*errs.Error](err)
	if err == nil || unreadable || infrastructure(rpc) && !refused {
		return err
	}
	return &answered{status: errs.ToStatus(err), cause: err}
}

func codeOf(err error) codes.Code {
	if errors.Is(err, errPanicked) {
		return codes.Internal
	}
	return status.Code(err)
}

// motivoOf reads the reason off the status, because a deadline or a stranger's status gets
// its reason only there.
func motivoOf(err error) errores.Motivo {
	return errs.MotivoOf(errs.FromStatus(status.Convert(err).Err()))
}
