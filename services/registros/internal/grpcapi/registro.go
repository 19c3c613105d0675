package grpcapi

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/proto/errores"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/proto/opciones"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// maximos are how many records each RPC takes, as registro.proto says.
var maximos = readMaximos()

// readMaximos panics on options that cannot be read: that is a mistake of ours, which every
// start then shows.
func readMaximos() map[string]int {
	metodos, err := opciones.Metodos(registrosv1.RegistroService_ServiceDesc.ServiceName)
	if err != nil {
		panic(err)
	}
	byRPC := map[string]int{}
	for _, metodo := range metodos {
		byRPC[metodo.RPC] = int(metodo.GetMaximoRegistros())
	}
	return byRPC
}

// RegistroStore keeps Registros; see package postgres.
type RegistroStore interface {
	SaveLote(ctx context.Context, empresa tenant.EmpresaID, lote registros.LoteRecibido, regs []registros.RegistroValido) (registros.Guardado, error)
	SaveRegistros(ctx context.Context, empresa tenant.EmpresaID, regs []registros.RegistroValido) (registros.Guardado, []registros.RegistroGuardado, error)
}

// RegistroServer takes the Registros of institutions.
type RegistroServer struct {
	registrosv1.UnimplementedRegistroServiceServer

	Store RegistroStore
	// Now tells the time; the latest day in Mexico follows from it.
	Now func() time.Time
	// Metrics counts what comes in.
	Metrics *Metrics
}

// Ping answers who the key belongs to. It touches no database.
func (s *RegistroServer) Ping(ctx context.Context, _ *registrosv1.PingRequest) (*registrosv1.PingResponse, error) {
	caller, err := auth.PrincipalFrom(ctx)
	if err != nil {
		return nil, err
	}
	return &registrosv1.PingResponse{
		Mensaje:   "pong",
		IdEmpresa: string(caller.EmpresaID),
		Nombre:    caller.EmpresaNombre,
		Ambiente:  caller.Ambiente,
		Fecha:     rpc.Instant(s.Now()),
	}, nil
}

// ValidateRegistros gives the verdict that SaveLote would give, and writes nothing.
func (s *RegistroServer) ValidateRegistros(ctx context.Context, req *registrosv1.ValidateRegistrosRequest) (*registrosv1.ValidateRegistrosResponse, error) {
	lote, err := s.validate(ctx, routeValidar, req.GetRegistros(), maximos[registrosv1.RegistroService_ValidateRegistros_FullMethodName])
	if err != nil {
		return nil, err
	}
	return &registrosv1.ValidateRegistrosResponse{
		Total:                 int32Of(len(req.GetRegistros())),
		Validos:               int32Of(len(lote.Validos)),
		Invalidos:             int32Of(lote.Rechazados),
		Observaciones:         observacionesOf(lote.Observaciones),
		Resumen:               mapped(lote.Resumen, conteoOf),
		ObservacionesOmitidas: int32Of(lote.Omitidas),
	}, nil
}

// SaveRegistros writes all records or, if one has an error, none.
func (s *RegistroServer) SaveRegistros(ctx context.Context, req *registrosv1.SaveRegistrosRequest) (*registrosv1.SaveRegistrosResponse, error) {
	lote, err := s.validate(ctx, routeRegistros, req.GetRegistros(), maximos[registrosv1.RegistroService_SaveRegistros_FullMethodName])
	if err != nil {
		return nil, err
	}
	if lote.Rechazados > 0 {
		s.Metrics.refused(routeRegistros, len(req.GetRegistros()))
		return nil, refuse(lote, len(req.GetRegistros()))
	}
	caller, err := auth.PrincipalFrom(ctx)
	if err != nil {
		return nil, err
	}
	guardado, each, err := s.Store.SaveRegistros(ctx, caller.EmpresaID, lote.Validos)
	if err != nil {
		return nil, err
	}
	s.Metrics.saved(routeRegistros, guardado, 0)
	return &registrosv1.SaveRegistrosResponse{
		Total:                 int32Of(len(req.GetRegistros())),
		Creados:               int32Of(guardado.Creados),
		Actualizados:          int32Of(guardado.Actualizados),
		SinCambios:            int32Of(guardado.SinCambios),
		Coincidencias:         int32Of(guardado.Coincidencias),
		Registros:             resultadosOf(lote.Validos, each),
		Observaciones:         observacionesOf(lote.Observaciones),
		Resumen:               mapped(lote.Resumen, conteoOf),
		ObservacionesOmitidas: int32Of(lote.Omitidas),
	}, nil
}

