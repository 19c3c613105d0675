package edge

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
)

func TestEvento_isHandedOnByteForByte(t *testing.T) {
	s := newStack(t, nil)
	bodies := make(chan string, 1)
	s.on(integracionv1.EventoService_ReceiveEvento_FullMethodName, func(c *call) error {
		var got integracionv1.ReceiveEventoRequest
		c.receive(t, &got)
		bodies <- string(got.GetCuerpo())
		return c.stream.SendMsg(&integracionv1.ReceiveEventoResponse{Id: "e-1", Estado: "recibido"})
	})
	// Signed bodies are not read here: even what is no JSON, or too loose, goes on.
	for _, body := range []string{` {"id" : "e-1", "x":1,"x":2} `, "no es json", ""} {
		got := s.post("/webhooks/eventos", body,
			"Webhook-Id", "e-1", "webhook-timestamp", "1700000000", "WEBHOOK-SIGNATURE", "v1,abc v1,def", "webhook-otro", "x")
		if got.StatusCode != http.StatusAccepted || string(got.body) != `{"id":"e-1","estado":"recibido","duplicado":false}` {
			t.Errorf("%q: %d %s", body, got.StatusCode, got.body)
		}
		if arrived := <-bodies; arrived != body {
			t.Errorf("%q arrived as %q", body, arrived)
		}
	}
	md := s.last(integracionv1.EventoService_ReceiveEvento_FullMethodName).metadata
	for key, want := range map[string]string{"webhook-id": "e-1", "webhook-timestamp": "1700000000", "webhook-signature": "v1,abc v1,def", "webhook-otro": ""} {
		got := md.Get(key)
		if want == "" && len(got) > 0 || want != "" && (len(got) != 1 || got[0] != want) {
			t.Errorf("%s: got %q, want %q", key, got, want)
		}
	}
}

// signed are headers that look like a signature.
var signed = []string{"webhook-id", "e-1", "webhook-timestamp", "1700000000", "webhook-signature", "v1,abc"}

// Without a signature nothing of the body matters: 401 comes before 413 and 415 (contract.md 8).
func TestEvento_unsigned(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	for name, tt := range map[string]struct {
		headers []string
		body    string
		status  int
		codigo  string
	}{
		"all wrong":            {[]string{"X-API-Key", goodKey, "Content-Type", "text/plain"}, "x", 401, "credencial_ausente"},
		"too large":            {[]string{"X-API-Key", goodKey}, strings.Repeat(" ", 2<<20), 401, "credencial_ausente"},
		"no time":              {[]string{"X-API-Key", goodKey, "webhook-id", "e-1", "webhook-signature", "v1,abc"}, "{}", 401, "credencial_ausente"},
		"blank":                {append([]string{"X-API-Key", goodKey, "webhook-id", " "}, signed[2:]...), "{}", 401, "credencial_ausente"},
		"not for gRPC":         {append([]string{"X-API-Key", goodKey, "webhook-id", "ñ"}, signed[2:]...), "{}", 401, "credencial_ausente"},
		"the key comes first":  {[]string{"X-API-Key", "mala"}, "{}", 401, "credencial_invalida"},
		"no permission at all": {[]string{"X-API-Key", "sin permiso"}, "{}", 403, "sin_permiso"},
	} {
		t.Run(name, func(t *testing.T) {
			wantRefusal(t, s.send("POST", "/webhooks/eventos", tt.body, tt.headers...), tt.status, tt.codigo)
		})
	}
	if calls := s.received(); slices.Contains(calls, integracionv1.EventoService_ReceiveEvento_FullMethodName) {
		t.Errorf("an unsigned event was handed on: %v", calls)
	}
}

func TestEvento_refusals(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	got := s.send("POST", "/webhooks/eventos", "{}", append([]string{"X-API-Key", goodKey, "Content-Type", "text/plain"}, signed...)...)
	wantRefusal(t, got, http.StatusUnsupportedMediaType, "tipo_no_admitido")
	s.fail(integracionv1.EventoService_ReceiveEvento_FullMethodName, refusal(codes.Unauthenticated, "CREDENCIAL_INVALIDA", "La firma no es válida."))
	got = s.post("/webhooks/eventos", "{}", signed...)
	wantRefusal(t, got, http.StatusUnauthorized, "credencial_invalida")
	if got.Header.Get("WWW-Authenticate") != `ApiKey realm="enlace"` {
		t.Errorf("got %v", got.Header)
	}
}

func TestWebhookHeaders_goNowhereElse(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	s.send("POST", "/webhooks/api-keys", "{}", "Authorization", goodToken, "Content-Type", "application/json", "webhook-id", "x")
	if got := s.last(integracionv1.ApiKeyService_IssueApiKey_FullMethodName).metadata.Get("webhook-id"); len(got) > 0 {
		t.Errorf("got %q", got)
	}
}

func TestApiKeys(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	operator := []string{"Authorization", goodToken, "Content-Type", "application/json"}

	got := s.send("POST", "/webhooks/api-keys", `{"id_empresa":"X","nombre":"N","ambitos":["cliente"],"caduca_en":null}`, operator...)
	want := `{"key_id":"k","api_key":"","secreto_webhook":null,"id_empresa":"","nombre":"","ambitos":[],"estado":"","creada_en":"","caduca_en":null}`
	if got.StatusCode != http.StatusCreated || string(got.body) != want {
		t.Errorf("got %d %s", got.StatusCode, got.body)
	}
	got = s.send("POST", "/webhooks/api-keys", `{"ambitos":["cliente",7]}`, operator...)
	wantRefusal(t, got, http.StatusBadRequest, "json_invalido")
	got = s.send("POST", "/webhooks/api-keys", `{}`)
	wantRefusal(t, got, http.StatusUnauthorized, "credencial_ausente")

	asked := make(chan string, 1)
	s.on(integracionv1.ApiKeyService_ListApiKeys_FullMethodName, func(c *call) error {
		var request integracionv1.ListApiKeysRequest
		c.receive(t, &request)
		asked <- request.GetIdEmpresa()
		return c.stream.SendMsg(&integracionv1.ListApiKeysResponse{ApiKeys: []*integracionv1.ApiKey{{KeyId: "k"}}})
	})
	got = s.send("GET", "/webhooks/api-keys/%C3%91&A010101AAA?id_empresa=OTRA", "", append(operator, "If-None-Match", "*")...)
	if id := <-asked; id != "Ñ&A010101AAA" || got.StatusCode != 200 || got.Header.Get("Cache-Control") != "no-store" || got.Header.Get("ETag") != "" {
		t.Errorf("asked for %q, got %d %v", id, got.StatusCode, got.Header)
	}

	s.answer(integracionv1.ApiKeyService_RevokeApiKey_FullMethodName,
		&integracionv1.RevokeApiKeyResponse{ApiKey: &integracionv1.ApiKey{KeyId: "k1", Estado: "revocada"}})
	got = s.send("POST", "/webhooks/api-keys/k1/revocar", "", operator...)
	if got.StatusCode != 200 || got.field(t, "estado") != "revocada" || got.field(t, "ultimo_uso_en") != nil {
		t.Errorf("got %d %s", got.StatusCode, got.body)
	}
}
