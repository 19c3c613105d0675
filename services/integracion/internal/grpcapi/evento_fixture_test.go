package grpcapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"google.golang.org/grpc/metadata"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/integracion/integraciontest"
	"github.com/enlace-iis/enlace/services/registros/registrostest"
)

// eventoFixture is both services, each with its own database, and an institution's key.
type eventoFixture struct {
	*integraciontest.Servicio
	registros *registrostest.Servicio
	key       integraciontest.ApiKey
	client    integracionv1.EventoServiceClient
}

func newEventoFixture(t *testing.T) *eventoFixture {
	t.Helper()
	listener := integraciontest.Listen(t)
	registros := registrostest.Start(t, registrostest.Options{IntegracionTarget: listener.Addr().String()})
	f := &eventoFixture{
		Servicio:  integraciontest.Start(t, integraciontest.Options{Listener: listener, RegistrosTarget: registros.Target}),
		registros: registros,
	}
	f.CreateEmpresa(empresa, "Laboratorio")
	f.key = f.IssueApiKey(empresa)
	f.client = integracionv1.NewEventoServiceClient(f.Dial())
	return f
}

// evento makes a body; change alters it before it is encoded.
func evento(id, folio string, change func(evento, datos map[string]any)) string {
	datos := map[string]any{
		"folio": folio, "curp": "BOXW310820HNERXN09", "tipo_evento": "Toma de muestra", "fecha_evento": "2026-01-15",
	}
	body := map[string]any{"id": id, "tipo": "registro.creado", "fecha": "2026-01-15T12:00:00Z", "datos": datos}
	if change != nil {
		change(body, datos)
	}
	content, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return string(content)
}

// envelope is what travels beside a body.
type envelope struct {
	key, secreto, id string
	at               time.Time
}

func (f *eventoFixture) envelope(id string) envelope {
	return envelope{key: f.key.Texto, secreto: f.key.SecretoWebhook, id: id, at: time.Now()}
}

func (e envelope) header(t *testing.T, cuerpo string) []string {
	t.Helper()
	webhook, err := standardwebhooks.NewWebhook(e.secreto)
	if err != nil {
		t.Fatal(err)
	}
	firma, err := webhook.Sign(e.id, e.at, []byte(cuerpo))
	if err != nil {
		t.Fatal(err)
	}
	return []string{"x-api-key", e.key, "webhook-id", e.id, "webhook-timestamp", strconv.FormatInt(e.at.Unix(), 10), "webhook-signature", firma}
}

func (f *eventoFixture) receive(t *testing.T, cuerpo string, header ...string) (*integracionv1.ReceiveEventoResponse, error) {
	t.Helper()
	ctx := metadata.AppendToOutgoingContext(t.Context(), header...)
	return f.client.ReceiveEvento(ctx, &integracionv1.ReceiveEventoRequest{Cuerpo: []byte(cuerpo)})
}

// send signs and sends a body.
func (f *eventoFixture) send(t *testing.T, id, cuerpo string) (*integracionv1.ReceiveEventoResponse, error) {
	t.Helper()
	return f.receive(t, cuerpo, f.envelope(id).header(t, cuerpo)...)
}

func (f *eventoFixture) accepted(t *testing.T, id, cuerpo string, duplicado bool) {
	t.Helper()
	answer, err := f.send(t, id, cuerpo)
	if err != nil || answer.GetId() != id || answer.GetEstado() != "recibido" || answer.GetDuplicado() != duplicado {
		t.Fatalf("%s: %v, %v; want duplicado %v", id, answer, err, duplicado)
	}
}

// scalar reads one value as the superuser of a database.
func scalar[T any](t *testing.T, url, sql string, args ...any) T {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.Background()) }()
	var value T
	err = conn.QueryRow(context.Background(), sql, args...).Scan(&value)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return value
}

func (f *eventoFixture) kept(t *testing.T, id string) bool {
	t.Helper()
	return scalar[bool](t, f.Database.AdminURL, `SELECT count(*) > 0 FROM eventos WHERE id = $1`, id)
}

func (f *eventoFixture) execute(t *testing.T, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), f.Database.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	_, err = conn.Exec(t.Context(), sql)
	err = errors.Join(err, conn.Close(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
}

func (f *eventoFixture) registrosWith(t *testing.T, folio string) int {
	t.Helper()
	return scalar[int](t, f.registros.Database.AdminURL, `SELECT count(*) FROM registros WHERE folio = $1`, folio)
}
