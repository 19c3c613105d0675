package inbound

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// cliente asks as the platform does.
type cliente struct {
	http  *http.Client
	base  string // without a slash at its end
	clave string
	token string // of a login that went well
}

// The four routes of §8.
const (
	rutaLogin      = "/login"
	rutaActivar    = "/activar-reporte"
	rutaPrueba     = "/activar-reporte-prueba"
	rutaDesactivar = "/desactivar-reporte"
)

var rutas = []string{rutaLogin, rutaActivar, rutaPrueba, rutaDesactivar}

// solicitud is a request; the zero header is that of the platform.
type solicitud struct {
	metodo string // "" is POST
	ruta   string
	cuerpo []byte
	token  string
	header http.Header
	// sinTipo leaves the Content-Type out, as the manual's own sample call does.
	sinTipo bool
}

type respuesta struct {
	status int
	header http.Header
	cuerpo []byte
}

// longestAnswer is far above what any answer here has a reason to be.
const longestAnswer = 1 << 20

func (c *cliente) do(ctx context.Context, s solicitud) (respuesta, error) {
	metodo := s.metodo
	if metodo == "" {
		metodo = http.MethodPost
	}
	req, err := http.NewRequestWithContext(ctx, metodo, c.base+s.ruta, bytes.NewReader(s.cuerpo))
	if err != nil {
		return respuesta{}, errors.New("la dirección no es válida")
	}
	if s.cuerpo != nil && !s.sinTipo {
		req.Header.Set("Content-Type", "application/json")
	}
	if s.token != "" {
		req.Header.Set("Authorization", "Bearer "+s.token)
	}
	for name, values := range s.header {
		req.Header[name] = values
	}
	res, err := c.http.Do(req)
	if err != nil {
		return respuesta{}, errors.Join(errCaida, fmt.Errorf("no hubo respuesta: %w", err))
	}
	defer func() { _ = res.Body.Close() }()
	cuerpo, err := io.ReadAll(io.LimitReader(res.Body, longestAnswer))
	if err != nil {
		return respuesta{}, errors.Join(errCaida, fmt.Errorf("la respuesta se cortó: %w", err))
	}
	return respuesta{status: res.StatusCode, header: res.Header, cuerpo: cuerpo}, nil
}

// prueba posts a body to the test activation with the good token.
func (c *cliente) prueba(ctx context.Context, cuerpo []byte) (respuesta, error) {
	return c.do(ctx, solicitud{ruta: rutaPrueba, cuerpo: cuerpo, token: c.token})
}

// login gives the token of a login that must go well.
func (c *cliente) login(ctx context.Context, base, clave string) (string, error) {
	at := *c
	at.base = strings.TrimRight(base, "/")
	r, err := at.do(ctx, solicitud{ruta: rutaLogin, cuerpo: credenciales("PUI", clave)})
	if err != nil {
		return "", err
	}
	err = r.want(http.StatusOK)
	if err != nil {
		return "", err
	}
	var granted struct {
		Token string `json:"token"`
	}
	err = json.Unmarshal(r.cuerpo, &granted)
	if err != nil || granted.Token == "" {
		return "", errors.New(`la respuesta no es {"token": "…"}`)
	}
	return granted.Token, nil
}

func credenciales(usuario, clave string) []byte {
	return encode(map[string]string{"usuario": usuario, "clave": clave})
}

// encode is for bodies of this package, which always encode.
func encode(v any) []byte {
	content, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return content
}

// want holds the status to be one of these.
func (r respuesta) want(statuses ...int) error {
	if slices.Contains(statuses, r.status) {
		return nil
	}
	err := fmt.Errorf("respondió %d, se esperaba %v", r.status, statuses)
	if r.status >= http.StatusInternalServerError {
		return errors.Join(errCaida, err)
	}
	return err
}

// wantMessage holds an acceptance to have `message` and nothing else (S-21), with the text that
// the manual mandates. Where it mandates none, the body is free and its shape ours.
func (r respuesta) wantMessage(mandated string) error {
	err := r.want(http.StatusOK)
	if err != nil {
		return err
	}
	var members map[string]any
	err = json.Unmarshal(r.cuerpo, &members)
	message, _ := members["message"].(string)
	switch {
	case mandated != "" && (err != nil || message != mandated):
		return fmt.Errorf("'message' no es el texto del manual: %q", mandated)
	case err != nil || len(members) != 1 || message == "":
		return fmt.Errorf("la respuesta debe tener solo 'message': %w", errNuestra)
	}
	return nil
}

// inside are marks of an answer that shows the inside of the service (S-05, S-15).
var inside = []string{
	"goroutine ", "panic:", ".go:", "traceback", "stack trace", "exception", "at java.", ".py\"", "node_modules",
	"sqlstate", "syntax error at or near", "/usr/", "/var/", "/home/", "/app/",
}

// wantRefusal holds a refusal to one of the statuses, and not to show the inside (S-05, S-15).
// The manual leaves its body open; a short JSON object with `error`, the same everywhere (S-16),
// is ours.
func (r respuesta) wantRefusal(statuses ...int) error {
	err := r.want(statuses...)
	if err != nil {
		return err
	}
	lower := strings.ToLower(string(r.cuerpo))
	for _, mark := range inside {
		if strings.Contains(lower, mark) {
			return fmt.Errorf("el rechazo muestra detalles internos (%q)", mark)
		}
	}
	var body struct {
		Error string `json:"error"`
	}
	err = json.Unmarshal(r.cuerpo, &body)
	if err != nil || body.Error == "" {
		return fmt.Errorf(`el rechazo no es un objeto JSON con "error": %w`, errNuestra)
	}
	return nil
}
