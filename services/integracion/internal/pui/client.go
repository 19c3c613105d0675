package pui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/integracion/internal/resincronizacion"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Client calls the platform for any number of institutions. Safe for concurrent use.
type Client struct {
	http    *http.Client
	timeout time.Duration
	now     func() time.Time
	tokens  *tokenCache
	metrics *clientMetrics

	criterios criterios

	// Audit is told of each login that ended. It is set before the first call; nil: nobody is.
	Audit func(ctx context.Context, login bitacora.Asiento)
}

// NewClient makes a client whose requests take at most timeout each; a list, at most so long
// for the next of it to come. registerer takes its metrics; nil: none.
func NewClient(timeout time.Duration, registerer prometheus.Registerer) *Client {
	c := &Client{http: newHTTPClient(), timeout: timeout, now: time.Now, metrics: newClientMetrics(registerer)}
	c.tokens = &tokenCache{now: c.now, login: c.logIn, entries: map[tenant.EmpresaID]*tokenEntry{}}
	return c
}

// Close ends the connections that are kept for later requests.
func (c *Client) Close() {
	c.http.CloseIdleConnections()
}

// NotifyCoincidencia implements [entregas.Plataforma] (manual §7.2). A message that is refused for
// what the manual leaves open is sent once more the other way, which is remembered if it is taken.
func (c *Client) NotifyCoincidencia(ctx context.Context, i cuentas.Institucion, m entregas.Coincidencia) entregas.Desenlace {
	n, known := notificacionOf(i, m), c.criterios.of(i.URL)
	outcome, answer := c.tell(ctx, i, bitacora.AccionNotificar, known.apply(n))
	tried := known
	// A platform may name one thing at a time.
	for range openQuestions {
		mended := tried.mended(n, answer)
		if mended == tried || mended == known {
			break
		}
		tried = mended
		outcome, answer = c.tell(ctx, i, bitacora.AccionNotificar, tried.apply(n))
		c.criterios.learn(i.URL, tried, outcome)
	}
	return outcome
}

// FinishBusqueda implements [entregas.Plataforma] (manual §7.3).
func (c *Client) FinishBusqueda(ctx context.Context, i cuentas.Institucion, f entregas.Finalizacion) entregas.Desenlace {
	outcome, _ := c.tell(ctx, i, bitacora.AccionFinalizar, finalizacion{ID: f.ReporteID, InstitucionID: i.ID})
	return outcome
}

func (c *Client) tell(ctx context.Context, i cuentas.Institucion, route string, message any) (entregas.Desenlace, respuesta) {
	started := c.now()
	body, err := json.Marshal(message)
	if err != nil {
		// Only strings are in it.
		answer := respuesta{err: errors.New("encode message")}
		return classify(answer, c.now()), answer
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	answer := c.call(ctx, i, request{method: http.MethodPost, base: i.URL, path: "/" + route, body: body})
	outcome := classify(answer, c.now())
	c.metrics.answered(route, outcome.Motivo, c.now().Sub(started))
	return outcome, answer
}

// call sends a request with a token. A token that is not admitted is dropped, and the
// request sent once more with a new one.
func (c *Client) call(ctx context.Context, i cuentas.Institucion, r request) respuesta {
	token, failure := c.tokens.get(ctx, i)
	if token == "" {
		failure.login = true
		return failure
	}
	answer := c.send(ctx, r, token)
	if !isUnauthorized(answer) {
		return answer
	}
	c.tokens.drop(i.EmpresaID, token)
	token, failure = c.tokens.get(ctx, i)
	if token == "" {
		failure.login = true
		return failure
	}
	return c.send(ctx, r, token)
}

// send begins nothing for a context that is over.
func (c *Client) send(ctx context.Context, r request, token string) respuesta {
	if ctx.Err() != nil {
		return respuesta{err: fmt.Errorf("call platform: %w", ctx.Err())}
	}
	r.token = token
	return c.do(ctx, r)
}

var (
	_ entregas.Plataforma      = (*Client)(nil)
	_ resincronizacion.Listado = (*Client)(nil)
)
