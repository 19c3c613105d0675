package traces

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// The RPCs on the ways that are followed.
const (
	saveRegistros      = "enlace.registros.v1.RegistroService/SaveRegistros"
	openCaso           = "enlace.registros.v1.BusquedaService/OpenCaso"
	activateReporte    = "enlace.integracion.v1.ReporteService/ActivateReporte"
	notifyCoincidencia = "enlace.integracion.v1.EntregaService/NotifyCoincidencia"
	finishBusqueda     = "enlace.integracion.v1.EntregaService/FinishBusqueda"
)

// untilTheOpening is the way of an activation to its Caso, which ends the search of a person
// without records.
var untilTheOpening = []string{
	"gateway POST /i/{id_empresa}/activar-reporte", "gateway " + activateReporte,
	"integracion " + activateReporte, "integracion sync_casos", "integracion " + openCaso,
	"registros " + openCaso,
}

// untilTheSearch goes on to the job that searches.
var untilTheSearch = slices.Concat(untilTheOpening, []string{"registros search_caso"})

// delivery is the way from the job that delivers to the platform.
func delivery(rpc, route string) []string {
	return []string{"registros deliver_caso", "registros " + rpc, "integracion " + rpc, "integracion POST " + route}
}

// as adds a request id to the institution's own headers.
func as(i *harness.Institucion, requestID string) http.Header {
	return http.Header{"X-Api-Key": {i.ApiKey}, "X-Request-Id": {requestID}}
}

// activate plays the platform, so that the request has an id that is known here.
func activate(t *testing.T, i *harness.Institucion, requestID string, reporte map[string]any) (token string) {
	t.Helper()
	var session struct{ Token string }
	harness.Call(t, http.MethodPost, i.BaseURL+"/i/"+i.ID+"/login", nil, map[string]string{"usuario": "PUI", "clave": i.Clave}).
		Want(t, http.StatusOK).Into(t, &session)
	header := http.Header{"Authorization": {"Bearer " + session.Token}, "X-Request-Id": {requestID}}
	harness.Call(t, http.MethodPost, i.BaseURL+"/i/"+i.ID+"/activar-reporte", header, reporte).Want(t, http.StatusOK)
	return session.Token
}

// waitRoot gives the trace of a request.
func waitRoot(t *testing.T, requestID string) (trace string, root span) {
	t.Helper()
	harness.Eventually(t, "the trace of "+requestID, func() (found bool) {
		root, found = collected.newest(func(s span) bool {
			return s.program == "gateway" && s.attribute("enlace.request_id") == requestID
		})
		return found
	})
	return root.trace(), root
}

func hasPath(trace string, want []string) bool {
	return slices.ContainsFunc(collected.paths(trace), func(path []string) bool { return slices.Equal(path, want) })
}

// waitPath waits until a trace leads along a way.
func waitPath(t *testing.T, trace string, want []string) {
	t.Helper()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the trace has %q", collected.paths(trace))
		}
	})
	harness.Eventually(t, "the way to "+want[len(want)-1], func() bool { return hasPath(trace, want) })
}

func TestTrace_ofAnActivationLeadsToThePlatform(t *testing.T) {
	i := system.NewInstitucion(t)
	harness.Call(t, http.MethodPost, i.BaseURL+"/cliente/registros", as(i, "activacion-registro"),
		harness.Registro("A-1", harness.CurpUno, harness.Day(-3))).Want(t, http.StatusCreated)
	activate(t, i, "activacion", map[string]any{
		"id": harness.ReporteID(1), "curp": harness.CurpUno, "fecha_desaparicion": harness.Day(-10),
	})
	trace, _ := waitRoot(t, "activacion")
	waitPath(t, trace, slices.Concat(untilTheSearch, delivery(notifyCoincidencia, "/notificar-coincidencia")))
	waitPath(t, trace, slices.Concat(untilTheSearch, delivery(finishBusqueda, "/busqueda-finalizada")))

	for _, program := range []string{"gateway", "integracion"} {
		if got := loggedTrace(t, program, "activacion"); got != trace {
			t.Errorf("the log of %s names the trace %q, want %q", program, got, trace)
		}
	}
}

