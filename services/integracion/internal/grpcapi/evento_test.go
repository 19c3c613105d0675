package grpcapi_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/proto/errores"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/integracion/integraciontest"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/rpc"
)

func TestEvento_becomesARecord(t *testing.T) {
	t.Parallel()
	f := newEventoFixture(t)
	f.accepted(t, "e-1", evento("e-1", "A-1", nil), false)
	if n := f.registrosWith(t, "A-1"); n != 1 {
		t.Errorf("%d records when the event is answered", n)
	}
	kept := scalar[string](t, f.Database.AdminURL, `SELECT row_to_json(e)::text FROM eventos e`)
	if strings.Contains(kept, "A-1") || strings.Contains(kept, "BOXW") {
		t.Errorf("the record is kept here too: %s", kept)
	}

	t.Run("again", func(t *testing.T) {
		f.accepted(t, "e-1", evento("e-1", "A-1", nil), true)
		f.accepted(t, "e-1", " "+evento("e-1", "A-1", func(_, datos map[string]any) { datos["nombre"] = nil }), true)
	})
	t.Run("another body", func(t *testing.T) {
		_, err := f.send(t, "e-1", evento("e-1", "A-2", nil))
		wantMotivo(t, err, errores.Conflicto)
		// What would be refused anyway is a conflict first: the id is taken.
		_, err = f.send(t, "e-1", evento("e-1", "A-1", func(e, _ map[string]any) { e["tipo"] = "otro" }))
		wantMotivo(t, err, errores.Conflicto)
	})
	t.Run("the same id of another institution", func(t *testing.T) {
		const other = "LAB020202CD2"
		f.CreateEmpresa(other, "Otro")
		key := f.IssueApiKey(other)
		body := evento("e-1", "B-1", nil)
		sent := envelope{key: key.Texto, secreto: key.SecretoWebhook, id: "e-1", at: time.Now()}
		answer, err := f.receive(t, body, sent.header(t, body)...)
		if err != nil || answer.GetDuplicado() {
			t.Errorf("%v, %v", answer, err)
		}
	})
}

func TestEvento_signature(t *testing.T) {
	t.Parallel()
	f := newEventoFixture(t)
	other := f.IssueApiKey(empresa)
	body := evento("e-1", "A-1", nil)
	now := time.Now()
	tests := []struct {
		name   string
		header func(envelope) []string
		want   errores.Motivo
	}{
		{"unsigned", func(e envelope) []string { return e.header(t, body)[:2] }, errores.CredencialAusente},
		{"no time", func(e envelope) []string { h := e.header(t, body); return append(h[:4:4], h[6:]...) }, errores.CredencialAusente},
		{"another body", func(e envelope) []string { return e.header(t, body+" ") }, errores.CredencialInvalida},
		{"another key's secret", func(e envelope) []string { e.secreto = other.SecretoWebhook; return e.header(t, body) }, errores.CredencialInvalida},
		{"two ids", func(e envelope) []string { return append(e.header(t, body), "webhook-id", "e-1") }, errores.CredencialInvalida},
		{"old", func(e envelope) []string { e.at = now.Add(-5*time.Minute - 2*time.Second); return e.header(t, body) }, errores.CredencialInvalida},
		{"future", func(e envelope) []string { e.at = now.Add(6 * time.Minute); return e.header(t, body) }, errores.CredencialInvalida},
		{"no key", func(e envelope) []string { return e.header(t, body)[2:] }, errores.CredencialAusente},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := f.receive(t, body, tt.header(f.envelope("e-1"))...)
			wantMotivo(t, err, tt.want)
		})
	}
	t.Run("key without the scope", func(t *testing.T) {
		e := f.envelope("e-1")
		e.key = f.IssueApiKey(empresa, "cliente").Texto
		_, err := f.receive(t, body, e.header(t, body)...)
		wantMotivo(t, err, errores.SinPermiso)
	})
	t.Run("what is not signed is not read", func(t *testing.T) {
		_, err := f.receive(t, "no es JSON", f.envelope("e-1").header(t, "otra cosa")...)
		wantMotivo(t, err, errores.CredencialInvalida)
	})
	if f.kept(t, "e-1") {
		t.Error("an event was kept")
	}
	t.Run("almost old", func(t *testing.T) {
		e := f.envelope("e-1")
		e.at = now.Add(-4 * time.Minute)
		_, err := f.receive(t, body, e.header(t, body)...)
		if err != nil {
			t.Error(err)
		}
	})
	t.Run("a revoked key at once", func(t *testing.T) {
		f.RevokeApiKey(f.key.KeyID)
		_, err := f.send(t, "e-2", evento("e-2", "A-2", nil))
		wantMotivo(t, err, errores.CredencialRevocada)
	})
}

