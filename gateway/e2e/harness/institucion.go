package harness

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

// Institucion is an institution of one test, known to Enlace and to the platform.
type Institucion struct {
	ID         string
	ApiKey     string
	Clave      string // what the platform uses towards us
	BaseURL    string // of Enlace; the platform's is Plataforma.URL
	Plataforma *simuladortest.Simulador
}

// Salida is the clave of every new institution towards the platform.
const Salida = "salida-de-pruebas"

var instituciones atomic.Int32

// NewInstitucion makes an institution as an operator would: created, connected with the
// platform in both directions, and with a key.
func (s *System) NewInstitucion(tb testing.TB) *Institucion {
	tb.Helper()
	addresses := s.Addresses()
	n := instituciones.Add(1)
	i := &Institucion{
		ID:         fmt.Sprintf("LAB0101%02d%03d", 1+n/1000, n%1000),
		BaseURL:    addresses.BaseURL,
		Plataforma: simuladortest.At(tb, addresses.SimuladorURL),
	}
	s.Operate(tb, "", nil, "empresas", "crear", "--id", i.ID, "--nombre", "Laboratorio de pruebas")
	s.Operate(tb, Salida, nil, "claves", "salida", "--id-empresa", i.ID, "--url", addresses.SimuladorURL, "--clave-stdin")
	var entrada struct{ Clave string }
	s.Operate(tb, "", &entrada, "claves", "entrada", "--id-empresa", i.ID)
	var key struct {
		ApiKey string `json:"api_key"`
	}
	s.Operate(tb, "", &key, "api-keys", "emitir", "--id-empresa", i.ID, "--nombre", "pruebas", "--ambitos", "cliente,eventos")
	i.Clave, i.ApiKey = entrada.Clave, key.ApiKey
	i.Plataforma.Register(simuladortest.Institucion{
		ID: i.ID, Clave: Salida, URLBase: addresses.BaseURL + "/i/" + i.ID, ClaveInstitucion: i.Clave,
	})
	return i
}

// Get calls a route with the institution's key.
func (i *Institucion) Get(tb testing.TB, path string) Answer {
	tb.Helper()
	return Call(tb, http.MethodGet, i.BaseURL+path, http.Header{"X-Api-Key": {i.ApiKey}}, nil)
}

// Post calls a route with the institution's key.
func (i *Institucion) Post(tb testing.TB, path string, body any) Answer {
	tb.Helper()
	return Call(tb, http.MethodPost, i.BaseURL+path, http.Header{"X-Api-Key": {i.ApiKey}}, body)
}

// Activate has the platform send a report, which must be taken.
func (i *Institucion) Activate(tb testing.TB, reporte map[string]any) {
	tb.Helper()
	llamada := i.Plataforma.Activate(i.ID, reporte)
	if llamada.Status != http.StatusOK {
		tb.Fatalf("activation answered %d: %s", llamada.Status, llamada.Cuerpo)
	}
}

// Deactivate has the platform end a report, which must be taken.
func (i *Institucion) Deactivate(tb testing.TB, reporteID string) {
	tb.Helper()
	llamada := i.Plataforma.Deactivate(i.ID, reporteID)
	if llamada.Status != http.StatusOK {
		tb.Fatalf("deactivation answered %d: %s", llamada.Status, llamada.Cuerpo)
	}
}

// Caso is a row of /cliente/casos.
type Caso struct {
	ID            string
	ReporteID     string `json:"reporte_id"`
	Estado        string
	Coincidencias int
	FinalizadaEn  *string `json:"busqueda_finalizada_en"`
	CerradoEn     *string `json:"cerrado_en"`
}

// Coincidencia is a row of /cliente/coincidencias.
type Coincidencia struct {
	ID           string
	ReporteID    string `json:"reporte_id"`
	Folio        string
	Fase         string `json:"fase_busqueda"`
	Estado       string
	TipoEvento   *string `json:"tipo_evento"`
	NotificadaEn *string `json:"notificada_en"`
	Detalle      *string
}

// Aviso is a row of /cliente/reportes.
type Aviso struct {
	ID        string
	ReporteID string `json:"reporte_id"`
	Tipo      string
	Curp      *string
}

// Casos reads /cliente/casos.
func (i *Institucion) Casos(tb testing.TB) []Caso {
	tb.Helper()
	var all []Caso
	i.Get(tb, "/cliente/casos").Want(tb, http.StatusOK).Into(tb, &all)
	return all
}

// Coincidencias reads /cliente/coincidencias.
func (i *Institucion) Coincidencias(tb testing.TB) []Coincidencia {
	tb.Helper()
	var all []Coincidencia
	i.Get(tb, "/cliente/coincidencias").Want(tb, http.StatusOK).Into(tb, &all)
	return all
}

// Avisos reads /cliente/reportes.
func (i *Institucion) Avisos(tb testing.TB) []Aviso {
	tb.Helper()
	var all []Aviso
	i.Get(tb, "/cliente/reportes").Want(tb, http.StatusOK).Into(tb, &all)
	return all
}
