package edge

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/testing/protocmp"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

func TestHead_isGetWithoutTheBody(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	s.answer("/grpc.health.v1.Health/Check", &registrosv1.PingRequest{})
	for _, encoding := range []string{"", "gzip"} {
		for _, path := range []string{"/", "/health", "/cliente/casos", "/cliente/coincidencias", "/cliente/reportes"} {
			get := s.get(path, "Accept-Encoding", encoding, "X-Request-ID", "same-one")
			head := s.send("HEAD", path, "", "X-API-Key", goodKey, "Accept-Encoding", encoding, "X-Request-ID", "same-one")
			if len(head.body) > 0 || head.StatusCode != get.StatusCode {
				t.Errorf("HEAD %s: %d %q", path, head.StatusCode, head.body)
			}
			get.Header.Del("Date")
			head.Header.Del("Date")
			if encoding == "gzip" {
				get.Header.Del("Content-Encoding")
				head.Header.Del("Content-Length") // of the plain bytes
				get.Header.Del("Content-Length")
			}
			if diff := cmp.Diff(get.Header, head.Header); diff != "" {
				t.Errorf("HEAD %s: %s", path, diff)
			}
		}
	}
}

func TestSaveRegistros_statusDependsOnWhatIsNew(t *testing.T) {
	s := newStack(t, nil)
	for created, want := range map[int32]int{0: http.StatusOK, 1: http.StatusCreated} {
		s.answer(registrosv1.RegistroService_SaveRegistros_FullMethodName, &registrosv1.SaveRegistrosResponse{Total: 1, Creados: created})
		got := s.post("/cliente/registros", `[]`)
		if got.StatusCode != want || got.Header.Get("Content-Length") == "" {
			t.Errorf("%d created: got %d, Content-Length %q", created, got.StatusCode, got.Header.Get("Content-Length"))
		}
	}
}

func TestAnswers_haveEveryField(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	tests := []struct{ got, want string }{
		{string(s.post("/cliente/sandbox/ping", "").body), `{"mensaje":"pong","id_empresa":"","nombre":"","ambiente":"","fecha":""}`},
		{string(s.post("/cliente/registros/validar", "[]").body), `{"total":0,"validos":0,"invalidos":0,"observaciones":[],"resumen":[],"observaciones_omitidas":0}`},
		{string(s.get("/cliente/casos").body), `[]`},
		{string(s.send("POST", "/login", "{}").body), `{"token":"jwt"}`},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
	}
}

func TestBatch_theThreeShapes(t *testing.T) {
	s := newStack(t, nil)
	want := &registrosv1.SaveLoteRequest{Registros: []*registrosv1.Registro{{Folio: "A", Domicilio: &registrosv1.Direccion{Calle: "Juárez"}}}}
	s.on(registrosv1.RegistroService_SaveLote_FullMethodName, func(c *call) error {
		var got registrosv1.SaveLoteRequest
		c.receive(t, &got)
		if diff := cmp.Diff(want, &got, protocmp.Transform()); diff != "" {
			t.Error(diff)
		}
		return c.stream.SendMsg(&registrosv1.SaveLoteResponse{})
	})
	record := `{"folio":"A","domicilio":{"calle":"Juárez"}}`
	for _, body := range []string{record, "[" + record + "]", `{"registros":[` + record + `]}`} {
		got := s.post("/cliente/registros/lote", body)
		if got.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %s", body, got.StatusCode, got.body)
		}
	}
}

func TestBatch_anOversizedOneIsTheServicesToRefuse(t *testing.T) {
	s := newStack(t, nil)
	for path, rpc := range map[string]string{
		"/cliente/registros":         registrosv1.RegistroService_SaveRegistros_FullMethodName,
		"/cliente/registros/lote":    registrosv1.RegistroService_SaveLote_FullMethodName,
		"/cliente/registros/validar": registrosv1.RegistroService_ValidateRegistros_FullMethodName,
	} {
		received := make(chan int, 1)
		s.on(rpc, func(c *call) error {
			var got registrosv1.SaveLoteRequest
			c.receive(t, &got)
			received <- len(got.GetRegistros())
			return refusal(codes.InvalidArgument, "LOTE_EXCEDIDO", "Demasiados.")
		})
		got := s.post(path, "["+strings.Repeat(`{},`, 19_999)+"{}]")
		wantRefusal(t, got, http.StatusUnprocessableEntity, "lote_excedido")
		if n := <-received; n != 5001 {
			t.Errorf("%s: the service got %d records, want 5001", path, n)
		}
	}
}

