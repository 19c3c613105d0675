package goclient_test

import (
	"context"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"

	openapi "github.com/oapi-codegen/runtime/types"

	"github.com/enlace-iis/enlace/gateway/e2e/clients/testdata/goclient"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// incompleta is a CURP without its last digit.
const incompleta = "PEXA900115HDFRXN0"

// system is what all tests run against.
var system *harness.System

func TestMain(m *testing.M) {
	os.Exit(harness.Main(m, nil, func(s *harness.System) { system = s }))
}

func TestGo_ping(t *testing.T) {
	t.Parallel()
	i := system.NewInstitucion(t)

	answer, err := client(t, i, i.ApiKey).PingWithResponse(t.Context(), goclient.PingRequest{})
	check(t, err)

	pong := got(t, answer, answer.JSON200)
	if pong.Mensaje != goclient.PingResultadoMensajePong || pong.IDEmpresa != i.ID || pong.Ambiente == "" || pong.Fecha.IsZero() {
		t.Errorf("answer = %+v, want a pong of %s", pong, i.ID)
	}
}

func TestGo_validate(t *testing.T) {
	t.Parallel()
	i := system.NewInstitucion(t)
	var body goclient.ValidateRegistrosCuerpo
	check(t, body.FromValidateRegistrosRequest(goclient.ValidateRegistrosRequest{Registros: []goclient.Registro{
		registro("A-1", harness.CurpUno, -1), registro("A-2", incompleta, -1),
	}}))

	answer, err := client(t, i, i.ApiKey).ValidateRegistrosWithResponse(t.Context(), body)
	check(t, err)

	verdict := got(t, answer, answer.JSON200)
	if verdict.Total != 2 || verdict.Validos != 1 || verdict.Invalidos != 1 {
		t.Errorf("verdict = %+v, want 1 of 2 right", verdict)
	}
	wantCurpRefused(t, verdict.Observaciones, 1, "A-2")
}

func TestGo_saveOne(t *testing.T) {
	t.Parallel()
	i := system.NewInstitucion(t)
	save := func() *goclient.SaveRegistrosResponse {
		answer, err := client(t, i, i.ApiKey).SaveRegistrosWithResponse(t.Context(), single(t, registro("A-1", harness.CurpUno, -1)))
		check(t, err)
		return answer
	}

	first := save()
	created := got(t, first, first.JSON201)
	if created.Creados != 1 || len(created.Registros) != 1 || created.Registros[0].Folio != "A-1" ||
		created.Registros[0].Resultado != goclient.ResultadoRegistroResultadoCreado {
		t.Errorf("first answer = %+v, want A-1 created", created)
	}
	second := save()
	again := got(t, second, second.JSON200)
	if again.SinCambios != 1 || again.Registros[0].ID != created.Registros[0].ID ||
		again.Registros[0].Resultado != goclient.ResultadoRegistroResultadoSinCambios {
		t.Errorf("second answer = %+v, want A-1 unchanged under its id", again)
	}
}

func TestGo_saveBatch(t *testing.T) {
	t.Parallel()
	i := system.NewInstitucion(t)
	save := func(registros ...goclient.Registro) *goclient.SaveLoteResultado {
		var body goclient.SaveLoteCuerpo
		check(t, body.FromSaveLoteArreglo(registros))
		answer, err := client(t, i, i.ApiKey).SaveLoteWithResponse(t.Context(), body)
		check(t, err)
		return got(t, answer, answer.JSON200)
	}
	save(registro("A-1", harness.CurpUno, -3))

	changed := registro("A-1", harness.CurpUno, -3)
	changed.Domicilio = &goclient.Direccion{CodigoPostal: new("06000")}
	changed.SexoAsignado = new(goclient.RegistroSexoAsignadoH)
	lote := save(changed, registro("A-2", harness.CurpDos, -2), registro("A-3", incompleta, -1))

	if lote.Total != 3 || lote.Creados != 1 || lote.Actualizados != 1 || lote.SinCambios != 0 || lote.Rechazados != 1 {
		t.Errorf("lote = %+v, want one created, one updated and one refused", lote)
	}
	wantCurpRefused(t, lote.Observaciones, 2, "A-3")
}

// TestGo_problems holds that a client reads an error as the value which the document promises
// for its status.
func TestGo_problems(t *testing.T) {
	t.Parallel()
	i := system.NewInstitucion(t)

	unknown, err := client(t, i, "iis_development_desconocida_x").PingWithResponse(t.Context(), goclient.PingRequest{})
	check(t, err)
	problem := got(t, unknown, unknown.ApplicationProblemJSON401)
	if problem.Status != http.StatusUnauthorized || problem.Codigo != goclient.ProblemaCodigoCredencialInvalida || problem.RequestID == "" {
		t.Errorf("problem = %+v, want credencial_invalida with a request id", problem)
	}

	refused, err := client(t, i, i.ApiKey).SaveRegistrosWithResponse(t.Context(), single(t, registro("A-1", incompleta, -1)))
	check(t, err)
	problem = got(t, refused, refused.ApplicationProblemJSON422)
	if problem.Codigo != goclient.ProblemaCodigoValidacion || len(problem.Errores) != 1 {
		t.Fatalf("problem = %+v, want validacion of one place", problem)
	}
	place := problem.Errores[0]
	if place.Puntero != "/registros/0/curp" || place.Codigo != "formato" || *place.Indice != 0 || *place.Folio != "A-1" || place.Byte != nil {
		t.Errorf("place = %+v, want the curp of A-1", place)
	}
}

func TestGo_aReportThatMatches(t *testing.T) {
	t.Parallel()
	i := system.NewInstitucion(t)
	enlace := client(t, i, i.ApiKey)
	saved, err := enlace.SaveRegistrosWithResponse(t.Context(), single(t, registro("A-1", harness.CurpUno, -1)))
	check(t, err)
	got(t, saved, saved.JSON201)
	id := harness.ReporteID(1)
	i.Activate(t, map[string]any{"id": id, "curp": harness.CurpUno, "fecha_desaparicion": harness.Day(-10)})

	var coincidencias []goclient.Coincidencia
	harness.Eventually(t, "the notification of both phases", func() bool {
		answer, err := enlace.ListCoincidenciasWithResponse(t.Context(), nil)
		check(t, err)
		coincidencias = *got(t, answer, answer.JSON200)
		return len(coincidencias) == 2 && !slices.ContainsFunc(coincidencias, func(c goclient.Coincidencia) bool {
			return c.Estado != goclient.CoincidenciaEstadoNotificada || c.NotificadaEn == nil
		})
	})
	var caso goclient.Caso
	harness.Eventually(t, "the end of the search", func() bool {
		answer, err := enlace.ListCasosWithResponse(t.Context(), nil)
		check(t, err)
		casos := *got(t, answer, answer.JSON200)
		if len(casos) != 1 {
			t.Fatalf("casos = %+v, want one", casos)
		}
		caso = casos[0]
		return caso.BusquedaFinalizadaEn != nil
	})
	answer, err := enlace.ListAvisosWithResponse(t.Context(), nil)
	check(t, err)
	avisos := *got(t, answer, answer.JSON200)

	if caso.ReporteID != id || caso.Estado != goclient.CasoEstadoMonitoreo || caso.Coincidencias != 2 || caso.CerradoEn != nil ||
		caso.FechaDesaparicion.String() != harness.Day(-10) {
		t.Errorf("caso = %+v", caso)
	}
	second := coincidencias[0]
	if second.CasoID != caso.ID || second.Folio != "A-1" || second.FaseBusqueda != goclient.CoincidenciaFaseBusquedaN2 ||
		second.FechaEvento.String() != harness.Day(-1) || coincidencias[1].FaseBusqueda != goclient.CoincidenciaFaseBusquedaN1 {
		t.Errorf("coincidencias = %+v, want A-1 in phase 2 and then in phase 1", coincidencias)
	}
	if len(avisos) != 1 || avisos[0].ReporteID != id || avisos[0].Tipo != goclient.AvisoTipoActivacion || *avisos[0].Curp != harness.CurpUno {
		t.Errorf("avisos = %+v, want the activation", avisos)
	}
	unchanged(t, enlace, answer.HTTPResponse.Header.Get("ETag"))
}

// unchanged asks for the avisos again with the ETag that came with them.
func unchanged(t *testing.T, enlace *goclient.ClientWithResponses, etag string) {
	t.Helper()
	answer, err := enlace.ListAvisosWithResponse(t.Context(), &goclient.ListAvisosParams{IfNoneMatch: &etag})
	check(t, err)
	if etag == "" || answer.StatusCode() != http.StatusNotModified || answer.JSON200 != nil {
		t.Errorf("an unchanged list answered %d, want 304", answer.StatusCode())
	}
}

// client is the generated client of an institution, with a key in every request.
func client(t *testing.T, i *harness.Institucion, key string) *goclient.ClientWithResponses {
	t.Helper()
	withKey := func(_ context.Context, req *http.Request) error {
		req.Header.Set("X-API-Key", key)
		return nil
	}
	made, err := goclient.NewClientWithResponses(i.BaseURL,
		goclient.WithHTTPClient(harness.HTTP), goclient.WithRequestEditorFn(withKey))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// got is the typed value of an answer, which must have come.
func got[T any](t *testing.T, answer interface{ Status() string }, value *T) *T {
	t.Helper()
	if value == nil {
		t.Fatalf("%s came without the expected value", answer.Status())
	}
	return value
}

func wantCurpRefused(t *testing.T, all []goclient.Observacion, indice int32, folio string) {
	t.Helper()
	errors := slices.DeleteFunc(slices.Clone(all), func(o goclient.Observacion) bool {
		return o.Gravedad != goclient.ObservacionGravedadError
	})
	if len(errors) != 1 || errors[0].Codigo != "formato" || errors[0].Indice != indice || *errors[0].Folio != folio {
		t.Errorf("errors = %+v, want one, the form of the curp of %s", errors, folio)
	}
}

// single is the body of one record alone.
func single(t *testing.T, r goclient.Registro) goclient.SaveRegistrosCuerpo {
	t.Helper()
	var body goclient.SaveRegistrosCuerpo
	check(t, body.FromRegistro(r))
	return body
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// registro is a record whose event was days from today, in Mexico City.
func registro(folio, curp string, days int) goclient.Registro {
	day, err := time.Parse(time.DateOnly, harness.Day(days))
	if err != nil {
		panic(err) // Day writes that form
	}
	return goclient.Registro{
		Folio: folio, Curp: curp, TipoEvento: "Toma de muestra", FechaEvento: openapi.Date{Time: day},
		Telefono: new("55 5555 5555"),
	}
}
