package registrosclient

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/google/uuid"
	"google.golang.org/grpc"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/evidencia"
	"github.com/enlace-iis/enlace/services/integracion/internal/seguimiento"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Operacion implements [seguimiento.CasosSeguidos] on registros.
type Operacion struct {
	client registrosv1.OperacionServiceClient
}

// NewOperacion makes an Operacion on a connection to registros.
func NewOperacion(conn grpc.ClientConnInterface) *Operacion {
	return &Operacion{client: registrosv1.NewOperacionServiceClient(conn)}
}

// ListActividades implements [seguimiento.CasosSeguidos].
func (o *Operacion) ListActividades(ctx context.Context, empresa tenant.EmpresaID) ([]seguimiento.Actividad, error) {
	stream, err := o.client.ListActividades(ctx, &registrosv1.ListActividadesRequest{EmpresaId: string(empresa)})
	if err != nil {
		return nil, err
	}
	return collected(stream, func(r *registrosv1.ListActividadesResponse) []*registrosv1.ActividadDeEmpresa {
		return r.GetActividades()
	},
		func(a *registrosv1.ActividadDeEmpresa) seguimiento.Actividad {
			return seguimiento.Actividad{
				EmpresaID:         tenant.EmpresaID(a.GetEmpresaId()),
				UltimoRegistroEn:  rpc.TimeOf(a.GetUltimoRegistroEn()),
				Pendientes:        int(a.GetPendientes()),
				PendienteDesde:    rpc.TimeOf(a.GetPendienteDesde()),
				Rechazadas:        int(a.GetRechazadas()),
				FinalesRechazados: int(a.GetFinalesRechazados()),
				CargaTerminadaEn:  rpc.TimeOf(a.GetCargaTerminadaEn()),
			}
		})
}

// ListSituaciones implements [seguimiento.CasosSeguidos].
func (o *Operacion) ListSituaciones(ctx context.Context, empresa tenant.EmpresaID, reporteID string) ([]seguimiento.Situacion, error) {
	stream, err := o.client.ListSituaciones(ctx, &registrosv1.ListSituacionesRequest{EmpresaId: string(empresa), ReporteId: reporteID})
	if err != nil {
		return nil, err
	}
	return collected(stream, func(r *registrosv1.ListSituacionesResponse) []*registrosv1.Situacion { return r.GetSituaciones() },
		func(s *registrosv1.Situacion) seguimiento.Situacion {
			return seguimiento.Situacion{
				CasoID:       s.GetCasoId(),
				ReporteID:    s.GetReporteId(),
				Ciclo:        int(s.GetCiclo()),
				Estado:       s.GetEstado(),
				Fase:         s.GetFase(),
				Pendientes:   int(s.GetPendientes()),
				Notificadas:  int(s.GetNotificadas()),
				Rechazadas:   int(s.GetRechazadas()),
				Canceladas:   int(s.GetCanceladas()),
				Finalizacion: s.GetFinalizacion(),
				FinalizadaEn: rpc.TimeOf(s.GetBusquedaFinalizadaEn()),
			}
		})
}

// ListHallazgos implements [seguimiento.CasosSeguidos].
func (o *Operacion) ListHallazgos(ctx context.Context, empresa tenant.EmpresaID, f seguimiento.FiltroHallazgos) ([]seguimiento.Hallazgo, error) {
	return gathered(func(yield func([]seguimiento.Hallazgo) error) error { return o.EachHallazgo(ctx, empresa, f, yield) })
}

