package httpapi

import (
	"context"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/enlace-iis/enlace/services/simulador/internal/plataforma"
)

// maxPoll is the longest that one long poll may ask for.
const maxPoll = time.Hour

// consulta is the query of GET /control/recibidos.
type consulta struct {
	filtro plataforma.Filtro
	espera time.Duration
}

func (a *api) listRecibidos(w http.ResponseWriter, r *http.Request) {
	q, err := parseConsulta(r.URL.Query())
	if err != nil {
		a.refuseWith(w, err)
		return
	}
	// Without a wait the context ends at once, and only what is there is answered.
	ctx, cancel := context.WithTimeout(r.Context(), q.espera)
	defer cancel()
	a.write(w, http.StatusOK, a.plataforma.Recibidos(ctx, q.filtro))
}

func (a *api) clearRecibidos(w http.ResponseWriter, _ *http.Request) {
	a.plataforma.ClearRecibidos()
	w.WriteHeader(http.StatusNoContent)
}

func parseConsulta(valores url.Values) (consulta, error) {
	var q consulta
	var errores plataforma.Errores
	for _, nombre := range slices.Sorted(maps.Keys(valores)) {
		err := q.set(nombre, valores.Get(nombre))
		if err != nil {
			errores = append(errores, err.Error())
		}
	}
	if len(errores) > 0 {
		return consulta{}, errores
	}
	return q, nil
}

// set reads one parameter. An empty value counts as absent.
func (q *consulta) set(nombre, valor string) error {
	var err error
	switch nombre {
	case "institucion_id":
		q.filtro.InstitucionID = valor
	case "ruta":
		if valor != "" {
			q.filtro.Ruta, err = plataforma.ParseRuta(valor)
		}
	case "desde":
		q.filtro.Desde, err = parseCount(nombre, valor, math.MaxInt64)
	case "espera_ms":
		var ms int64
		ms, err = parseCount(nombre, valor, maxPoll.Milliseconds())
		q.espera = time.Duration(ms) * time.Millisecond
	default:
		err = fmt.Errorf("'%s' no es un parámetro conocido", nombre)
	}
	return err
}

func parseCount(nombre, valor string, maximo int64) (int64, error) {
	if valor == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(valor, 10, 64)
	if err != nil || n < 0 || n > maximo {
		return 0, fmt.Errorf("'%s' debe ser un entero entre 0 y %d", nombre, maximo)
	}
	return n, nil
}