func TestEvento_rules(t *testing.T) {
	t.Parallel()
	f := newEventoFixture(t)
	long := strings.Repeat("x", 101)
	tests := []struct {
		name, id string
		body     string
		want     []string
	}{
		{"another id than signed", "e-1", evento("e-2", "A", nil), []string{"/id no_coincide"}},
		{"no id", "e-3", evento("", "A", nil), []string{"/id requerido"}},
		{"long id", long, evento(long, "A", nil), []string{"/id longitud"}},
		{"unknown kind and no instant", "e-4", evento("e-4", "A", func(e, _ map[string]any) { e["tipo"], e["fecha"] = "otro", "2026-01-15" }),
			[]string{"/tipo valor_no_admitido", "/fecha formato"}},
		{"nothing", "e-5", `{"id":"e-5"}`, []string{"/tipo requerido", "/fecha requerido", "/datos requerido"}},
		{"invalid record", "e-6", evento("e-6", "A-6", func(_, d map[string]any) {
			d["curp"], d["fecha_evento"] = "CORTA", "2999-01-01"
			d["domicilio"] = map[string]any{"codigo_postal": "1"}
		}), []string{"/datos/curp formato", "/datos/fecha_evento fecha_futura"}},
		{"NUL in a folio", "e-7", evento("e-7", "A\x00", nil), []string{"/datos/folio caracter_no_permitido"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := f.send(t, tt.id, tt.body)
			wantFields(t, err, tt.want...)
			if f.kept(t, tt.id) {
				t.Error("a rejected event was kept")
			}
		})
	}
	if n := scalar[int](t, f.registros.Database.AdminURL, `SELECT count(*) FROM registros`); n != 0 {
		t.Errorf("%d records were saved", n)
	}
	t.Run("too big", func(t *testing.T) {
		_, err := f.send(t, "e-8", evento("e-8", "A", func(_, d map[string]any) { d["nombre"] = strings.Repeat("x", 1<<20) }))
		if got := errores.Codigo(errs.MotivoOf(errs.FromStatus(err))); got != "cuerpo_demasiado_grande" {
			t.Errorf("got %s", got)
		}
	})
	t.Run("mended", func(t *testing.T) {
		_, err := f.send(t, "e-6", evento("e-6", "A-6", func(_, d map[string]any) { d["curp"] = "TAMPOCO" }))
		wantFields(t, err, "/datos/curp formato")
		f.accepted(t, "e-6", evento("e-6", "A-6", nil), false)
		if n := f.registrosWith(t, "A-6"); n != 1 {
			t.Errorf("%d records", n)
		}
		f.accepted(t, "e-6", evento("e-6", "A-6", nil), true)
	})
}

// TestEvento_thousandAtOnce sends one event a thousand times at the same moment, and again what
// had to wait too long: one is new, and there is one record.
func TestEvento_thousandAtOnce(t *testing.T) {
	t.Parallel()
	f := newEventoFixture(t)
	const times = 1000
	body := evento("e-1", "A-1", nil)
	header := f.envelope("e-1").header(t, body)
	var fresh, late atomic.Int32
	var all sync.WaitGroup
	for range times {
		all.Go(func() {
			answer, err := f.receive(t, body, header...)
			for errs.Is(errs.FromStatus(err), errores.TiempoAgotado) {
				late.Add(1)
				answer, err = f.receive(t, body, header...)
			}
			if err != nil {
				t.Error(err)
			} else if !answer.GetDuplicado() {
				fresh.Add(1)
			}
		})
	}
	all.Wait()
	// The one that was new may be among those whose answer came too late.
	if n := fresh.Load(); n > 1 || n == 0 && late.Load() == 0 {
		t.Errorf("%d were new, %d late", n, late.Load())
	}
	if n := f.registrosWith(t, "A-1"); n != 1 {
		t.Errorf("%d records", n)
	}
}