// EachHallazgo implements [evidencia.Registros].
func (o *Operacion) EachHallazgo(ctx context.Context, empresa tenant.EmpresaID, f seguimiento.FiltroHallazgos, yield func([]seguimiento.Hallazgo) error) error {
	stream, err := o.client.ListHallazgos(ctx, &registrosv1.ListHallazgosRequest{
		EmpresaId: string(empresa), ReporteId: f.ReporteID, Estado: f.Estado,
		Desde: rpc.TimestampOf(f.Periodo.Desde), Hasta: rpc.TimestampOf(f.Periodo.Hasta),
	})
	if err != nil {
		return err
	}
	return eachChunk(stream, func(r *registrosv1.ListHallazgosResponse) []*registrosv1.Hallazgo { return r.GetHallazgos() }, hallazgoOf, yield)
}

func hallazgoOf(h *registrosv1.Hallazgo) seguimiento.Hallazgo {
	return seguimiento.Hallazgo{
		ID:           h.GetId(),
		ReporteID:    h.GetReporteId(),
		Ciclo:        int(h.GetCiclo()),
		Fase:         h.GetFase(),
		Folio:        h.GetFolio(),
		Estado:       h.GetEstado(),
		DetectadaEn:  rpc.TimeOf(h.GetDetectadaEn()),
		NotificadaEn: rpc.TimeOf(h.GetNotificadaEn()),
		Detalle:      h.GetDetalle(),
	}
}

// ListBusquedas implements [seguimiento.CasosSeguidos].
func (o *Operacion) ListBusquedas(ctx context.Context, empresa tenant.EmpresaID, f seguimiento.FiltroHallazgos) ([]seguimiento.Busqueda, error) {
	return gathered(func(yield func([]seguimiento.Busqueda) error) error { return o.EachBusqueda(ctx, empresa, f, yield) })
}

// EachBusqueda implements [evidencia.Registros].
func (o *Operacion) EachBusqueda(ctx context.Context, empresa tenant.EmpresaID, f seguimiento.FiltroHallazgos, yield func([]seguimiento.Busqueda) error) error {
	stream, err := o.client.ListBusquedas(ctx, &registrosv1.ListBusquedasRequest{
		EmpresaId: string(empresa), ReporteId: f.ReporteID,
		Desde: rpc.TimestampOf(f.Periodo.Desde), Hasta: rpc.TimestampOf(f.Periodo.Hasta),
	})
	if err != nil {
		return err
	}
	return eachChunk(stream, func(r *registrosv1.ListBusquedasResponse) []*registrosv1.Busqueda { return r.GetBusquedas() }, busquedaOf, yield)
}

func busquedaOf(b *registrosv1.Busqueda) seguimiento.Busqueda {
	return seguimiento.Busqueda{
		ID:            b.GetId(),
		ReporteID:     b.GetReporteId(),
		Ciclo:         int(b.GetCiclo()),
		Fase:          b.GetFase(),
		EjecutadaEn:   rpc.TimeOf(b.GetEjecutadaEn()),
		Registros:     int(b.GetRegistros()),
		Coincidencias: int(b.GetCoincidencias()),
	}
}

// RetryCoincidencia implements [seguimiento.CasosSeguidos].
func (o *Operacion) RetryCoincidencia(ctx context.Context, empresa tenant.EmpresaID, id uuid.UUID) error {
	_, err := o.client.RetryCoincidencia(ctx, &registrosv1.RetryCoincidenciaRequest{
		EmpresaId: string(empresa), CoincidenciaId: id.String(),
	})
	return err
}

// RetryFin implements [seguimiento.CasosSeguidos].
func (o *Operacion) RetryFin(ctx context.Context, empresa tenant.EmpresaID, reporteID string, ciclo int) error {
	_, err := o.client.RetryFinalizacion(ctx, &registrosv1.RetryFinalizacionRequest{
		EmpresaId: string(empresa), ReporteId: reporteID, Ciclo: int32(ciclo),
	})
	return err
}

// FinishCarga implements [seguimiento.CasosSeguidos].
func (o *Operacion) FinishCarga(ctx context.Context, empresa tenant.EmpresaID) (time.Time, error) {
	answer, err := o.client.CompleteCarga(ctx, &registrosv1.CompleteCargaRequest{EmpresaId: string(empresa)})
	return rpc.TimeOf(answer.GetCargaTerminadaEn()), err
}

