package grpcapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/integracion"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Auditoria leaves in the Bitácora what no transaction leaves there: logins, and requests
// of the platform that were refused, where an institution can be named.
type Auditoria struct {
	Store   integracion.BitacoraStore
	Huellas integracion.Huellas
	Log     *slog.Logger
}

// acciones names the methods that the platform calls with a token.
var acciones = map[string]string{
	integracionv1.ReporteService_ActivateReporte_FullMethodName:       integracion.AccionActivar,
	integracionv1.ReporteService_ActivateReportePrueba_FullMethodName: integracion.AccionActivarPrueba,
	integracionv1.ReporteService_DeactivateReporte_FullMethodName:     integracion.AccionDesactivar,
}

// Layer says on whose behalf a call acts, for whatever leaves an entry. It comes after the
// guard, which knows the caller.
func (a *Auditoria) Layer(ctx context.Context, _ string, next func(context.Context) error) error {
	by := integracion.Actuacion{RequestID: rpc.RequestID(ctx), Desde: time.Now()}
	principal, err := auth.PrincipalFrom(ctx)
	if err == nil {
		by.Actor = principal.Subject
	}
	return next(integracion.WithActuacion(ctx, by))
}

// Verdict takes note of what the guard refused, and of the body that the gateway could not
// read and is about to refuse.
func (a *Auditoria) Verdict(ctx context.Context, v auth.Verdict) {
	accion, fromPlatform := acciones[v.RPC]
	if !fromPlatform {
		return
	}
	asiento := solicitudRefused(accion, v.Principal.EmpresaID, v.Err)
	asiento.Actor = v.Principal.Subject
	if v.Err == nil {
		asiento.Status, asiento.Motivo = http.StatusBadRequest, errs.Codigo(errs.JSONInvalido)
	}
	a.record(integracion.WithActuacion(ctx, integracion.Actuacion{RequestID: rpc.RequestID(ctx)}), asiento)
}

// solicitud is a request about a Reporte, as it came.
type solicitud struct {
	accion    string
	reporteID string
	curp      string
}

// refused takes note of a request that the domain refused. An id or CURP that is none may
// be anything and stays out.
func (a *Auditoria) refused(ctx context.Context, s solicitud, empresa tenant.EmpresaID, err error) {
	asiento := solicitudRefused(s.accion, empresa, err)
	if manual.IsSearchID(s.reporteID) {
		asiento.ReporteID = s.reporteID
	}
	if manual.IsCURP(s.curp) {
		asiento.HuellaCURP = integracion.HuellaCURP(a.Huellas, s.curp)
	}
	a.record(ctx, asiento)
}

// loggedIn takes note of a login. One that cannot be audited is not given.
func (a *Auditoria) loggedIn(ctx context.Context, sesion integracion.Sesion) error {
	empresa := sesion.EmpresaID
	if empresa == "" {
		empresa = integracion.SinEmpresa
	}
	return a.Store.RecordAsiento(ctx, integracion.Asiento{
		EmpresaID: empresa, Tipo: integracion.AsientoSolicitud, Accion: integracion.AccionLogin,
		Actor: sesion.Sujeto, Status: http.StatusOK,
	})
}

// loginRefused takes note of a refused login at an institution's own address. At the root a
// wrong clave names nobody.
func (a *Auditoria) loginRefused(ctx context.Context, empresa tenant.EmpresaID, err error) {
	if errs.Is(err, errs.NoEncontrado) {
		return
	}
	a.record(ctx, solicitudRefused(integracion.AccionLogin, empresa, err))
}

func solicitudRefused(accion string, empresa tenant.EmpresaID, err error) integracion.Asiento {
	asiento := integracion.Asiento{EmpresaID: empresa, Tipo: integracion.AsientoSolicitud, Accion: accion}
	if err != nil {
		asiento.Status, asiento.Motivo = statusOf(err), errs.Codigo(errs.MotivoOf(err))
	}
	return asiento
}

// auditLimit bounds how long an entry may take whose caller may be gone.
const auditLimit = 5 * time.Second

// record writes an entry that nothing depends on: a refusal stays one.
func (a *Auditoria) record(ctx context.Context, asiento integracion.Asiento) {
	if asiento.EmpresaID == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditLimit)
	defer cancel()
	err := a.Store.RecordAsiento(ctx, asiento)
	if err != nil {
		a.Log.ErrorContext(ctx, "refusal could not be written to the bitacora",
			"empresa_id", asiento.EmpresaID, "accion", asiento.Accion, "status", asiento.Status, "error", err)
	}
}

// statusOf is the HTTP status that a refusal becomes on the platform's routes (contract,
// section 3, and pui.md 1.6: what breaks a rule is a 400 there).
func statusOf(err error) int {
	switch errs.MotivoOf(err) {
	case errs.Validacion, errs.JSONInvalido:
		return http.StatusBadRequest
	case errs.CredencialAusente, errs.CredencialInvalida, errs.CredencialRevocada, errs.CredencialCaducada:
		return http.StatusUnauthorized
	case errs.SinPermiso:
		return http.StatusForbidden
	case errs.NoEncontrado:
		return http.StatusNotFound
	case errs.DemasiadasSolicitudes:
		return http.StatusTooManyRequests
	case errs.NoDisponible:
		return http.StatusServiceUnavailable
	case errs.TiempoAgotado:
		return http.StatusGatewayTimeout
	default:
		return http.StatusInternalServerError
	}
}
