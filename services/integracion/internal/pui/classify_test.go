package pui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/enlace-iis/enlace/services/internal/envio"
)

func TestClassify(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	timeout := &url.Error{Op: "Post", URL: "https://pui.example.mx", Err: context.DeadlineExceeded}
	broken := &url.Error{Op: "Post", URL: "https://pui.example.mx", Err: io.EOF}
	cut := &url.Error{Op: "Post", URL: "https://pui.example.mx", Err: context.Canceled}
	aceptado, rechazado, masTarde := envio.Aceptado, envio.Rechazado, envio.MasTarde
	tests := []struct {
		name    string
		r       respuesta
		clase   envio.Resultado
		motivo  string
		falla   bool
		retry   time.Duration
		detalle string // contained
	}{
		{"200", respuesta{status: 200, body: []byte(`{"message":"ok"}`)}, aceptado, motivoAceptado, false, 0, ""},
		{"200 without a readable body", respuesta{status: 200, body: []byte(`{"mess`)}, aceptado, motivoAceptado, false, 0, ""},
		{"200 with a Retry-After", respuesta{status: 200, retryAfter: "5"}, aceptado, motivoAceptado, false, 0, ""},
		{"201", respuesta{status: 201}, aceptado, motivoAceptado, false, 0, ""},
		{"204", respuesta{status: 204}, aceptado, motivoAceptado, false, 0, ""},
		{"300", respuesta{status: 300}, aceptado, motivoMultiples, false, 0, ""},
		{"301", respuesta{status: 301}, masTarde, motivoDireccion, true, 0, "dirección"},
		{"307", respuesta{status: 307}, masTarde, motivoDireccion, true, 0, "dirección"},
		{"400 with errores", respuesta{status: 400, body: []byte(`{"errores":["'a' es obligatorio","'b' no"]}`)}, rechazado, motivoRechazado, false, 0, "'a' es obligatorio; 'b' no"},
		{"400 with error", respuesta{status: 400, body: []byte(`{"error":"Error al guardar el registro."}`)}, rechazado, motivoRechazado, false, 0, "Error al guardar el registro."},
		{"400 without a body", respuesta{status: 400}, rechazado, motivoRechazado, false, 0, "sin dar motivo"},
		{"400 with another shape", respuesta{status: 400, body: []byte(`{"errores":"uno"}`)}, rechazado, motivoRechazado, false, 0, "sin dar motivo"},
		{"401", respuesta{status: 401}, masTarde, motivoCredencial, true, 0, "clave"},
		{"403", respuesta{status: 403}, masTarde, motivoCredencial, true, 0, "clave"},
		{"404", respuesta{status: 404}, masTarde, motivoDireccion, true, 0, "dirección"},
		{"405", respuesta{status: 405}, masTarde, motivoDireccion, true, 0, "dirección"},
		{"408", respuesta{status: 408}, masTarde, motivoServidor, true, 0, "disponible"},
		{"422", respuesta{status: 422}, rechazado, motivoRechazado, false, 0, ""},
		{"429", respuesta{status: 429}, masTarde, motivoLimite, true, 0, "despacio"},
		{"429 with seconds", respuesta{status: 429, retryAfter: "120"}, masTarde, motivoLimite, true, 2 * time.Minute, ""},
		{"429 with a date", respuesta{status: 429, retryAfter: "Sat, 21 Nov 2026 12:10:00 GMT"}, masTarde, motivoLimite, true, 10 * time.Minute, ""},
		{"429 with a past date", respuesta{status: 429, retryAfter: "Sat, 21 Nov 2026 11:10:00 GMT"}, masTarde, motivoLimite, true, 0, ""},
		{"429 with nonsense", respuesta{status: 429, retryAfter: "soon"}, masTarde, motivoLimite, true, 0, ""},
		{"429 with a negative number", respuesta{status: 429, retryAfter: "-5"}, masTarde, motivoLimite, true, 0, ""},
		{"429 with a huge number", respuesta{status: 429, retryAfter: "99999999999"}, masTarde, motivoLimite, true, 24 * time.Hour, ""},
		{"500", respuesta{status: 500}, masTarde, motivoServidor, true, 0, "disponible"},
		{"503 with seconds", respuesta{status: 503, retryAfter: "7"}, masTarde, motivoServidor, true, 7 * time.Second, ""},
		{"504", respuesta{status: 504}, masTarde, motivoServidor, true, 0, "disponible"},
		{"599", respuesta{status: 599}, masTarde, motivoServidor, true, 0, "disponible"},
		{"timeout", respuesta{err: fmt.Errorf("call: %w", timeout)}, masTarde, motivoTiempo, true, 0, "disponible"},
		{"connection broke", respuesta{err: fmt.Errorf("call: %w", broken)}, masTarde, motivoRed, true, 0, "disponible"},
		{"no answer to a login", respuesta{err: errors.New("read login")}, masTarde, motivoRed, true, 0, "disponible"},
		{"cut by us", respuesta{err: fmt.Errorf("call: %w", cut)}, masTarde, motivoInterno, false, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := classify(tt.r, now)
			if d.Resultado != tt.clase || d.Motivo != tt.motivo || d.Falla != tt.falla || d.RetryAfter != tt.retry || d.Status != tt.r.status {
				t.Errorf("outcome %+v", d)
			}
			if !strings.Contains(d.Detalle, tt.detalle) || (d.Resultado == aceptado) != (d.Detalle == "") {
				t.Errorf("detalle %q", d.Detalle)
			}
		})
	}
}

func TestErroresOf_isFitToBeStored(t *testing.T) {
	body := `{"errores":["a\u0000b\n` + strings.Repeat("ñ", 2000) + `"]}`
	got := erroresOf([]byte(body))
	if utf8.RuneCountInString(got) != maxDetalle || strings.ContainsAny(got, "\x00\n") || !utf8.ValidString(got) {
		t.Errorf("%d characters: %q", utf8.RuneCountInString(got), got[:20])
	}
}