func TestPing_ignoresAnyJSON(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	for _, body := range []string{`{}`, `[]`, `null`, `7`, `"x"`, `{"a":1,"a":2}`, `{"mensaje":7}`} {
		if got := s.post("/cliente/sandbox/ping", body); got.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %s", body, got.StatusCode, got.body)
		}
	}
	got := s.send("POST", "/cliente/sandbox/ping", "", "X-API-Key", goodKey)
	if got.StatusCode != http.StatusOK {
		t.Errorf("no body and no type: %d %s", got.StatusCode, got.body)
	}
	wantRefusal(t, s.post("/cliente/sandbox/ping", "hola"), http.StatusBadRequest, "json_invalido")
	wantRefusal(t, s.post("/cliente/sandbox/ping", "{}{}"), http.StatusBadRequest, "json_invalido")
	got = s.send("POST", "/cliente/sandbox/ping", "{}", "X-API-Key", goodKey)
	wantRefusal(t, got, http.StatusUnsupportedMediaType, "tipo_no_admitido")
}

func TestPlatform_readsWhateverTheTypeSays(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	bodies := make(chan *integracionv1.ActivateReporteRequest, 1)
	s.on(integracionv1.ReporteService_ActivateReporte_FullMethodName, func(c *call) error {
		var got integracionv1.ActivateReporteRequest
		c.receive(t, &got)
		bodies <- &got
		return c.stream.SendMsg(&integracionv1.ActivateReporteResponse{Message: "ok"})
	})
	want := &integracionv1.ActivateReporteRequest{Activacion: &integracionv1.Activacion{Id: "X", Curp: "TEST010101HDFABC01"}}
	body := `{"id":"X","curp":"TEST010101HDFABC01","nombre":null,"campo_nuevo":{"a":[1]}}`
	for _, contentType := range []string{"", "application/x-www-form-urlencoded", "text/plain", ";;;", "multipart/form-data", "application/json"} {
		// Neither the address nor a form must be able to name another institution.
		got := s.send("POST", "/activar-reporte?id_empresa=OTRA&activacion.curp=OTRA", body,
			"Authorization", goodToken, "Content-Type", contentType)
		if got.StatusCode != http.StatusOK || string(got.body) != `{"message":"ok"}` {
			t.Errorf("%q: %d %s", contentType, got.StatusCode, got.body)
			continue
		}
		if diff := cmp.Diff(want, <-bodies, protocmp.Transform()); diff != "" {
			t.Errorf("%q: %s", contentType, diff)
		}
	}
	if line := s.log.wait(t, "ignored_fields"); !strings.Contains(line, `"ignored_fields":["campo_nuevo"]`) {
		t.Errorf("got %s", line)
	}

	got := s.send("POST", "/i/%C3%91%26A010101AAA/activar-reporte", body, "Authorization", goodToken)
	if request := <-bodies; got.StatusCode != http.StatusOK || request.GetIdEmpresa() != "Ñ&A010101AAA" {
		t.Errorf("got %d, %v", got.StatusCode, request)
	}
}

func TestPlatform_refusals(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	for _, body := range []string{`[]`, `"x"`, `7`, `null`, ``, `{`, `{"curp":7}`, `{"id":"X","id":"Y"}`, "{\"id\":\"\xff\"}", `{"id":"X"}{}`} {
		got := s.send("POST", "/activar-reporte", body, "Authorization", goodToken)
		wantRefusal(t, got, http.StatusBadRequest, "json_invalido")
		members := mapOf(t, got.body)
		texts, ok := members["errores"].([]any)
		if !ok || len(texts) != 1 || len(members) != 4 || got.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %s", body, got.body)
		}
	}
	got := s.send("POST", "/activar-reporte", `{"curp":7}`, "Authorization", goodToken)
	if !strings.Contains(string(got.body), "'curp': ") {
		t.Errorf("the field is not named: %s", got.body)
	}
	got = s.send("POST", "/desactivar-reporte", `{}`)
	wantRefusal(t, got, http.StatusUnauthorized, "credencial_ausente")
	if got.field(t, "error") != "Token no proporcionado" || got.Header.Get("WWW-Authenticate") != `Bearer realm="enlace"` {
		t.Errorf("got %s %v", got.body, got.Header)
	}
}
