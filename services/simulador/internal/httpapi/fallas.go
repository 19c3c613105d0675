package httpapi

import (
	"net/http"

	"github.com/enlace-iis/enlace/services/simulador/internal/plataforma"
)

func (a *api) fail(w http.ResponseWriter, r *http.Request) {
	var falla plataforma.Falla
	if !a.readJSON(w, r, &falla) {
		return
	}
	activa, err := a.plataforma.Fail(falla)
	if err != nil {
		a.refuseWith(w, err)
		return
	}
	a.write(w, http.StatusCreated, activa)
}

func (a *api) listFallas(w http.ResponseWriter, _ *http.Request) {
	a.write(w, http.StatusOK, a.plataforma.Fallas())
}

func (a *api) clearFallas(w http.ResponseWriter, _ *http.Request) {
	a.plataforma.ClearFallas()
	w.WriteHeader(http.StatusNoContent)
}

// setCriterio says how the platform reads what the manual leaves open.
func (a *api) setCriterio(w http.ResponseWriter, r *http.Request) {
	var criterio plataforma.Criterio
	if !a.readJSON(w, r, &criterio) {
		return
	}
	err := a.plataforma.SetCriterio(criterio)
	if err != nil {
		a.refuseWith(w, err)
		return
	}
	a.write(w, http.StatusOK, criterio)
}
