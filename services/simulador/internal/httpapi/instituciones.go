package httpapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/enlace-iis/enlace/services/simulador/internal/plataforma"
	"github.com/enlace-iis/enlace/services/simulador/internal/webhook"
)

func (a *api) listInstituciones(w http.ResponseWriter, _ *http.Request) {
	a.write(w, http.StatusOK, a.plataforma.Instituciones())
}

func (a *api) registerInstitucion(w http.ResponseWriter, r *http.Request) {
	var alta struct {
		Clave            string `json:"clave"`
		URLBase          string `json:"url_base"`
		ClaveInstitucion string `json:"clave_institucion"`
		ConEstados       bool   `json:"con_estados"`
	}
	if !a.readJSON(w, r, &alta) {
		return
	}
	resumen, err := a.plataforma.Register(plataforma.Institucion{
		ID:               r.PathValue("institucion_id"),
		Clave:            alta.Clave,
		URLBase:          alta.URLBase,
		ClaveInstitucion: alta.ClaveInstitucion,
		ConEstados:       alta.ConEstados,
	})
	if err != nil {
		a.refuseWith(w, err)
		return
	}
	a.write(w, http.StatusOK, resumen)
}

func (a *api) setReportes(w http.ResponseWriter, r *http.Request) {
	var lista jsontext.Value
	if !a.readJSON(w, r, &lista) {
		return
	}
	err := a.plataforma.SetReportes(r.PathValue("institucion_id"), lista)
	if err != nil {
		a.refuseWith(w, err)
		return
	}
	a.write(w, http.StatusOK, lista)
}

func (a *api) activate(w http.ResponseWriter, r *http.Request) {
	a.call(w, r, webhook.RutaActivarReporte, a.plataforma.AddReporte)
}

func (a *api) activateTest(w http.ResponseWriter, r *http.Request) {
	a.call(w, r, webhook.RutaActivarReportePrueba, nil)
}

func (a *api) deactivate(w http.ResponseWriter, r *http.Request) {
	a.call(w, r, webhook.RutaDesactivarReporte, a.plataforma.RemoveReporte)
}

// call passes the body on to the institution, tells how it answered, and when it
// accepted lets keep change the institution's active reports.
func (a *api) call(w http.ResponseWriter, r *http.Request, ruta webhook.Ruta, keep func(id string, cuerpo []byte) error) {
	cuerpo, ok := a.readAll(w, r)
	if !ok {
		return
	}
	institucion, err := a.plataforma.Institucion(r.PathValue("institucion_id"))
	if err != nil {
		a.refuseWith(w, err)
		return
	}
	if institucion.URLBase == "" {
		a.refuse(w, http.StatusConflict, "La institución se registró sin 'url_base'")
		return
	}
	llamada, err := a.webhook.Call(r.Context(), institucion, ruta, cuerpo)
	if err != nil {
		a.refuseCall(w, institucion.ID, err)
		return
	}
	if keep != nil && llamada.Ruta == ruta && llamada.Status == http.StatusOK {
		err = keep(institucion.ID, cuerpo)
		if err != nil {
			// The institution took what no platform would send. Its answer is still
			// what was asked for; only /reportes does not change.
			a.log.Warn("accepted body changes no report", "institucion_id", institucion.ID, "ruta", ruta, "error", err)
		}
	}
	a.write(w, http.StatusOK, llamada)
}

func (a *api) refuseCall(w http.ResponseWriter, institucionID string, err error) {
	a.log.Warn("institution gave no answer", "institucion_id", institucionID, "error", err)
	if errors.Is(err, context.DeadlineExceeded) {
		a.refuse(w, http.StatusGatewayTimeout, "La institución no respondió a tiempo")
		return
	}
	a.refuse(w, http.StatusBadGateway, "No hubo respuesta de la institución", err.Error())
}
