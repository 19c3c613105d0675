package edge

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

func pack(t testing.TB, text string) string {
	t.Helper()
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.WriteString(w, text)
	if err != nil {
		t.Fatal(err)
	}
	err = w.Close()
	if err != nil {
		t.Fatal(err)
	}
	return packed.String()
}

func unpack(t testing.TB, packed []byte) string {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// incompressible is text of n bytes that gzip can at best halve.
func incompressible(n int) string {
	random := make([]byte, n/2)
	_, _ = rand.NewChaCha8([32]byte{}).Read(random)
	return hex.EncodeToString(random)
}

func TestBody_contentType(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	for _, contentType := range []string{"application/json", "application/json; charset=utf-8", "application/json;charset=UTF-8",
		"Application/JSON", `application/json; charset="utf-8"`} {
		got := s.send("POST", "/cliente/registros", "[]", "X-API-Key", goodKey, "Content-Type", contentType)
		if got.StatusCode != 200 {
			t.Errorf("%q: %d %s", contentType, got.StatusCode, got.body)
		}
	}
	for _, contentType := range []string{"", "text/plain", "application/json; charset=latin1", "application/jsonx", "text/json",
		"application/x-www-form-urlencoded", "application/problem+json", ";", "application/json, text/plain"} {
		got := s.send("POST", "/cliente/registros", "[]", "X-API-Key", goodKey, "Content-Type", contentType)
		wantRefusal(t, got, http.StatusUnsupportedMediaType, "tipo_no_admitido")
	}
	got := s.send("POST", "/cliente/registros", "[]", "X-API-Key", goodKey, "Content-Type", "application/json", "Content-Type", "text/plain")
	wantRefusal(t, got, http.StatusUnsupportedMediaType, "tipo_no_admitido")
}

func TestBody_emptyIsNotJSON(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	for _, path := range []string{"/cliente/registros", "/cliente/registros/lote", "/cliente/registros/validar"} {
		wantRefusal(t, s.send("POST", path, "", "X-API-Key", goodKey), http.StatusBadRequest, "json_invalido")
		wantRefusal(t, s.post(path, "  "), http.StatusBadRequest, "json_invalido")
	}
	wantRefusal(t, s.send("POST", "/login", ""), http.StatusBadRequest, "json_invalido")
}

func TestBody_gzip(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	whole := pack(t, `[{"folio":"A"}]`)
	ends := len(whole)
	tests := []struct {
		name, body, encoding string
		status               int
		codigo               string
	}{
		{"plain", `[]`, "", 200, ""},
		{"identity", `[]`, "identity", 200, ""},
		{"gzip", whole, "gzip", 200, ""},
		{"other spelling", whole, "X-GZIP", 200, ""},
		{"two members", pack(t, `[{"folio":`) + pack(t, `"A"}]`), "gzip", 200, ""},
		{"5 MiB of like records", pack(t, "["+strings.Repeat(recordLikeText, 5000)+"{}]"), "gzip", 200, ""},
		{"not gzip", `[]`, "gzip", 400, "json_invalido"},
		{"cut", whole[:ends-10], "gzip", 400, "json_invalido"},
		{"wrong checksum", whole[:ends-8] + "12345678", "gzip", 400, "json_invalido"},
		{"broken in the middle", whole[:12] + "\xff\xff\xff\xff" + whole[16:], "gzip", 400, "json_invalido"},
		{"something after it", whole + "x", "gzip", 400, "json_invalido"},
		{"empty", "", "gzip", 400, "json_invalido"},
		{"packed twice", pack(t, whole), "gzip", 400, "json_invalido"},
		{"unknown", `[]`, "br", 415, "tipo_no_admitido"},
		{"two encodings", whole, "gzip, gzip", 415, "tipo_no_admitido"},
		{"bomb", pack(t, strings.Repeat(" ", 4<<20)+"[]"), "gzip", 413, "cuerpo_demasiado_grande"},
		{"many bombs", strings.Repeat(pack(t, strings.Repeat(" ", 1<<20)), 100), "gzip", 413, "cuerpo_demasiado_grande"},
		{"too large and unknown", strings.Repeat("x", tooLarge), "br", 413, "cuerpo_demasiado_grande"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := s.post("/cliente/registros/lote", tt.body, "Content-Encoding", tt.encoding)
			if got.StatusCode != tt.status {
				t.Fatalf("got %d %s, want %d", got.StatusCode, got.body, tt.status)
			}
			if tt.codigo != "" {
				wantRefusal(t, got, tt.status, tt.codigo)
			}
		})
	}
	got := s.post("/cliente/sandbox/ping", pack(t, `"`+incompressible(1<<20)+`"`), "Content-Encoding", "gzip")
	wantRefusal(t, got, 413, "cuerpo_demasiado_grande")
	got = s.send("POST", "/cliente/registros", "x", "X-API-Key", goodKey, "Content-Encoding", "gzip", "Content-Type", "text/plain")
	wantRefusal(t, got, 415, "tipo_no_admitido")
}

