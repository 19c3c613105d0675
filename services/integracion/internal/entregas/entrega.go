package entregas

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

const (
	// busyPause is for an Envío that another call is telling right now.
	busyPause = time.Second
	// detainedPause is for what an operator must mend: a suspension, a missing clave.
	detainedPause = time.Minute
	// recordLimit bounds how long the outcome of an attempt may take to be written down,
	// and recordPause is between two tries while the database is away.
	recordLimit = 10 * time.Second
	recordPause = 200 * time.Millisecond
)

// errReporteEnded cuts an attempt whose Reporte was deactivated.
var errReporteEnded = errors.New("reporte was deactivated")

// Entregas tells the platform what registros found, each thing once.
type Entregas struct {
	Store      Store
	Plataforma Plataforma
	Circuito   Circuito
	Caja       cuentas.Caja
	Vuelos     *Vuelos
	// Limit bounds a whole attempt, logins included.
	Limit time.Duration
	// Atasco is when a step counts as stuck.
	Atasco Atasco
	// Recovered is told of each institution for which the platform takes again what it did not
	// take of any. It must not wait. Nil: nobody is.
	Recovered func(empresa tenant.EmpresaID)
	Log       *slog.Logger

	decididos decididos
}

// NotifyCoincidencia tells a match. Repeated with the same id it gives the same answer
// without telling it again.
func (s *Entregas) NotifyCoincidencia(ctx context.Context, c Coincidencia) (envio.Respuesta, error) {
	err := c.Validate()
	if err != nil {
		return envio.Respuesta{}, err
	}
	return s.deliver(ctx, c.Envio(), func(ctx context.Context, i cuentas.Institucion) Desenlace {
		return s.Plataforma.NotifyCoincidencia(ctx, i, c)
	})
}

// FinishBusqueda tells the end of the historical search, once a ciclo.
func (s *Entregas) FinishBusqueda(ctx context.Context, f Finalizacion) (envio.Respuesta, error) {
	err := f.Validate()
	if err != nil {
		return envio.Respuesta{}, err
	}
	return s.deliver(ctx, f.Envio(), func(ctx context.Context, i cuentas.Institucion) Desenlace {
		return s.Plataforma.FinishBusqueda(ctx, i, f)
	})
}

// sender makes the call to the platform.
type sender func(ctx context.Context, i cuentas.Institucion) Desenlace

// deliver makes one attempt, if nothing stands in its way. From then on the attempt goes on
// although the caller may be gone: one that was begun and is not made keeps its message back
// until its time is over, and an outcome that nobody wrote down would be told twice.
func (s *Entregas) deliver(ctx context.Context, e Envio, send sender) (envio.Respuesta, error) {
	if ctx.Err() != nil {
		return envio.Respuesta{}, fmt.Errorf("begin attempt: %w", ctx.Err())
	}
	ctx = context.WithoutCancel(ctx)
	// The limit runs from before the attempt is written down, so the attempt's own expiry
	// in the database is never the earlier one.
	deadline := time.Now().Add(s.Limit)
	permiso, wait := s.Circuito.Acquire(e.EmpresaID)
	inicio, err := s.begin(ctx, deadline, e, permiso != nil)
	if err != nil {
		release(permiso)
		return envio.Respuesta{}, fmt.Errorf("begin attempt: %w", err)
	}
	if inicio.Bloqueo != SinBloqueo {
		release(permiso)
		return inicio.respuesta(wait), nil
	}
	desenlace := s.attempt(ctx, deadline, inicio, send)
	return s.record(ctx, e, inicio.Intento, s.conclude(ctx, e, inicio.Intento, permiso, desenlace))
}

func (s *Entregas) begin(ctx context.Context, deadline time.Time, e Envio, permitted bool) (Inicio, error) {
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	return s.Store.BeginIntento(ctx, e, s.Limit, permitted)
}

func release(permiso Permiso) {
	if permiso != nil {
		permiso.Unused()
	}
}