// TestEvento_oneOfManyContents sends different events with one id at the same moment: one is
// taken, and all others contradict it.
func TestEvento_oneOfManyContents(t *testing.T) {
	t.Parallel()
	f := newEventoFixture(t)
	const times = 50
	var taken, refused atomic.Int32
	var all sync.WaitGroup
	for i := range times {
		body := evento("e-1", fmt.Sprintf("A-%d", i), nil)
		header := f.envelope("e-1").header(t, body)
		all.Go(func() {
			_, err := f.receive(t, body, header...)
			switch {
			case err == nil:
				taken.Add(1)
			case errs.Is(errs.FromStatus(err), errores.Conflicto):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if taken.Load() != 1 || refused.Load() != times-1 {
		t.Errorf("%d were taken, %d refused", taken.Load(), refused.Load())
	}
	if n := scalar[int](t, f.registros.Database.AdminURL, `SELECT count(*) FROM registros`); n != 1 {
		t.Errorf("%d records", n)
	}
}

// TestEvento_countsFromItsAnswerOn holds that each event is there when it is answered, so that
// whatever is written later, by an event or a batch, is never overwritten.
func TestEvento_countsFromItsAnswerOn(t *testing.T) {
	t.Parallel()
	f := newEventoFixture(t)
	tipo := func() string {
		return scalar[string](t, f.registros.Database.AdminURL, `SELECT tipo_evento FROM registros WHERE folio = 'A-1'`)
	}
	conn, err := rpc.Dial(f.registros.Target, rpc.ClientConfig{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	client := registrosv1.NewRegistroServiceClient(conn)
	ctx := metadata.AppendToOutgoingContext(t.Context(), "x-api-key", f.key.Texto)
	for i := range 15 {
		id, told := fmt.Sprintf("e-%d", i), fmt.Sprintf("Evento %d", i)
		f.accepted(t, id, evento(id, "A-1", func(_, d map[string]any) { d["tipo_evento"] = told }), false)
		if got := tipo(); got != told {
			t.Errorf("after event %d the record says %q", i, got)
		}
		batch := fmt.Sprintf("Lote %d", i)
		_, err := client.SaveLote(ctx, &registrosv1.SaveLoteRequest{Registros: []*registrosv1.Registro{
			{Folio: "A-1", Curp: "BOXW310820HNERXN09", TipoEvento: batch, FechaEvento: "2026-01-15"},
		}})
		if err != nil {
			t.Fatal(err)
		}
		f.accepted(t, id, evento(id, "A-1", func(_, d map[string]any) { d["tipo_evento"] = told }), true)
		if got := tipo(); got != batch {
			t.Errorf("after batch %d and the event again the record says %q", i, got)
		}
	}
}

// TestEvento_savedButNeverNoted holds that a process which dies when registros has the record
// and before it says so costs nothing: the sender's retry is taken.
func TestEvento_savedButNeverNoted(t *testing.T) {
	t.Parallel()
	f := newEventoFixture(t)
	f.accepted(t, "e-1", evento("e-1", "A-1", nil), false)
	f.execute(t, `DELETE FROM eventos`)
	f.accepted(t, "e-1", evento("e-1", "A-1", nil), false)
	f.accepted(t, "e-1", evento("e-1", "A-1", nil), true)
	if n := f.registrosWith(t, "A-1"); n != 1 {
		t.Errorf("%d records", n)
	}
}

// TestEvento_registrosAway holds that nothing is half-done while registros is away.
func TestEvento_registrosAway(t *testing.T) {
	t.Parallel()
	s := integraciontest.Start(t, integraciontest.Options{})
	s.CreateEmpresa(empresa, "Laboratorio")
	f := &eventoFixture{Servicio: s, key: s.IssueApiKey(empresa), client: integracionv1.NewEventoServiceClient(s.Dial())}
	_, err := f.send(t, "e-1", evento("e-1", "A-1", nil))
	wantMotivo(t, err, errores.NoDisponible)
	refusal, _ := errors.AsType[*errs.Error](errs.FromStatus(err))
	if refusal == nil || refusal.RetryAfter <= 0 {
		t.Errorf("it does not say when to try again: %+v", refusal)
	}
	if f.kept(t, "e-1") {
		t.Error("it was kept")
	}
}