const recordLikeText = `{"folio":"LAB-0001","curp":"PEXA900115HDFRXN06","tipo_evento":"Toma de muestra","fecha_evento":"2026-03-14",` +
	`"descripcion_lugar_evento":"Sucursal Centro, planta baja","nombre":"NOMBRE","primer_apellido":"PRIMER APELLIDO",` +
	`"segundo_apellido":"SEGUNDO APELLIDO","fecha_nacimiento":"1990-01-15","domicilio":{"calle":"Avenida Insurgentes Sur"}},`

func TestBody_theLimitIsInclusive(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	body := "[]" + strings.Repeat(" ", 1<<20-2)
	if got := s.post("/cliente/sandbox/ping", body); got.StatusCode != 200 {
		t.Errorf("1 MiB: %d %s", got.StatusCode, got.body)
	}
	wantRefusal(t, s.post("/cliente/sandbox/ping", body+" "), 413, "cuerpo_demasiado_grande")
	wantRefusal(t, s.send("POST", "/login", body+" "), 413, "cuerpo_demasiado_grande")
	body = "[]" + strings.Repeat(" ", 16<<20-2)
	if got := s.post("/cliente/registros/lote", body); got.StatusCode != 200 {
		t.Errorf("16 MiB: %d %s", got.StatusCode, got.body)
	}
}

func TestBody_thatIsCutOrTooSlow(t *testing.T) {
	s := newStack(t, func(cfg *Config) { cfg.TimeoutClient = 100 * time.Millisecond })
	s.everyRPC()
	reader := s.raw("POST /cliente/registros HTTP/1.1\r\nHost: x\r\nX-API-Key: " + goodKey +
		"\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n[{")
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusRequestTimeout || !response.Close {
		t.Errorf("got %s, close %v", response.Status, response.Close)
	}
}

// TestBody_theDeadlineOfReadingEndsWithIt serves for longer than the body may take: the
// deadline must not reach into the call.
func TestBody_theDeadlineOfReadingEndsWithIt(t *testing.T) {
	s := newStack(t, func(cfg *Config) { cfg.TimeoutClient = time.Second })
	s.on(registrosv1.RegistroService_Ping_FullMethodName, func(c *call) error {
		select {
		case <-c.stream.Context().Done():
			return c.stream.Context().Err()
		case <-time.After(1500 * time.Millisecond):
			return c.stream.SendMsg(&registrosv1.PingResponse{})
		}
	})
	for _, body := range []string{"", "{}"} {
		if got := s.post("/cliente/sandbox/ping", body); got.StatusCode != 200 {
			t.Errorf("%q: %d %s", body, got.StatusCode, got.body)
		}
	}
}

func TestGzip_ofAnswers(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	tests := []struct {
		accept string
		packed bool
	}{
		{"", false},
		{"gzip", true},
		{"x-gzip", false},
		{"GZIP;q=0.5", true},
		{"br, gzip;q=1.0, *;q=0", true},
		{"*", false},
		{"*;q=0", false},
		{"gzip;q=0", false},
		{"gzip; q=0.0, *", false},
		{"br, deflate", false},
		{"identity", false},
		{"gzipped", false},
	}
	paths := []struct{ path, want string }{
		{"/cliente/casos", "[]"},
		{"/nada", ""},
		{"/", ""},
	}
	for _, tt := range tests {
		for _, each := range paths {
			got := s.get(each.path, "Accept-Encoding", tt.accept)
			encoding := got.Header.Get("Content-Encoding")
			if (encoding == "gzip") != tt.packed || got.Header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("%q %s: %v", tt.accept, each.path, got.Header)
				continue
			}
			text := string(got.body)
			if tt.packed {
				text = unpack(t, got.body)
			}
			if each.want != "" && text != each.want || !strings.HasPrefix(text, "{") && each.want == "" {
				t.Errorf("%q %s: %q", tt.accept, each.path, text)
			}
		}
	}
}

// Answers that nobody reads do not use up memory for compressing: the rest is packed without any.
func TestGzip_isBounded(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	for range maxCompressing {
		compressing <- struct{}{}
	}
	got := s.get("/cliente/casos", "Accept-Encoding", "gzip")
	for range maxCompressing {
		<-compressing
	}
	if unpack(t, got.body) != "[]" {
		t.Errorf("got %v %q", got.Header, got.body)
	}
	// Also those that are cut give back what they took.
	s.on(casosRPC, func(c *call) error {
		return errors.Join(c.stream.SendMsg(&registrosv1.ListCasosResponse{}), status.Error(codes.Internal, "x"))
	})
	for range 2 * maxCompressing {
		response := s.start("GET", "gzip")
		_, err := io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		if err == nil || response.Header.Get("Content-Encoding") != "gzip" {
			t.Fatalf("got %v, %v", response.Header, err)
		}
	}
	if len(compressing) > 0 {
		t.Errorf("%d writers were not given back", len(compressing))
	}
}
