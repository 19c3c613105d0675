package harness

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
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

// NewInstitucion makes an institution as an operator would: created without an initial load,
// connected with the platform in both directions, and with a key.
func (s *System) NewInstitucion(tb testing.TB) *Institucion {
	tb.Helper()
	return s.newInstitucion(tb, true)
}

// NewCargando makes one whose initial load is not finished.
func (s *System) NewCargando(tb testing.TB) *Institucion {
	tb.Helper()
	return s.newInstitucion(tb, false)
}

func (s *System) newInstitucion(tb testing.TB, sinCarga bool) *Institucion {
	tb.Helper()
	addresses := s.Addresses()
	n := instituciones.Add(1)
	i := &Institucion{
		ID:         fmt.Sprintf("LAB0101%02d%03d", 1+n/1000, n%1000),
		BaseURL:    addresses.BaseURL,
		Plataforma: simuladortest.At(tb, addresses.SimuladorURL),
	}
	i.Clave = s.createEmpresa(tb, i.ID, sinCarga)
	s.ConnectSalida(tb, i.ID, addresses.SimuladorURL)
	i.ApiKey = s.IssueApiKey(tb, &integracionv1.IssueApiKeyRequest{IdEmpresa: i.ID, Nombre: "pruebas", Ambitos: []string{"cliente", "eventos"}}).GetApiKey()
	i.Plataforma.Register(simuladortest.Institucion{
		ID: i.ID, Clave: Salida, URLBase: addresses.BaseURL + "/i/" + i.ID, ClaveInstitucion: i.Clave,
	})
	return i
}

// createEmpresa gives the clave with which the platform comes in.
func (s *System) createEmpresa(tb testing.TB, id string, sinCarga bool) string {
	tb.Helper()
	made, err := integracionv1.NewEmpresaServiceClient(s.Operador(tb)).CreateEmpresas(tb.Context(), &integracionv1.CreateEmpresasRequest{
		Empresas: []*integracionv1.NuevaEmpresa{{IdEmpresa: id, Nombre: "Laboratorio de pruebas", SinCarga: sinCarga}},
	})
	if err != nil {
		tb.Fatal(err)
	}
	if sinCarga {
		s.awaitCarga(tb, id)
	}
	return made.GetEmpresas()[0].GetClave()
}

// awaitCarga waits until registros knows that there is no initial load, which it learns by a job.
// It asks the database: requests count towards limits, and a schema from before has no loads.
func (s *System) awaitCarga(tb testing.TB, id string) {
	tb.Helper()
	conn, err := pgx.Connect(tb.Context(), s.OwnerURL(stack.Registros))
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(tb.Context())) }() // it only read
	_, err = conn.Exec(tb.Context(), `SET enlace.alcance = 'todas'`)
	if err != nil {
		tb.Fatal(err)
	}
	Eventually(tb, "the end of the load of an institution that has none", func() bool {
		var loaded bool
		err := conn.QueryRow(tb.Context(), `SELECT EXISTS (SELECT FROM cargas WHERE empresa_id = $1)`, id).Scan(&loaded)
		refused, _ := errors.AsType[*pgconn.PgError](err)
		return loaded || refused != nil && refused.Code == "42P01" // undefined table
	})
}

// ConnectSalida says where the platform of an institution is.
func (s *System) ConnectSalida(tb testing.TB, id, url string) {
	tb.Helper()
	_, err := integracionv1.NewEmpresaServiceClient(s.Operador(tb)).SetClaveSalida(tb.Context(), &integracionv1.SetClaveSalidaRequest{
		IdEmpresa: id, Salida: &integracionv1.Salida{Url: url, Clave: Salida},
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// IssueApiKey makes a key.
func (s *System) IssueApiKey(tb testing.TB, asked *integracionv1.IssueApiKeyRequest) *integracionv1.IssueApiKeyResponse {
	tb.Helper()
	made, err := integracionv1.NewApiKeyServiceClient(s.Operador(tb)).IssueApiKey(tb.Context(), asked)
	if err != nil {
		tb.Fatal(err)
	}
	return made
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
	mustTake(tb, func() simuladortest.Llamada { return i.Plataforma.Activate(i.ID, reporte) })
}

// Deactivate has the platform end a report, which must be taken.
func (i *Institucion) Deactivate(tb testing.TB, reporteID string) {
	tb.Helper()
	mustTake(tb, func() simuladortest.Llamada { return i.Plataforma.Deactivate(i.ID, reporteID) })
}

// mustTake has the platform tell something, and again while it is not answered in time, as the
// platform would: on a machine that does much else, no test is about how long that took.
func mustTake(tb testing.TB, tell func() simuladortest.Llamada) {
	tb.Helper()
	llamada := tell()
	for llamada.Status == http.StatusGatewayTimeout && tb.Context().Err() == nil {
		llamada = tell()
	}
	if llamada.Status != http.StatusOK {
		tb.Fatalf("the platform was answered %d: %s", llamada.Status, llamada.Cuerpo)
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
