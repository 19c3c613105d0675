package crash

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// Institucion is one institution and, towards it, the platform and the operator.
type Institucion struct {
	ID string

	tb       testing.TB
	client   *Client
	apiKey   string
	webhook  string
	platform *session

	mu     sync.Mutex
	carga  Span
	ending sync.Once
}

// finish ends the initial load at an instant, if no earlier round has done so.
func (i *Institucion) finish(ctx context.Context, at time.Time) (err error) {
	i.ending.Do(func() {
		<-time.After(time.Until(at))
		asked := Span{Sent: i.client.Ledger.Now(), Acked: Never}
		i.setCarga(asked)
		err = i.client.Insist(ctx, &asked, call{method: http.MethodPost, path: "/institucion/carga-terminada", header: withKey(i.apiKey)}, nil)
		i.setCarga(asked)
	})
	return err
}

func (i *Institucion) setCarga(asked Span) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.carga = asked
}

// Carga is when the initial load was ended.
func (i *Institucion) Carga() Span {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.carga
}

// session is a login that is renewed before its hour is over.
type session struct {
	client               *Client
	path, usuario, clave string

	mu      sync.Mutex
	token   string
	expires time.Duration
}

// sessionTime is how long a token is used.
const sessionTime = 20 * time.Minute

func (s *session) header(ctx context.Context) func([]byte) (http.Header, error) {
	return func([]byte) (http.Header, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.client.Ledger.Now() > s.expires || s.token == "" {
			err := s.login(ctx)
			if err != nil {
				return nil, err
			}
		}
		return http.Header{"Authorization": {"Bearer " + s.token}}, nil
	}
}

func (s *session) login(ctx context.Context) error {
	var answer struct{ Token string }
	var asked Span
	err := s.client.Insist(ctx, &asked, call{
		method: http.MethodPost, path: s.path, header: anonymous,
		body: map[string]string{"usuario": s.usuario, "clave": s.clave},
	}, &answer)
	if err != nil {
		return fmt.Errorf("log in: %w", err)
	}
	s.token, s.expires = answer.Token, s.client.Ledger.Now()+sessionTime
	return nil
}

func anonymous([]byte) (http.Header, error) { return http.Header{}, nil }

func withKey(key string) func([]byte) (http.Header, error) {
	return func([]byte) (http.Header, error) { return http.Header{"X-Api-Key": {key}}, nil }
}

// take does one Step until it is acknowledged.
func (i *Institucion) take(ctx context.Context, s Step) error {
	switch s.Do {
	case doActivate:
		return i.activate(ctx, s.Ciclo)
	case doDeactivate:
		want := call{
			method: http.MethodPost, path: "/i/" + i.ID + "/desactivar-reporte", header: i.platform.header(ctx),
			body: map[string]string{"id": s.Ciclo.ReporteID},
		}
		return i.client.Insist(ctx, &s.Ciclo.Deactivated, want, nil)
	case doEvento:
		return i.send(ctx, s.Versions[0])
	default:
		return i.write(ctx, s.Do, s.Versions)
	}
}

func (i *Institucion) activate(ctx context.Context, c *Ciclo) error {
	body := map[string]string{"id": c.ReporteID, "curp": c.Curp, "fecha_desaparicion": c.Desaparicion}
	want := call{
		method: http.MethodPost, path: "/i/" + i.ID + "/activar-reporte", header: i.platform.header(ctx), body: body,
	}
	c.Dia1 = dayOf(i.client.Ledger.Clock(i.client.Ledger.Now() - longestJump))
	err := i.client.Insist(ctx, &c.Activated, want, nil)
	c.Dia2 = dayOf(i.client.Ledger.Clock(i.client.Ledger.Now() + longestJump))
	return err
}

// saved is what the routes of records answer.
type saved struct {
	Total, Creados, Actualizados int
	SinCambios                   int `json:"sin_cambios"`
	Rechazados                   int
}

// write saves records, all at once.
func (i *Institucion) write(ctx context.Context, route string, versions []*Version) error {
	path := "/cliente/registros"
	if route == doLote {
		path += "/lote"
	}
	written := Span{Sent: i.client.Ledger.Now(), Acked: Never}
	records := make([]map[string]any, len(versions))
	for n, v := range versions {
		v.Written = written
		records[n] = record(*v)
	}
	var answer saved
	err := i.client.Insist(ctx, &written, call{
		method: http.MethodPost, path: path, header: withKey(i.apiKey), body: map[string]any{"registros": records},
	}, &answer)
	if err != nil {
		return err
	}
	for _, v := range versions {
		v.Written = written
	}
	if answer.Total != len(versions) || answer.Creados+answer.Actualizados+answer.SinCambios != len(versions) {
		return fmt.Errorf("%s: %d records were answered with %+v", path, len(versions), answer)
	}
	return nil
}

// send tells a record as an event, signed anew each time.
func (i *Institucion) send(ctx context.Context, v *Version) error {
	id := v.Folio + "-" + fmt.Sprint(v.Number)
	sign := func(body []byte) (http.Header, error) {
		return harness.SignEvento(i.tb, i.apiKey, i.webhook, id, body), nil
	}
	return i.client.Insist(ctx, &v.Written, call{
		method: http.MethodPost, path: "/webhooks/eventos", header: sign,
		body: map[string]any{
			"id": id, "tipo": "registro.actualizado", "fecha": i.client.Ledger.Clock(i.client.Ledger.Now()).UTC().Format("2006-01-02T15:04:05.000Z"),
			"datos": record(*v),
		},
	}, nil)
}

func record(v Version) map[string]any {
	return map[string]any{
		"folio": v.Folio, "curp": v.Curp, "tipo_evento": tipoEvento, "fecha_evento": v.Fecha,
		"descripcion_lugar_evento": v.Marca, "nombre": nombre, "telefono": v.Telefono,
	}
}

var mexico = mustLocation("America/Mexico_City")

func mustLocation(name string) *time.Location {
	location, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return location
}

// dayOf is the day of an instant in Mexico City.
func dayOf(at time.Time) string { return at.In(mexico).Format(time.DateOnly) }
