package auth

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/metrics"
)

// How the verification of a key went.
const (
	checkCached     = "cached"     // good by an answer of the last second, maybe still on its way
	checkAsked      = "asked"      // good by an answer to this call
	checkRefused    = "refused"    // not good
	checkGrace      = "grace"      // no answer; good not long ago
	checkUnanswered = "unanswered" // no answer, and not let in
	checkDeferred   = "deferred"   // not asked about: too many unknown keys came at once
)

func newChecks(registerer prometheus.Registerer) *prometheus.CounterVec {
	return metrics.NewCounter(registerer, "enlace_api_key_checks_total",
		"API keys verified, by outcome: cached, asked, refused, or without an answer of integracion grace (let in) and unanswered (not); deferred: not asked about, because too many unknown keys came at once.",
		metrics.Label{Name: "outcome", Values: []string{checkCached, checkAsked, checkRefused, checkGrace, checkUnanswered, checkDeferred}})
}

func (v *CachedVerifier) count(outcome string) {
	v.checks.WithLabelValues(outcome).Inc()
}

// outcome is what an answer comes to. One that is neither yes nor no is a failure of the
// other service.
func (a *answer) outcome(isNew bool) string {
	switch {
	case a.err == nil && isNew:
		return checkAsked
	case a.err == nil:
		return checkCached
	case errs.Is(a.err, errores.CredencialInvalida), errs.Is(a.err, errores.CredencialRevocada), errs.Is(a.err, errores.CredencialCaducada):
		return checkRefused
	default:
		return checkUnanswered
	}
}
