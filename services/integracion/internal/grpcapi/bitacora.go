package grpcapi

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"path"
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/proto/errores"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/huella"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/process/header"
)

// Auditoria leaves in the Bitácora what no transaction leaves there: logins, what operators were
// shown, and requests that were refused.
type Auditoria struct {
	Store    bitacora.Store
	Rechazos *bitacora.Rechazos
	Lecturas *bitacora.Lecturas
	SinAbrir SinAbrirStore
	Usuarios UsuarioFinder
	Huellas  cuentas.Huellas
	Log      *slog.Logger
}

// SinAbrirStore keeps a refused activation, each with an entry of its own.
type SinAbrirStore interface {
	SaveRechazo(ctx context.Context, a bitacora.Asiento, r reportes.SinAbrir) error
}

// UsuarioFinder tells who may log in at all.
type UsuarioFinder interface {
	HasUsuario(ctx context.Context, nombre string) (bool, error)
}

// acciones names the methods that the platform calls.
var acciones = map[string]string{
	integracionv1.SesionService_Login_FullMethodName:                  bitacora.AccionLogin,
	integracionv1.ReporteService_ActivateReporte_FullMethodName:       bitacora.AccionActivar,
	integracionv1.ReporteService_ActivateReportePrueba_FullMethodName: bitacora.AccionActivarPrueba,
	integracionv1.ReporteService_DeactivateReporte_FullMethodName:     bitacora.AccionDesactivar,
}

// Layer says on whose behalf a call acts, for whatever leaves an entry. It comes after the
// guard, which knows the caller.
func (a *Auditoria) Layer(ctx context.Context, _ string, next func(context.Context) error) error {
	by := bitacora.Actuacion{RequestID: rpc.RequestID(ctx), Desde: time.Now(), Exito: http.StatusOK}
	principal, err := auth.PrincipalFrom(ctx)
	if err == nil {
		by.Actor = principal.Subject
	}
	return next(bitacora.WithActuacion(ctx, by))
}

// Verdict takes note of what the guard refused, and of what the gateway is about to refuse: of the
// platform everything, of all others what is wrong with the credential or its rights.
func (a *Auditoria) Verdict(ctx context.Context, v auth.Verdict) {
	motivo := v.Motivo
	if v.Err != nil {
		motivo = motivoAnswered(v.Err)
	}
	accion, fromPlatform := acciones[v.RPC]
	if !fromPlatform {
		ofKnown := motivo == errores.CredencialAusente && v.Principal.Subject != "" // a signature
		if !ofKnown && !v.RefusesCredencial() {
			return
		}
		accion = path.Base(v.RPC)
	}
	empresa := cmp.Or(v.Principal.EmpresaID, tenant.EmpresaID(onlyHeader(ctx, header.Direccion)))
	asiento := solicitudRefused(accion, empresa, motivo)
	if !fromPlatform {
		asiento.Status = errores.Status(motivo)
	}
	asiento.Actor = cmp.Or(v.Principal.Subject, bitacora.ActorDesconocido)
	ctx = bitacora.WithActuacion(ctx, bitacora.Actuacion{RequestID: rpc.RequestID(ctx)})
	if v.Err == nil {
		a.refuse(ctx, asiento, solicitud{accion: accion, reporteID: v.ReporteID}, []string{asiento.Motivo})
		return
	}
	a.record(ctx, asiento)
}

// credencialRefused takes note of a credential that a handler refused, in the words of the guard.
func (a *Auditoria) credencialRefused(ctx context.Context, rpc string, principal auth.Principal, err error) {
	a.Verdict(ctx, auth.Verdict{RPC: rpc, Principal: principal, Err: err})
}

// solicitud is a request about a Reporte, as it came.
type solicitud struct {
	accion    string
	reporteID string
	curp      string
}

// refused takes note of a request that the domain refused.
func (a *Auditoria) refused(ctx context.Context, s solicitud, empresa tenant.EmpresaID, err error) {
	a.refuse(ctx, solicitudRefused(s.accion, empresa, motivoAnswered(err)), s, reportes.DefectosOf(err))
}

