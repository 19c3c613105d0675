package grpcapi

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/metrics"
)

// How a login or an event ended.
const (
	outcomeAccepted  = "accepted"
	outcomeDuplicate = "duplicate" // an event that had been accepted before
	outcomeConflict  = "conflict"  // another event with the id of one that was accepted
	outcomeInvalid   = "invalid"   // what was sent breaks a rule
	outcomeRefused   = "refused"   // a wrong clave, key or signature
	outcomeLimited   = "limited"   // too many wrong logins before
	outcomeFailed    = "failed"    // our fault
)

// Metrics counts what comes from outside.
type Metrics struct {
	logins  *prometheus.CounterVec
	eventos *prometheus.CounterVec
}

// NewMetrics registers the metrics; nil: they are kept to themselves.
func NewMetrics(registerer prometheus.Registerer) *Metrics {
	return &Metrics{
		logins: metrics.NewCounter(registerer, "enlace_logins_total",
			"Tries to log in, by the role that the user would have and outcome.",
			metrics.Label{Name: "role", Values: []string{string(auth.RolPUI), string(auth.RolOperador)}},
			metrics.Label{Name: "outcome", Values: []string{
				outcomeAccepted, outcomeRefused, outcomeLimited, outcomeInvalid, outcomeFailed}}),
		eventos: metrics.NewCounter(registerer, "enlace_eventos_total",
			"Signed events that came, by outcome.",
			metrics.Label{Name: "outcome", Values: []string{
				outcomeAccepted, outcomeDuplicate, outcomeConflict, outcomeInvalid, outcomeRefused, outcomeFailed}}),
	}
}

func (m *Metrics) loggedIn(usuario string, err error) {
	role := auth.RolOperador
	if usuario == cuentas.UsuarioPUI {
		role = auth.RolPUI
	}
	m.logins.WithLabelValues(string(role), outcomeOf(err)).Inc()
}

func (m *Metrics) received(duplicate bool, err error) {
	outcome := outcomeOf(err)
	if duplicate {
		outcome = outcomeDuplicate
	}
	m.eventos.WithLabelValues(outcome).Inc()
}

func outcomeOf(err error) string {
	if err == nil {
		return outcomeAccepted
	}
	switch errs.MotivoOf(err) {
	case errores.CredencialAusente, errores.CredencialInvalida, errores.CredencialRevocada, errores.CredencialCaducada, errores.SinPermiso:
		return outcomeRefused
	case errores.DemasiadasSolicitudes:
		return outcomeLimited
	case errores.Conflicto:
		return outcomeConflict
	case errores.Interno, errores.NoDisponible, errores.TiempoAgotado:
		return outcomeFailed
	default:
		return outcomeInvalid
	}
}
