// Package webhook calls an institution's routes as the platform does (manual §8):
// it logs in as user PUI and posts activations and deactivations, byte for byte
// as given, valid or not. It judges no answer and repeats nothing, but for one
// new login when a remembered token is refused.
package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/enlace-iis/enlace/services/simulador/internal/plataforma"
)

// Ruta is one of the institution's own endpoints (manual §8), without the slash.
type Ruta string

// The endpoints that the platform calls.
const (
	RutaLogin                Ruta = "login"
	RutaActivarReporte       Ruta = "activar-reporte"
	RutaActivarReportePrueba Ruta = "activar-reporte-prueba"
	RutaDesactivarReporte    Ruta = "desactivar-reporte"
)

// timeout is how long an institution may take to answer one request; the manual
// gives no figure for its 504.
const timeout = 30 * time.Second

// maxIdle connections are kept for an institution, so that a burst of activations
// is not a burst of handshakes.
const maxIdle = 32

// maxAnswer bounds what is read of an institution's answer.
const maxAnswer = 1 << 20

// Llamada is how an institution answered. Ruta is login when it refused the
// login, so that the call proper was never made.
type Llamada struct {
	Ruta       Ruta           `json:"ruta"`
	Status     int            `json:"status"`
	Cuerpo     jsontext.Value `json:"cuerpo"` // a JSON string when it was not JSON
	DuracionMs int64          `json:"duracion_ms"`
}

// Client calls institutions and remembers the token of each until it is refused.
// It is safe for concurrent use.
type Client struct {
	http *http.Client

	mu       sync.Mutex
	sesiones map[plataforma.Institucion]*sesion
}

// sesion is the token towards one institution. The channel is its lock: one
// login serves all calls that wait for it, and waiting ends with the caller.
type sesion struct {
	turno chan struct{}
	token string
}

// New returns a client that knows no token yet. Its connections are its own, so
// that closing them disturbs no other client of the process.
func New() *Client {
	return &Client{
		http: &http.Client{
			Timeout:   timeout,
			Transport: &http.Transport{MaxIdleConnsPerHost: maxIdle, IdleConnTimeout: time.Minute},
			// A redirect is an answer to be shown, not followed.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		sesiones: map[plataforma.Institucion]*sesion{},
	}
}

// CloseIdle lets go of the connections that are not in use.
func (c *Client) CloseIdle() {
	c.http.CloseIdleConnections()
}

// Call posts cuerpo to one of the institution's routes. An error means that no
// answer came; every answer, of the login too, is a Llamada.
func (c *Client) Call(ctx context.Context, i plataforma.Institucion, ruta Ruta, cuerpo []byte) (Llamada, error) {
	s := c.sesion(i)
	var llamada Llamada
	// Twice at most: a remembered token may have been refused, a fresh one is not
	// tried again.
	for range 2 {
		a, err := c.enter(ctx, i, s)
		if err != nil || a.token == "" {
			return a.negativa, err
		}
		llamada, err = c.post(ctx, i, ruta, a.token, cuerpo)
		if err != nil || llamada.Status != http.StatusUnauthorized {
			return llamada, err
		}
		err = s.forget(ctx, a.token)
		if err != nil || a.fresh {
			return llamada, err
		}
	}
	return llamada, nil
}

// sesion is kept by the whole registration: a changed address or clave starts
// a new one.
func (c *Client) sesion(i plataforma.Institucion) *sesion {
	c.mu.Lock()
	defer c.mu.Unlock()
	s, hay := c.sesiones[i]
	if !hay {
		s = &sesion{turno: make(chan struct{}, 1)}
		c.sesiones[i] = s
	}
	return s
}

// acceso is what a login came to: a token, or without one the refusal.
type acceso struct {
	token    string
	fresh    bool // not remembered from an earlier call
	negativa Llamada
}

// enter takes the remembered token or logs in.
func (c *Client) enter(ctx context.Context, i plataforma.Institucion, s *sesion) (acceso, error) {
	err := s.lock(ctx)
	if err != nil {
		return acceso{}, err
	}
	defer s.unlock()
	if s.token != "" {
		return acceso{token: s.token}, nil
	}
	llamada, err := c.login(ctx, i)
	if err != nil || llamada.Status != http.StatusOK {
		return acceso{negativa: llamada}, err
	}
	var respuesta struct {
		Token string `json:"token"`
	}
	err = json.Unmarshal(llamada.Cuerpo, &respuesta)
	if err != nil || respuesta.Token == "" {
		return acceso{}, errors.New("log in to institution: answered 200 without a token")
	}
	s.token = respuesta.Token
	return acceso{token: s.token, fresh: true}, nil
}

func (s *sesion) lock(ctx context.Context) error {
	select {
	case s.turno <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *sesion) unlock() {
	<-s.turno
}

// forget drops a refused token, unless another call has replaced it already.
func (s *sesion) forget(ctx context.Context, token string) error {
	err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer s.unlock()
	if s.token == token {
		s.token = ""
	}
	return nil
}

// login is §8.1; the user is always PUI.
func (c *Client) login(ctx context.Context, i plataforma.Institucion) (Llamada, error) {
	cuerpo, err := json.Marshal(struct {
		Usuario string `json:"usuario"`
		Clave   string `json:"clave"`
	}{"PUI", i.ClaveInstitucion})
	if err != nil {
		return Llamada{}, fmt.Errorf("encode login: %w", err)
	}
	return c.post(ctx, i, RutaLogin, "", cuerpo)
}

func (c *Client) post(ctx context.Context, i plataforma.Institucion, ruta Ruta, token string, cuerpo []byte) (Llamada, error) {
	direccion := strings.TrimRight(i.URLBase, "/") + "/" + string(ruta)
	peticion, err := http.NewRequestWithContext(ctx, http.MethodPost, direccion, bytes.NewReader(cuerpo))
	if err != nil {
		return Llamada{}, fmt.Errorf("make request to institution: %w", err)
	}
	peticion.Header.Set("Accept", "application/json")
	peticion.Header.Set("Content-Type", contentType(ruta))
	if token != "" {
		peticion.Header.Set("Authorization", "Bearer "+token)
	}
	desde := time.Now()
	respuesta, err := c.http.Do(peticion)
	if err != nil {
		return Llamada{}, fmt.Errorf("call institution: %w", err)
	}
	defer respuesta.Body.Close()
	leido, err := io.ReadAll(io.LimitReader(respuesta.Body, maxAnswer))
	if err != nil {
		return Llamada{}, fmt.Errorf("read institution's answer: %w", err)
	}
	return Llamada{
		Ruta:       ruta,
		Status:     respuesta.StatusCode,
		Cuerpo:     plataforma.AsJSON(leido),
		DuracionMs: time.Since(desde).Milliseconds(),
	}, nil
}

// contentType mislabels the test activation on purpose: the manual's own call
// (§8.3) names no type, and the tool that it shows then says "form".
func contentType(ruta Ruta) string {
	if ruta == RutaActivarReportePrueba {
		return "application/x-www-form-urlencoded"
	}
	return "application/json"
}