// loggedTrace gives the trace of the first log line of a request.
func loggedTrace(t *testing.T, program, requestID string) string {
	t.Helper()
	content, err := os.ReadFile(system.LogPath(program))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(content) {
		var entry struct {
			RequestID string `json:"request_id"`
			TraceID   string `json:"trace_id"`
		}
		err := json.Unmarshal(line, &entry)
		if err == nil && entry.RequestID == requestID {
			return entry.TraceID
		}
	}
	t.Fatalf("the log of %s has no line of %s", program, requestID)
	return ""
}

func TestTrace_ofARecordLeadsToThePlatform(t *testing.T) {
	i := system.NewInstitucion(t)
	reporteID := harness.ReporteID(2)
	activate(t, i, "monitoreo", map[string]any{"id": reporteID, "curp": harness.CurpUno, "fecha_desaparicion": harness.Day(-10)})
	trace, _ := waitRoot(t, "monitoreo")
	waitPath(t, trace, slices.Concat(untilTheOpening, delivery(finishBusqueda, "/busqueda-finalizada")))

	want := slices.Concat(
		[]string{"gateway POST /cliente/registros", "gateway " + saveRegistros, "registros " + saveRegistros},
		delivery(notifyCoincidencia, "/notificar-coincidencia"),
	)
	// A record that meets a delivery under way is told by that one, in the trace that it
	// belongs to; the next record then has its own.
	n := 0
	harness.Eventually(t, "a record that is told in its own trace", func() bool {
		n++
		requestID := fmt.Sprintf("registro-%d", n)
		before, _ := collected.newest(isNotification)
		harness.Call(t, http.MethodPost, i.BaseURL+"/cliente/registros", as(i, requestID),
			harness.Registro(fmt.Sprintf("M-%d", n), harness.CurpUno, harness.Day(-n))).Want(t, http.StatusCreated)
		var told span
		harness.Eventually(t, "the notification", func() bool {
			told, _ = collected.newest(isNotification)
			return !bytes.Equal(told.GetSpanId(), before.GetSpanId())
		})
		trace, _ = waitRoot(t, requestID)
		return told.trace() == trace
	})
	waitPath(t, trace, want)
}

func isNotification(s span) bool { return s.String() == "integracion POST /notificar-coincidencia" }

func TestTrace_ofAClientIsLinkedAndNotFollowed(t *testing.T) {
	i := system.NewInstitucion(t)
	const client, clientSpan = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	for _, flags := range []string{"00", "01"} {
		header := as(i, "ajena-"+flags)
		header.Set("Traceparent", "00-"+client+"-"+clientSpan+"-"+flags)
		header.Set("Tracestate", "a="+harness.CurpUno)
		harness.Call(t, http.MethodPost, i.BaseURL+"/cliente/sandbox/ping", header, nil).Want(t, http.StatusOK)
		trace, root := waitRoot(t, "ajena-"+flags)
		if trace == client || len(root.GetParentSpanId()) > 0 || root.GetTraceState() != "" {
			t.Error("the client's trace is followed")
		}
		if len(root.GetLinks()) != 1 || hex.EncodeToString(root.GetLinks()[0].GetTraceId()) != client {
			t.Errorf("links %v", root.GetLinks())
		}
		waitPath(t, trace, []string{
			"gateway POST /cliente/sandbox/ping", "gateway enlace.registros.v1.RegistroService/Ping", "registros enlace.registros.v1.RegistroService/Ping",
		})
	}
	if len(collected.of(client)) > 0 {
		t.Error("there are spans in the client's trace")
	}
}