// refuse takes note of the refusal of a request with a good token. An id or CURP that is none
// may be anything and stays out. An activation whose content was refused is a person who is not
// searched for: it leaves an entry of its own, however many there are, and stands in the
// operators' summary.
func (a *Auditoria) refuse(ctx context.Context, asiento bitacora.Asiento, s solicitud, defectos []string) {
	if manual.IsSearchID(s.reporteID) {
		asiento.ReporteID = s.reporteID
	}
	if manual.IsCURP(s.curp) {
		asiento.HuellaCURP = huella.CURP(a.Huellas, s.curp)
	}
	if s.accion != bitacora.AccionActivar || asiento.Status != http.StatusBadRequest && asiento.Status != http.StatusRequestEntityTooLarge {
		a.record(ctx, asiento)
		return
	}
	asiento.Datos = map[string]any{"defectos": defectos}
	within, cancel := unhurried(ctx)
	defer cancel()
	err := a.SinAbrir.SaveRechazo(within, asiento, reportes.NewSinAbrir(
		reportes.SinAbrirActivacion, s.reporteID, s.curp, cmp.Or(rpc.RequestID(ctx), uuid.NewString()), defectos))
	if err != nil {
		a.Log.ErrorContext(ctx, "refused activation could not be kept for the operators", "empresa_id", asiento.EmpresaID, "error", err)
		a.record(ctx, asiento)
	}
}

// loggedIn takes note of a login. One that cannot be audited is not given.
func (a *Auditoria) loggedIn(ctx context.Context, sesion cuentas.Sesion) error {
	return a.Store.RecordAsiento(ctx, bitacora.Asiento{
		EmpresaID: cmp.Or(sesion.EmpresaID, bitacora.SinEmpresa), Tipo: bitacora.AsientoSolicitud, Accion: bitacora.AccionLogin,
		Actor: sesion.Sujeto, Status: http.StatusOK,
	})
}

// loginRefused takes note of a wrong login, of one that is malformed and of one too many. What
// failed on our side leaves no entry.
func (a *Auditoria) loginRefused(ctx context.Context, empresa tenant.EmpresaID, usuario string, err error) {
	asiento := solicitudRefused(bitacora.AccionLogin, empresa, motivoAnswered(err))
	switch errs.MotivoOf(err) {
	case errores.CredencialInvalida:
		asiento.Actor = a.actorOf(ctx, usuario)
	case errores.DemasiadasSolicitudes, errores.Validacion:
		// Not looked up: a flood is to cost little.
		asiento.Actor = bitacora.ActorDesconocido
	default:
		return
	}
	a.record(ctx, asiento)
}

// actorOf names a user that exists. What else was typed may be anything, a clave too.
func (a *Auditoria) actorOf(ctx context.Context, usuario string) string {
	ctx, cancel := unhurried(ctx)
	defer cancel()
	exists, err := a.Usuarios.HasUsuario(ctx, usuario)
	if err != nil {
		a.Log.ErrorContext(ctx, "user of a refused login could not be looked up", "error", err)
	}
	if !exists {
		return bitacora.ActorDesconocido
	}
	return usuario
}

// show takes note of what an operator is about to be shown; reporteID and datos may be empty.
// After an error nothing is shown.
func (a *Auditoria) show(ctx context.Context, accion string, empresa tenant.EmpresaID, reporteID string, datos map[string]any) error {
	return a.Lecturas.Record(ctx, bitacora.Asiento{
		EmpresaID: empresa, Tipo: bitacora.AsientoSolicitud, Accion: accion, ReporteID: reporteID, Datos: datos,
	})
}

func solicitudRefused(accion string, empresa tenant.EmpresaID, motivo errores.Motivo) bitacora.Asiento {
	return bitacora.Asiento{
		EmpresaID: cmp.Or(empresa, bitacora.SinEmpresa), Tipo: bitacora.AsientoSolicitud, Accion: accion,
		Status: errores.PlatformStatus(motivo), Motivo: errores.Codigo(motivo),
	}
}

// motivoAnswered is the reason that the caller reads, which a passed deadline has too.
func motivoAnswered(err error) errores.Motivo {
	return errs.MotivoOf(errs.FromStatus(errs.ToStatus(err).Err()))
}

// auditLimit bounds how long an entry may take whose caller may be gone.
const auditLimit = 5 * time.Second

// unhurried is ctx for an entry: it goes on although the caller is gone.
func unhurried(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), auditLimit)
}

// record leaves a refusal, whose caller may be gone.
func (a *Auditoria) record(ctx context.Context, asiento bitacora.Asiento) {
	ctx, cancel := unhurried(ctx)
	defer cancel()
	a.Rechazos.Record(ctx, asiento)
}
