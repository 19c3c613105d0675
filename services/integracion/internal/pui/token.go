package pui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

const (
	// defaultLife is how long a token lasts that does not say so itself (manual §7.1).
	defaultLife = time.Hour
	// A token is renewed once 80 % of its life is over, as the manual recommends.
	renewNumerator, renewDenominator = 4, 5
)

// tokenCache holds one token per institution, and sees to it that at most one login per
// institution is under way. Safe for concurrent use.
type tokenCache struct {
	now   func() time.Time
	login func(ctx context.Context, i cuentas.Institucion) (string, respuesta)

	mu      sync.Mutex
	entries map[tenant.EmpresaID]*tokenEntry
}

// tokenEntry is one institution's token and the login that is getting the next one.
type tokenEntry struct {
	owner   cuentas.Institucion // with whose credentials it was got
	token   string
	renewAt time.Time
	flight  *loginFlight
}

// loginFlight is a login that others wait for. Its fields are set before done is closed.
type loginFlight struct {
	owner   cuentas.Institucion
	done    chan struct{}
	token   string
	failure respuesta // with token empty: what kept it away
}

// get gives a token, logging in if there is none that lasts. Without one the answer says
// what kept it away. Whoever waited for a login shares its failure too: a wrong clave is
// not tried once for each message.
func (t *tokenCache) get(ctx context.Context, i cuentas.Institucion) (string, respuesta) {
	token, flight := t.cached(ctx, i)
	if flight == nil {
		return token, respuesta{}
	}
	select {
	case <-flight.done:
		return flight.token, flight.failure
	case <-ctx.Done():
		return "", respuesta{err: fmt.Errorf("wait for login: %w", ctx.Err())}
	}
}

// cached gives a token that lasts, or the login to wait for.
func (t *tokenCache) cached(ctx context.Context, i cuentas.Institucion) (string, *loginFlight) {
	t.mu.Lock()
	defer t.mu.Unlock()
	entry := t.entry(i.EmpresaID)
	if entry.token != "" && entry.owner == i && t.now().Before(entry.renewAt) {
		return entry.token, nil
	}
	if entry.flight == nil || entry.flight.owner != i {
		entry.flight = &loginFlight{owner: i, done: make(chan struct{})}
		// It may be waited for by others, so it outlives the call that began it; the
		// login has a limit of its own.
		go t.fly(context.WithoutCancel(ctx), entry, entry.flight)
	}
	return "", entry.flight
}

func (t *tokenCache) entry(id tenant.EmpresaID) *tokenEntry {
	entry, known := t.entries[id]
	if !known {
		entry = &tokenEntry{}
		t.entries[id] = entry
	}
	return entry
}

func (t *tokenCache) fly(ctx context.Context, entry *tokenEntry, flight *loginFlight) {
	defer close(flight.done)
	started := t.now()
	flight.token, flight.failure = t.login(ctx, flight.owner)
	t.mu.Lock()
	defer t.mu.Unlock()
	if entry.flight != flight {
		return
	}
	entry.flight = nil
	if flight.token != "" {
		entry.owner, entry.token = flight.owner, flight.token
		entry.renewAt = started.Add(lifeOf(flight.token, started) * renewNumerator / renewDenominator)
	}
}

// drop forgets a token that the platform did not admit, unless it was replaced already.
func (t *tokenCache) drop(id tenant.EmpresaID, token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	entry := t.entry(id)
	if entry.token == token {
		entry.token = ""
	}
}

// lifeOf reads how long a token lasts; to us it is otherwise opaque, and its signature is
// the platform's own business. The span between iat and exp does not depend on our clocks
// agreeing; without iat our clock has to do.
func lifeOf(token string, now time.Time) time.Duration {
	var claims jwt.RegisteredClaims
	_, _, err := jwt.NewParser().ParseUnverified(token, &claims)
	if err != nil || claims.ExpiresAt == nil {
		return defaultLife
	}
	from := now
	if claims.IssuedAt != nil {
		from = claims.IssuedAt.Time
	}
	life := claims.ExpiresAt.Sub(from)
	if life <= 0 {
		return defaultLife
	}
	return life
}

// logIn asks for a token (manual §7.1). Without one the answer says why; a 200 whose body
// holds none counts as the platform failing.
func (c *Client) logIn(ctx context.Context, i cuentas.Institucion) (string, respuesta) {
	started := c.now()
	token, status, failure := c.askToken(ctx, i)
	outcome := motivoAceptado
	if token == "" {
		outcome = classify(failure, c.now()).Motivo
	}
	took := c.now().Sub(started)
	c.metrics.answered(bitacora.AccionLogin, outcome, took)
	c.auditLogin(ctx, bitacora.Asiento{EmpresaID: i.EmpresaID, Status: status, Motivo: outcome, Duracion: took})
	return token, failure
}

// auditLimit bounds how long those who wait for a token wait for its line.
const auditLimit = 5 * time.Second

// auditLogin tells of a login, which nobody in particular asked for: it serves all who wait for it.
func (c *Client) auditLogin(ctx context.Context, a bitacora.Asiento) {
	if c.Audit == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditLimit)
	defer cancel()
	a.Tipo, a.Accion, a.Actor = bitacora.AsientoEnvio, bitacora.AccionLogin, bitacora.ActorSistema
	c.Audit(ctx, a)
}

// askToken gives the status too that was answered; 0: none was.
func (c *Client) askToken(ctx context.Context, i cuentas.Institucion) (token string, status int, failure respuesta) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	body, err := json.Marshal(credenciales{InstitucionID: i.ID, Clave: string(i.Clave)})
	if err != nil {
		return "", 0, respuesta{err: errors.New("encode login")}
	}
	answer := c.do(ctx, request{method: http.MethodPost, base: i.URL, path: "/" + bitacora.AccionLogin, body: body})
	if answer.err != nil || answer.status != http.StatusOK {
		return "", answer.status, loginFailure(answer)
	}
	var reply struct {
		Token string `json:"token"`
	}
	err = json.Unmarshal(answer.body, &reply)
	if err != nil || reply.Token == "" {
		return "", answer.status, respuesta{err: errors.New("read login: the answer has no token")}
	}
	return reply.Token, answer.status, respuesta{}
}

// loginFailure keeps a refused login from looking like a refused or an accepted message:
// what is wrong with it is our credentials, and only a 200 is a login.
func loginFailure(answer respuesta) respuesta {
	switch classify(answer, time.Time{}).Resultado {
	case envio.Aceptado:
		return respuesta{err: fmt.Errorf("log in: status %d is no login", answer.status)}
	case envio.Rechazado:
		answer.status = http.StatusForbidden
	}
	return answer
}