func TestTrace_holdsNothingOfAnybody(t *testing.T) {
	i := system.NewInstitucion(t)
	reporteID := harness.ReporteID(3)
	record := harness.Registro("FOLIO-DE-LA-TRAZA", harness.CurpDos, harness.Day(-3))
	record["nombre"], record["primer_apellido"], record["correo"] = "NOMBREDETRAZA", "APELLIDODETRAZA", "traza@correo.example"
	record["domicilio"] = map[string]any{"calle": "CALLEDETRAZA", "colonia": "COLONIADETRAZA"}
	record["direccion_evento"] = map[string]any{"calle": "CALLEDELEVENTO"}
	report := map[string]any{
		"id": reporteID, "curp": harness.CurpDos, "fecha_desaparicion": harness.Day(-10), "nombre": "NOMBREREPORTADO",
		"primer_apellido": "APELLIDOREPORTADO", "direccion": "DIRECCIONREPORTADA", "telefono": "5599887766", "correo": "reportada@correo.example",
	}
	harness.Call(t, http.MethodPost, i.BaseURL+"/cliente/registros", as(i, "privado-registro"), record).Want(t, http.StatusCreated)
	token := activate(t, i, "privado-activado", report)
	key := as(i, "privado-mal")
	clave, wrong := "CLAVEQUENOES1!a", i.ApiKey[:len(i.ApiKey)-4]+"zzzz"
	refused(t, i, key, wrong, clave)

	trace, _ := waitRoot(t, "privado-activado")
	waitPath(t, trace, slices.Concat(untilTheSearch, delivery(finishBusqueda, "/busqueda-finalizada")))
	harness.Call(t, http.MethodGet, i.BaseURL+"/cliente/coincidencias", as(i, "privado-fin"), nil).Want(t, http.StatusOK)
	waitRoot(t, "privado-fin")

	content := collected.content()
	for what, private := range map[string]string{
		"CURP": harness.CurpDos, "folio": "FOLIO-DE-LA-TRAZA", "name": "NOMBREDETRAZA", "surname": "APELLIDODETRAZA",
		"e-mail": "traza@correo.example", "street": "CALLEDETRAZA", "colony": "COLONIADETRAZA", "street of the event": "CALLEDELEVENTO",
		"telephone": "5555555555", "reported name": "NOMBREREPORTADO", "reported surname": "APELLIDOREPORTADO",
		"reported address": "DIRECCIONREPORTADA", "reported telephone": "5599887766", "reported e-mail": "reportada@correo.example",
		"key": i.ApiKey, "wrong key": wrong, "token": token, "clave": i.Clave, "wrong clave": clave, "clave towards the platform": "salida-de-pruebas",
		"address": "127.0.0.1", "user agent": "NAVEGADORDETRAZA", "id of the report": reporteID, "institution": i.ID,
		"scheme of a credential": "Bearer", "text of an error": "La credencial",
	} {
		for form, text := range formsOf(private) {
			if strings.Contains(content, text) {
				t.Errorf("a trace holds the %s (%s)", what, form)
			}
		}
	}
}

// formsOf is how something private may appear.
func formsOf(private string) map[string]string {
	return map[string]string{
		"as it is":    private,
		"hexadecimal": hex.EncodeToString([]byte(private)),
		"base64":      strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(private)), "="),
		"in a URL":    url.QueryEscape(private),
	}
}

// refused puts private things wherever a trace might take them from.
func refused(t *testing.T, i *harness.Institucion, header http.Header, wrongKey, wrongClave string) {
	t.Helper()
	header.Set("User-Agent", "NAVEGADORDETRAZA")
	header.Set("Baggage", "curp="+harness.CurpDos)
	header.Set("Tracestate", "a="+harness.CurpDos)
	header.Set("Traceparent", "00-"+harness.CurpDos)
	header.Set("Grpc-Metadata-Traceparent", harness.CurpDos)
	call := func(status int, method, path string, header http.Header, body any) {
		t.Helper()
		harness.Call(t, method, i.BaseURL+path, header, body).Want(t, status)
	}
	call(http.StatusNotFound, http.MethodGet, "/"+harness.CurpDos, header, nil)
	call(http.StatusMethodNotAllowed, harness.CurpDos, "/cliente/casos", header, nil)
	call(http.StatusBadRequest, http.MethodGet, "/cliente/casos?curp="+harness.CurpDos, header, nil)
	call(http.StatusBadRequest, http.MethodPost, "/cliente/registros", header, []byte(`{"`+harness.CurpDos+`":`+i.ApiKey))
	call(http.StatusUnprocessableEntity, http.MethodPost, "/cliente/registros", header, map[string]string{"folio": "x", "curp": "NOMBREDETRAZA"})
	call(http.StatusNotFound, http.MethodPost, "/i/"+harness.CurpDos+"/login", nil, map[string]string{"usuario": "PUI", "clave": wrongClave})
	call(http.StatusUnauthorized, http.MethodPost, "/i/"+i.ID+"/login", nil, map[string]string{"usuario": "PUI", "clave": wrongClave})
	header.Set("X-Api-Key", wrongKey)
	call(http.StatusUnauthorized, http.MethodPost, "/cliente/sandbox/ping", header, nil)
}
