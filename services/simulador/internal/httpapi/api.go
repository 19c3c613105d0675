// Package httpapi is the simulator's HTTP: the platform's four routes at the
// root, which institutions call, and the control routes under /control, with
// which a person or a test drives the platform. It decides nothing: what is
// valid, what is answered and what is kept is plataforma's.
//
// The control routes have no credential. Whoever can reach the simulator can
// drive it; keep it off public networks.
package httpapi

import (
	"log/slog"
	"net/http"

	"github.com/enlace-iis/enlace/services/simulador/internal/plataforma"
	"github.com/enlace-iis/enlace/services/simulador/internal/webhook"
)

// api holds what the handlers share.
type api struct {
	plataforma *plataforma.Plataforma
	webhook    *webhook.Client
	log        *slog.Logger
}

// New returns the handler of all routes. Waiting requests (long polls, slow
// answers) end with the request's context, so the server's base context is what
// ends them at a stop.
func New(p *plataforma.Plataforma, w *webhook.Client, log *slog.Logger) http.Handler {
	a := &api{plataforma: p, webhook: w, log: log}
	mux := http.NewServeMux()

	mux.HandleFunc("POST /login", a.receive(plataforma.RutaLogin))
	mux.HandleFunc("POST /notificar-coincidencia", a.receive(plataforma.RutaNotificarCoincidencia))
	mux.HandleFunc("POST /busqueda-finalizada", a.receive(plataforma.RutaBusquedaFinalizada))
	mux.HandleFunc("GET /reportes", a.receive(plataforma.RutaReportes))

	mux.HandleFunc("GET /control/salud", a.salud)
	mux.HandleFunc("GET /control/instituciones", a.listInstituciones)
	mux.HandleFunc("PUT /control/instituciones/{institucion_id}", a.registerInstitucion)
	mux.HandleFunc("PUT /control/instituciones/{institucion_id}/reportes", a.setReportes)
	mux.HandleFunc("POST /control/instituciones/{institucion_id}/activar", a.activate)
	mux.HandleFunc("POST /control/instituciones/{institucion_id}/activar-prueba", a.activateTest)
	mux.HandleFunc("POST /control/instituciones/{institucion_id}/desactivar", a.deactivate)
	mux.HandleFunc("GET /control/recibidos", a.listRecibidos)
	mux.HandleFunc("DELETE /control/recibidos", a.clearRecibidos)
	mux.HandleFunc("POST /control/fallas", a.fail)
	mux.HandleFunc("GET /control/fallas", a.listFallas)
	mux.HandleFunc("DELETE /control/fallas", a.clearFallas)
	mux.HandleFunc("PUT /control/criterio", a.setCriterio)
	return mux
}

func (a *api) salud(w http.ResponseWriter, _ *http.Request) {
	a.write(w, http.StatusOK, map[string]string{"estado": "ok"})
}