// SearchAgain implements [seguimiento.CasosSeguidos].
func (o *Operacion) SearchAgain(ctx context.Context, empresa tenant.EmpresaID, reporteID string, ciclo int) error {
	_, err := o.client.SearchAgain(ctx, &registrosv1.SearchAgainRequest{EmpresaId: string(empresa), ReporteId: reporteID, Ciclo: int32(ciclo)})
	return err
}

// WakeEntregas has the deliveries of an institution that wait go on now.
func (o *Operacion) WakeEntregas(ctx context.Context, empresa tenant.EmpresaID) error {
	_, err := o.client.WakeEntregas(ctx, &registrosv1.WakeEntregasRequest{EmpresaId: string(empresa)})
	return err
}

// GetLote implements [seguimiento.CasosSeguidos].
func (o *Operacion) GetLote(ctx context.Context, empresa tenant.EmpresaID, id string) (seguimiento.Lote, error) {
	answer, err := o.client.GetLoteRecibido(ctx, &registrosv1.GetLoteRecibidoRequest{EmpresaId: string(empresa), LoteId: id})
	l := answer.GetLote()
	return seguimiento.Lote{
		ID:            l.GetId(),
		KeyID:         l.GetKeyId(),
		RecibidoEn:    rpc.TimeOf(l.GetRecibidoEn()),
		Total:         int(l.GetTotal()),
		Creados:       int(l.GetCreados()),
		Actualizados:  int(l.GetActualizados()),
		SinCambios:    int(l.GetSinCambios()),
		Rechazados:    int(l.GetRechazados()),
		Coincidencias: int(l.GetCoincidencias()),
	}, err
}

// ListCifras implements [seguimiento.CasosSeguidos].
func (o *Operacion) ListCifras(ctx context.Context, empresa tenant.EmpresaID) ([]seguimiento.Cifras, error) {
	answer, err := o.client.GetCifras(ctx, &registrosv1.GetCifrasRequest{EmpresaId: string(empresa)})
	all := make([]seguimiento.Cifras, len(answer.GetDias()))
	for i, day := range answer.GetDias() {
		all[i] = seguimiento.Cifras{
			Dia:           day.GetDia(),
			Recibidos:     int(day.GetRecibidos()),
			Creados:       int(day.GetCreados()),
			Actualizados:  int(day.GetActualizados()),
			Rechazados:    int(day.GetRechazados()),
			Coincidencias: int(day.GetCoincidencias()),
			Notificadas:   int(day.GetNotificadas()),
			Mediana:       time.Duration(day.GetMedianaMs()) * time.Millisecond,
		}
	}
	return all, err
}

// collected reads a stream to its end.
func collected[M, W, D any](stream grpc.ServerStreamingClient[M], itemsOf func(*M) []*W, of func(*W) D) ([]D, error) {
	return gathered(func(yield func([]D) error) error { return eachChunk(stream, itemsOf, of, yield) })
}

// gathered keeps all that comes in chunks.
func gathered[D any](each func(yield func([]D) error) error) ([]D, error) {
	var all []D
	err := each(func(chunk []D) error {
		all = append(all, chunk...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// eachChunk hands over what a stream brings, until its end. A chunk is not to be kept.
func eachChunk[M, W, D any](stream grpc.ServerStreamingClient[M], itemsOf func(*M) []*W, of func(*W) D, yield func([]D) error) error {
	var chunk []D
	for {
		message, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		chunk = chunk[:0]
		for _, item := range itemsOf(message) {
			chunk = append(chunk, of(item))
		}
		err = yield(chunk)
		if err != nil {
			return err
		}
	}
}

var (
	_ seguimiento.CasosSeguidos = (*Operacion)(nil)
	_ evidencia.Registros       = (*Operacion)(nil)
)
