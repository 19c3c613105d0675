package routes

import (
	"encoding/json"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/enlace-iis/enlace/proto/errores"
	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
	"github.com/enlace-iis/enlace/proto/jsonwire"
)

func TestWriteError_problem(t *testing.T) {
	refusal := NewError(errores.Validacion, "2 de 3 registros tienen errores; no se guardó ninguno.")
	refusal.Errores = []*erroresv1.ErrorDeCampo{
		{Indice: proto.Int32(1), Folio: proto.String("A-2"), Puntero: "/registros/1/curp", Codigo: "formato", Mensaje: "Diga \"hola\"."},
		{Puntero: "", Codigo: "sintaxis", Mensaje: "x", Byte: proto.Int64(0)},
	}
	rec := httptest.NewRecorder()
	WriteError(rec, "https://enlace.example/api", About{Instance: "/cliente/registros", RequestID: "r-1"}, refusal)

	want := `{"type":"https://enlace.example/api/errores/validacion","title":"El contenido no es válido","status":422,` +
		`"detail":"2 de 3 registros tienen errores; no se guardó ninguno.","instance":"/cliente/registros",` +
		`"codigo":"validacion","request_id":"r-1","errores":[` +
		`{"indice":1,"folio":"A-2","puntero":"/registros/1/curp","codigo":"formato","mensaje":"Diga \"hola\"."},` +
		`{"indice":null,"folio":null,"puntero":"","codigo":"sintaxis","mensaje":"x","byte":0}]}`
	if diff := cmp.Diff(want, rec.Body.String()); diff != "" {
		t.Error(diff)
	}
	if rec.Code != 422 || rec.Header().Get("Content-Type") != "application/problem+json" {
		t.Errorf("got %d %v", rec.Code, rec.Header())
	}
}

func TestWriteError_everyReasonHasEveryMember(t *testing.T) {
	for number := range erroresv1.Motivo_name {
		motivo := errores.Motivo(number)
		if motivo == erroresv1.Motivo_MOTIVO_UNSPECIFIED {
			continue
		}
		rec := httptest.NewRecorder()
		WriteError(rec, "http://localhost:8080", About{Instance: "/x", RequestID: "r", Challenge: "c"}, NewError(motivo, "detalle"))
		var got map[string]any
		err := json.Unmarshal(rec.Body.Bytes(), &got)
		if err != nil {
			t.Fatalf("%s: %v", motivo, err)
		}
		want := map[string]any{
			"type": "http://localhost:8080/errores/" + errores.Codigo(motivo), "title": errores.Titulo(motivo),
			"status": float64(errores.Status(motivo)), "detail": "detalle", "instance": "/x",
			"codigo": errores.Codigo(motivo), "request_id": "r", "errores": []any{},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(motivo, diff)
		}
	}
}

func TestWriteError_platform(t *testing.T) {
	refusal := NewError(errores.Validacion, "Datos inválidos")
	refusal.Errores = []*erroresv1.ErrorDeCampo{{Puntero: "/curp", Mensaje: "'curp' es obligatorio"}}
	rec := httptest.NewRecorder()
	WriteError(rec, "http://localhost:8080", About{Style: Platform, RequestID: "r-1"}, refusal)
	want := `{"error":"Datos inválidos","errores":["'curp' es obligatorio"],"codigo":"validacion","request_id":"r-1"}`
	if rec.Code != 400 || rec.Body.String() != want || rec.Header().Get("Content-Type") != "application/json" {
		t.Errorf("got %d %s", rec.Code, rec.Body)
	}

	rec = httptest.NewRecorder()
	problem := &jsonwire.Error{Codigo: "tipo", Mensaje: "Se esperaba un texto entre comillas.", Puntero: "/curp", Byte: 8}
	WriteError(rec, "http://localhost:8080", About{Style: Platform, RequestID: "r-1"}, FromError(problem))
	want = `{"error":"El cuerpo no es JSON o no tiene la forma documentada.",` +
		`"errores":["'curp': Se esperaba un texto entre comillas."],"codigo":"json_invalido","request_id":"r-1"}`
	if rec.Code != 400 || rec.Body.String() != want {
		t.Errorf("got %d %s", rec.Code, rec.Body)
	}
}

func TestWriteError_headers(t *testing.T) {
	tests := []struct {
		name    string
		refusal *Error
		want    map[string]string
	}{
		{"401", NewError(errores.CredencialInvalida, "x"), map[string]string{"WWW-Authenticate": `Bearer realm="enlace"`}},
		{"403", NewError(errores.SinPermiso, "x"), map[string]string{"WWW-Authenticate": "", "Retry-After": ""}},
		{"503", ErrUnavailable, map[string]string{"Retry-After": "1", "RateLimit": ""}},
		{"503 with a wait", &Error{Motivo: errores.NoDisponible, RetryAfter: 1500 * time.Millisecond}, map[string]string{"Retry-After": "2"}},
		{"429 of the edge", &Error{Motivo: errores.DemasiadasSolicitudes, RetryAfter: 20 * time.Millisecond,
			Quota: &Quota{Name: "ip", Limit: 50, Window: 10 * time.Second}},
			map[string]string{"Retry-After": "1", "RateLimit-Policy": `"ip";q=50;w=10`, "RateLimit": `"ip";r=0;t=1`}},
		{"429 of a service", &Error{Motivo: errores.DemasiadasSolicitudes, RetryAfter: 90 * time.Second},
			map[string]string{"Retry-After": "90", "RateLimit-Policy": `"credencial";q=1;w=90`, "RateLimit": `"credencial";r=0;t=90`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, style := range []Style{Problem, Platform} {
				rec := httptest.NewRecorder()
				about := About{Style: style, Challenge: `Bearer realm="enlace"`}
				WriteError(rec, "http://localhost:8080", about, tt.refusal)
				for name, want := range tt.want {
					if got := rec.Header().Get(name); got != want {
						t.Errorf("%v, %s: got %q, want %q", style, name, got, want)
					}
				}
			}
		})
	}
}