// SaveLote writes each record that has no error, all in one transaction.
func (s *RegistroServer) SaveLote(ctx context.Context, req *registrosv1.SaveLoteRequest) (*registrosv1.SaveLoteResponse, error) {
	lote, err := s.validate(ctx, routeLote, req.GetRegistros(), maximos[registrosv1.RegistroService_SaveLote_FullMethodName])
	if err != nil {
		return nil, err
	}
	caller, err := auth.PrincipalFrom(ctx)
	if err != nil {
		return nil, err
	}
	recibido := registros.LoteRecibido{
		ID: uuid.Must(uuid.NewV7()), KeyID: caller.Subject, Total: len(req.GetRegistros()), Rechazados: lote.Rechazados,
	}
	guardado, err := s.Store.SaveLote(ctx, caller.EmpresaID, recibido, lote.Validos)
	if err != nil {
		return nil, err
	}
	s.Metrics.saved(routeLote, guardado, lote.Rechazados)
	slog.InfoContext(ctx, "lote saved", "lote_id", recibido.ID, "empresa_id", caller.EmpresaID,
		"created", guardado.Creados, "updated", guardado.Actualizados, "unchanged", guardado.SinCambios,
		"rejected", lote.Rechazados, "coincidencias", guardado.Coincidencias)
	return &registrosv1.SaveLoteResponse{
		IdLote:                recibido.ID.String(),
		Total:                 int32Of(len(req.GetRegistros())),
		Creados:               int32Of(guardado.Creados),
		Actualizados:          int32Of(guardado.Actualizados),
		SinCambios:            int32Of(guardado.SinCambios),
		Rechazados:            int32Of(lote.Rechazados),
		Coincidencias:         int32Of(guardado.Coincidencias),
		Observaciones:         observacionesOf(lote.Observaciones),
		Resumen:               mapped(lote.Resumen, conteoOf),
		ObservacionesOmitidas: int32Of(lote.Omitidas),
	}, nil
}

// validate is the one way into the domain's validation, whatever the route.
func (s *RegistroServer) validate(ctx context.Context, route string, received []*registrosv1.Registro, limit int) (registros.Lote, error) {
	if len(received) == 0 {
		return registros.Lote{}, errs.New(errores.LoteVacio, "El cuerpo no trae registros; envíe al menos uno.")
	}
	if len(received) > limit {
		return registros.Lote{}, errs.New(errores.LoteExcedido,
			fmt.Sprintf("Esta ruta admite hasta %d registros por solicitud; divida el envío.", limit))
	}
	caller, err := auth.PrincipalFrom(ctx)
	if err != nil {
		return registros.Lote{}, err
	}
	s.Metrics.requested(route, len(received))
	return registros.ValidateLote(entradasOf(received), len(received), manual.LatestFechaOf(s.Now()), caller.TieneSitio), nil
}

// refuse turns the errors of a batch into one refusal that names every place, or as many
// as an answer carries.
func refuse(lote registros.Lote, total int) error {
	var fields []errs.Field
	for _, o := range lote.Observaciones {
		if o.Gravedad == registros.GravedadError {
			fields = append(fields, errs.Field{
				Indice: o.Indice, Folio: string(o.Folio), Puntero: o.Puntero, Codigo: string(o.Codigo), Mensaje: o.Mensaje,
			})
		}
	}
	detail := fmt.Sprintf("%d de %d registros tienen errores; no se guardó ninguno.", lote.Rechazados, total)
	if omitted := lote.Errores() - len(fields); omitted > 0 {
		detail += fmt.Sprintf(" Otros %d errores no se muestran.", omitted)
	}
	return errs.New(errores.Validacion, detail).WithFields(fields...)
}