// conclude says what an outcome makes of a step, and returns the permit:
//
//   - One that the platform did not take is tried again after a pause: its own, which grows, or
//     the circuit's if that is shorter, so that an outage is probed by whatever waits.
//   - A stuck one no longer counts against the circuit. While the platform takes nothing of the
//     institution, this may be an outage, and the step stays the first of its Caso, but each time
//     right after it the next one may be tried. What the platform takes of them, or of other
//     Casos, shows that the step is to blame: it is set aside for a day.
//   - A refused end of a search is set aside too: the manual has no such answer (§7.3).
func (s *Entregas) conclude(ctx context.Context, e Envio, intento Intento, permiso Permiso, d Desenlace) Fin {
	fin, what := Fin{Desenlace: d}, decidido{e.EmpresaID, e.Tipo}
	historia, stuck := s.isStuck(ctx, e, intento, d)
	switch {
	case stuck:
		fin.Atascado, fin.Pausa = true, d.pauseAfter(intento.Numero)
		if turn := permiso.Unclear(); turn > 0 {
			fin.Pausa = min(fin.Pausa, turn)
		}
		if s.decididos.within(what, historia.window()) {
			fin.Resultado, fin.Pausa = envio.Apartado, apartadoPause
		}
		fin.Detalle = detalleAtascado(historia.Respuestas + 1)
	case d.Falla:
		fin.Pausa = d.pauseAfter(intento.Numero)
		if turn := permiso.Failed(d.RetryAfter); turn > 0 && d.RetryAfter == 0 {
			fin.Pausa = min(fin.Pausa, turn)
		}
	case d.Resultado == envio.Cancelado:
		permiso.Unused()
	default:
		permiso.Succeeded()
		if d.Resultado == envio.MasTarde {
			fin.Pausa = d.pauseAfter(intento.Numero)
		} else if s.decididos.note(what) && s.Recovered != nil {
			s.Recovered(e.EmpresaID)
		}
		if d.Resultado == envio.Rechazado && e.Tipo == EnvioFinalizacion {
			fin.Resultado, fin.Pausa, fin.Atascado = envio.Apartado, apartadoPause, true
		}
	}
	return fin
}

// isStuck reports whether the outcome makes a step a stuck one, or leaves it one, and what it was
// answered before. If that cannot be read, the next attempt finds out.
func (s *Entregas) isStuck(ctx context.Context, e Envio, intento Intento, d Desenlace) (Historia, bool) {
	if !d.counts() {
		return Historia{}, false
	}
	ctx, cancel := context.WithTimeout(ctx, recordLimit)
	defer cancel()
	historia, err := s.Store.ReadHistoria(ctx, e.EmpresaID, intento.EnvioID)
	if err != nil {
		s.Log.WarnContext(ctx, "answers to an envio could not be counted", "empresa_id", e.EmpresaID, "envio_id", intento.EnvioID, "error", err)
		return Historia{}, false
	}
	return historia, s.Atasco.reached(historia)
}

func detalleAtascado(respuestas int) string {
	return fmt.Sprintf("La plataforma contestó con error %d veces; se reintentará.", respuestas)
}

// attempt makes the call, and cuts it when the Reporte ends.
func (s *Entregas) attempt(ctx context.Context, deadline time.Time, inicio Inicio, send sender) Desenlace {
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	institucion, err := cuentas.OpenSalida(s.Caja, inicio.Institucion, inicio.Clave)
	if err != nil {
		s.Log.ErrorContext(ctx, "clave towards the platform cannot be opened", "empresa_id", institucion.EmpresaID, "error", err)
		return Desenlace{Resultado: envio.MasTarde, Motivo: "clave_ilegible", Detalle: detalleSinConfigurar, Falla: true}
	}
	ctx, land := s.Vuelos.takeOff(ctx, institucion.EmpresaID, inicio.Intento.Fila)
	defer land()
	desenlace := send(ctx, institucion)
	if desenlace.Resultado == envio.MasTarde && errors.Is(context.Cause(ctx), errReporteEnded) {
		return Desenlace{Resultado: envio.Cancelado, Motivo: "reporte_desactivado", Detalle: errores.DetalleReporteInactivo}
	}
	return desenlace
}

