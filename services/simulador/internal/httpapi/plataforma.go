package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/enlace-iis/enlace/services/simulador/internal/plataforma"
)

// receive serves one of the platform's own routes.
func (a *api) receive(ruta plataforma.Ruta) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		cuerpo, ok := a.readAll(w, r)
		if !ok {
			return
		}
		respuesta, err := a.plataforma.Receive(plataforma.Peticion{
			Ruta:        ruta,
			Token:       bearer(r),
			ContentType: r.Header.Get("Content-Type"),
			Cuerpo:      cuerpo,
		})
		if err != nil {
			a.log.Error("request failed", "ruta", ruta, "error", err)
			a.refuse(w, http.StatusInternalServerError, "Error interno del simulador")
			return
		}
		a.log.Info("request received", "ruta", ruta, "institucion_id", respuesta.InstitucionID,
			"n", respuesta.N, "status", respuesta.Status, "wait", respuesta.Espera, "cut", respuesta.Corte)
		a.answer(w, r, respuesta)
	}
}

// answer sends what the platform decided, or drops the connection: as a fault,
// or because the wait outlived the client or the server.
func (a *api) answer(w http.ResponseWriter, r *http.Request, respuesta plataforma.Respuesta) {
	if !wait(r.Context(), respuesta.Espera) || respuesta.Corte && !respuesta.AMedias {
		panic(http.ErrAbortHandler)
	}
	if respuesta.RetryAfterS > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(respuesta.RetryAfterS))
	}
	// Noted before the first byte, so that whoever has the answer finds it noted.
	a.plataforma.Answered(respuesta)
	if respuesta.AMedias {
		w.Header().Set("Content-Length", strconv.Itoa(len(respuesta.Cuerpo)))
		writeBytes(w, respuesta.Status, respuesta.Cuerpo[:len(respuesta.Cuerpo)/2])
		// What is written is sent; whoever is gone needs nothing.
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	writeBytes(w, respuesta.Status, respuesta.Cuerpo)
}

// wait lets d pass; false when the context ended first.
func wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// bearer is the token of the Authorization header, empty without one. The
// scheme's name knows no case (RFC 9110).
func bearer(r *http.Request) string {
	esquema, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(esquema, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