const detalleSinConfigurar = "Falta configurar la dirección o la clave de la plataforma."

// record writes the outcome down and answers with it.
func (s *Entregas) record(ctx context.Context, e Envio, intento Intento, fin Fin) (envio.Respuesta, error) {
	err := s.end(ctx, e, intento, fin)
	s.logOutcome(ctx, e, intento, fin)
	if err != nil {
		return envio.Respuesta{}, fmt.Errorf("record attempt: %w", err)
	}
	return envio.Respuesta{
		Resultado: fin.Resultado, Detalle: fin.Detalle, Esperar: fin.Pausa,
		Seguir: fin.Atascado && fin.Resultado == envio.MasTarde,
	}, nil
}

// end does not give up at once while the database is away, as during a fail-over: an
// outcome that is lost is told twice.
func (s *Entregas) end(ctx context.Context, e Envio, intento Intento, fin Fin) error {
	ctx, cancel := context.WithTimeout(ctx, recordLimit)
	defer cancel()
	for {
		err := s.Store.EndIntento(ctx, e, intento, fin)
		if !errs.Is(err, errores.NoDisponible) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(recordPause):
		}
	}
}

func (s *Entregas) logOutcome(ctx context.Context, e Envio, intento Intento, fin Fin) {
	level := slog.LevelInfo
	if fin.Estado() != EnvioAceptado && fin.Resultado != envio.Cancelado {
		level = slog.LevelWarn
	}
	s.Log.LogAttrs(ctx, level, "platform told",
		slog.String("empresa_id", string(e.EmpresaID)),
		slog.String("reporte_id", e.ReporteID),
		slog.String("tipo", string(e.Tipo)),
		slog.String("envio_id", intento.EnvioID.String()),
		slog.Int("intento", intento.Numero),
		slog.Int("status", fin.Status),
		slog.String("motivo", fin.Motivo),
		slog.Duration("pausa", fin.Pausa),
	)
}

// respuesta says what stands in the way; wait is the circuit's.
func (i Inicio) respuesta(wait time.Duration) envio.Respuesta {
	switch i.Bloqueo {
	case YaDecidido:
		return i.decidida()
	case ReporteInactivo:
		return envio.Respuesta{Resultado: envio.Cancelado, Detalle: errores.DetalleReporteInactivo}
	case EmpresaDetenida:
		return later(detainedPause, "La institución está suspendida.")
	case SinConfigurar:
		return later(detainedPause, detalleSinConfigurar)
	case EntregaPausada:
		return later(detainedPause, "La entrega está en pausa por decisión del operador; continuará al reanudarla.")
	case EnCurso:
		return later(busyPause, "Se está enviando en este momento.")
	case AunNo:
		if i.Atascado && i.Esperar > longestPause {
			return envio.Respuesta{Resultado: envio.Apartado, Detalle: i.Detalle, Esperar: i.Esperar}
		}
		return later(i.Esperar, i.Detalle)
	default:
		return later(wait, "La plataforma no responde; se reintentará.")
	}
}

func (i Inicio) decidida() envio.Respuesta {
	if i.Estado == EnvioAceptado {
		return envio.Respuesta{Resultado: envio.Aceptado}
	}
	return envio.Respuesta{Resultado: envio.Rechazado, Detalle: i.Detalle}
}

func later(wait time.Duration, detalle string) envio.Respuesta {
	return envio.Respuesta{Resultado: envio.MasTarde, Detalle: detalle, Esperar: wait}
}

// Estado is what an outcome makes of the Envío.
func (f Fin) Estado() EstadoEnvio {
	switch f.Resultado {
	case envio.Aceptado:
		return EnvioAceptado
	case envio.Rechazado:
		return EnvioRechazado
	case envio.Cancelado:
		return EnvioCancelado
	default:
		return EnvioPendiente
	}
}
