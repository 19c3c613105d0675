package metrics

import (
	"math"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

func TestNumbers_ofRecords(t *testing.T) {
	i := system.NewInstitucion(t)
	before := scrape(t)
	lote := []any{
		harness.Registro("A-1", harness.CurpUno, harness.Day(-3)), harness.Registro("A-2", harness.CurpUno, harness.Day(-2)),
		harness.Registro("B-1", harness.CurpDos, harness.Day(-2)), harness.Registro("C-1", "corta", harness.Day(-2)),
	}
	i.Post(t, "/cliente/registros/lote", lote).Want(t, http.StatusOK)
	i.Post(t, "/cliente/registros/lote", lote).Want(t, http.StatusOK)
	i.Post(t, "/cliente/registros/lote", []any{}).Want(t, http.StatusUnprocessableEntity)
	i.Post(t, "/cliente/registros", harness.Registro("A-1", harness.CurpUno, harness.Day(-4))).Want(t, http.StatusOK)
	i.Post(t, "/cliente/registros", []any{lote[0], lote[3]}).Want(t, http.StatusUnprocessableEntity)
	i.Post(t, "/cliente/registros/validar", lote).Want(t, http.StatusOK)
	wantGrown(t, before, scrape(t), map[string]float64{
		`enlace_registros_received_total{route="lote",result="creado"}`:           3,
		`enlace_registros_received_total{route="lote",result="sin_cambios"}`:      3,
		`enlace_registros_received_total{route="lote",result="rechazado"}`:        2,
		`enlace_registros_received_total{route="lote",result="actualizado"}`:      0,
		`enlace_registros_received_total{route="registros",result="actualizado"}`: 1,
		`enlace_registros_received_total{route="registros",result="rechazado"}`:   2,
		`enlace_registros_received_total{route="registros",result="creado"}`:      0,
		`enlace_registros_per_request_count{route="lote"}`:                        2,
		`enlace_registros_per_request_sum{route="lote"}`:                          8,
		`enlace_registros_per_request_bucket{route="lote",le="2"}`:                0,
		`enlace_registros_per_request_bucket{route="lote",le="5"}`:                2,
		`enlace_registros_per_request_sum{route="registros"}`:                     3,
		`enlace_registros_per_request_sum{route="validar"}`:                       4,

		`enlace_http_request_duration_seconds_count{method="POST",route="/cliente/registros/lote",status="200"}`: 2,
		`enlace_http_request_duration_seconds_count{method="POST",route="/cliente/registros/lote",status="422"}`: 1,
		`enlace_http_request_duration_seconds_count{method="POST",route="/cliente/registros",status="422"}`:      1,
	})
}

func TestNumbers_ofEvents(t *testing.T) {
	i := system.NewInstitucion(t)
	var key struct {
		ApiKey         string `json:"api_key"`
		SecretoWebhook string `json:"secreto_webhook"`
	}
	system.Operate(t, "", &key, "api-keys", "emitir", "--id-empresa", i.ID, "--nombre", "eventos", "--ambitos", "eventos")
	send := func(id string, datos any, signed []byte) {
		body := harness.Encode(t, map[string]any{"id": id, "tipo": "registro.creado", "fecha": "2026-01-15T12:00:00Z", "datos": datos})
		if signed == nil {
			signed = body
		}
		harness.Call(t, http.MethodPost, i.BaseURL+"/webhooks/eventos", harness.SignEvento(t, key.ApiKey, key.SecretoWebhook, id, signed), body)
	}
	before := scrape(t)
	good := harness.Registro("E-1", harness.CurpUno, harness.Day(-1))
	send("e-1", good, nil)
	send("e-1", good, nil)
	send("e-1", harness.Registro("E-2", harness.CurpUno, harness.Day(-1)), nil)
	send("e-2", harness.Registro("E-2", "corta", harness.Day(-1)), nil)
	send("e-3", good, []byte("another body"))
	const created = `enlace_registros_received_total{route="eventos",result="creado"}`
	harness.Eventually(t, "the processing of the event", func() bool { return scrape(t).total(created) > before.total(created) })
	wantGrown(t, before, scrape(t), map[string]float64{
		`enlace_eventos_total{outcome="accepted"}`:  1,
		`enlace_eventos_total{outcome="duplicate"}`: 1,
		`enlace_eventos_total{outcome="conflict"}`:  1,
		`enlace_eventos_total{outcome="invalid"}`:   1,
		`enlace_eventos_total{outcome="refused"}`:   1,
		created: 1,
		`enlace_registros_received_total{route="eventos",result="rechazado"}`:   1,
		`enlace_registros_received_total{route="eventos",result="sin_cambios"}`: 0,
	})
}

// TestNumbers_ofAnOutage takes the platform away, brings it back, and looks at both.
func TestNumbers_ofAnOutage(t *testing.T) {
	i := system.NewInstitucion(t)
	id := harness.ReporteID(1)
	i.Post(t, "/cliente/registros/lote", []any{
		harness.Registro("A-1", harness.CurpUno, harness.Day(-3)), harness.Registro("A-2", harness.CurpUno, harness.Day(-2)),
	}).Want(t, http.StatusOK)
	before := scrape(t)
	i.Plataforma.Fail(simuladortest.Falla{
		Ruta: simuladortest.RutaNotificarCoincidencia, InstitucionID: i.ID, Tipo: simuladortest.FallaStatus, Status: http.StatusInternalServerError,
	})
	i.Activate(t, map[string]any{"id": id, "curp": harness.CurpUno, "fecha_desaparicion": harness.Day(-10)})

	undelivered := `enlace_coincidencia_undelivered_age_seconds{id_empresa="` + i.ID + `"}`
	harness.Eventually(t, "the sight of what is not told", func() bool { return scrape(t, stack.Registros).total(undelivered) > 0 })
	used := `enlace_record_quota_used_ratio{id_empresa="` + i.ID + `"}`
	harness.Eventually(t, "the sight of two records in the quota", func() bool {
		return math.Round(50_000_000*scrape(t, stack.Registros).total(used)) == 2
	})
	during := scrape(t)
	wantGrown(t, before, during, map[string]float64{
		`enlace_casos_open{phase="1"}`:                                                0,
		`enlace_casos_open{phase="2"}`:                                                1,
		`enlace_casos_open{phase="3"}`:                                                0,
		`enlace_platform_answers_total{route="login",outcome="aceptado"}`:             1,
		`enlace_platform_answers_total{route="busqueda-finalizada"}`:                  0,
		`enlace_delivery_lag_seconds_count`:                                           0,
		`enlace_platform_answers_total{route="notificar-coincidencia",outcome="red"}`: 0,
	})
	harness.Eventually(t, "the opening of the circuit", func() bool {
		return scrape(t, stack.Integracion).total(`enlace_platform_circuits{state="open"}`) == 1
	})
	harness.Eventually(t, "the sight of the delivery's job", func() bool {
		return scrape(t, stack.Registros).total(`enlace_jobs{kind="deliver_caso"}`) == 1
	})
	failures := scrape(t).total(`enlace_platform_answers_total{route="notificar-coincidencia",outcome="servidor"}`)
	if failures < before.total(`enlace_platform_answers_total{route="notificar-coincidencia",outcome="servidor"}`)+5 {
		t.Errorf("%v failures opened the circuit, want five or more", failures)
	}

	i.Plataforma.ClearFaults()
	harness.Within(t, 3*time.Minute, "the end of the search", func() bool { return slices.Contains(i.Told(id), harness.Fin) })
	harness.Eventually(t, "the sight of its end", func() bool {
		now := scrape(t)
		_, waits := now.find(undelivered)
		return !waits && now.total(`enlace_casos_open{phase="3"}`) == before.total(`enlace_casos_open{phase="3"}`)+1 &&
			now.total(`enlace_jobs{kind="deliver_caso"}`) == 0
	})
	wantGrown(t, before, scrape(t), map[string]float64{
		`enlace_casos_open{phase="2"}`:                                                     0,
		`enlace_delivery_lag_seconds_count{phase="1"}`:                                     1,
		`enlace_delivery_lag_seconds_count{phase="2"}`:                                     2,
		`enlace_delivery_lag_seconds_count{phase="3"}`:                                     0,
		`enlace_platform_answers_total{route="notificar-coincidencia",outcome="aceptado"}`: 3,
		`enlace_platform_answers_total{route="busqueda-finalizada",outcome="aceptado"}`:    1,
		`enlace_platform_answers_total{route="login",outcome="aceptado"}`:                  1,
		`enlace_platform_circuits{state="open"}`:                                           0,
	})
}

// TestNumbers_ofDoubts has the platform take a match with a 300 and refuse the end of the search.
func TestNumbers_ofDoubts(t *testing.T) {
	i := system.NewInstitucion(t)
	i.Post(t, "/cliente/registros/lote", []any{harness.Registro("A-1", harness.CurpUno, harness.Day(-3))}).Want(t, http.StatusOK)
	before := scrape(t)
	i.Plataforma.Fail(simuladortest.Falla{
		Ruta: simuladortest.RutaNotificarCoincidencia, InstitucionID: i.ID, Tipo: simuladortest.FallaStatus, Status: http.StatusMultipleChoices, Veces: 1,
	})
	i.Plataforma.Fail(simuladortest.Falla{
		Ruta: simuladortest.RutaBusquedaFinalizada, InstitucionID: i.ID, Tipo: simuladortest.FallaStatus, Status: http.StatusBadRequest,
	})
	i.Activate(t, map[string]any{"id": harness.ReporteID(1), "curp": harness.CurpUno, "fecha_desaparicion": harness.Day(-10)})
	const refused = `enlace_platform_answers_total{route="busqueda-finalizada",outcome="rechazado"}`
	harness.Eventually(t, "the refusal of the end", func() bool { return scrape(t, stack.Integracion).total(refused) > before.total(refused) })
	wantGrown(t, before, scrape(t), map[string]float64{
		refused: 1,
		`enlace_platform_answers_total{route="notificar-coincidencia",outcome="coincidencias_multiples"}`: 1,
		`enlace_platform_answers_total{route="busqueda-finalizada",outcome="aceptado"}`:                   0,
	})
}

func TestNumbers_ofLogins(t *testing.T) {
	i := system.NewInstitucion(t)
	logIn := func(usuario, clave string) {
		harness.Call(t, http.MethodPost, i.BaseURL+"/i/"+i.ID+"/login", nil, map[string]string{"usuario": usuario, "clave": clave})
	}
	before := scrape(t)
	logIn("PUI", i.Clave)
	logIn("PUI", "Equivocada-No-Es-1")
	logIn("PUI", "")
	logIn("operador-que-no-hay", "Equivocada-No-Es-1")
	wantGrown(t, before, scrape(t), map[string]float64{
		`enlace_logins_total{role="pui",outcome="accepted"}`:     1,
		`enlace_logins_total{role="pui",outcome="refused"}`:      1,
		`enlace_logins_total{role="pui",outcome="invalid"}`:      1,
		`enlace_logins_total{role="operador",outcome="refused"}`: 1,
		`enlace_logins_total{role="operador"}`:                   1,
	})
}

// TestNumbers_ofKeys ends with a restart of integracion, whose counters begin again.
func TestNumbers_ofKeys(t *testing.T) {
	i := system.NewInstitucion(t)
	ping := func() int {
		return harness.Call(t, http.MethodPost, i.BaseURL+"/cliente/sandbox/ping", http.Header{"X-Api-Key": {i.ApiKey}}, nil).Status
	}
	before := scrape(t, stack.Registros)
	for range 10 {
		ping()
	}
	wrong := i.ApiKey[:len(i.ApiKey)-1]
	harness.Call(t, http.MethodPost, i.BaseURL+"/cliente/sandbox/ping", http.Header{"X-Api-Key": {wrong}}, nil).Want(t, http.StatusUnauthorized)
	after := scrape(t, stack.Registros)
	const asked, cached, grace = `enlace_api_key_checks_total{outcome="asked"}`, `enlace_api_key_checks_total{outcome="cached"}`, `enlace_api_key_checks_total{outcome="grace"}`
	wantGrown(t, before, after, map[string]float64{
		grace: 0, `enlace_api_key_checks_total{outcome="unanswered"}`: 0,
	})
	if got := after.total(asked) + after.total(cached) - before.total(asked) - before.total(cached); got != 10 || after.total(asked) == before.total(asked) {
		t.Errorf("%v keys were good, want 10, and %v were asked for", got, after.total(asked)-before.total(asked))
	}

	err := system.Kill(stack.Integracion)
	if err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, "a key in grace", func() bool {
		return ping() == http.StatusOK && scrape(t, stack.Registros).total(grace) > before.total(grace)
	})
	err = system.Restart(t.Context(), stack.Integracion)
	if err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, "the end of the grace", func() bool {
		in := scrape(t, stack.Registros).total(grace)
		return ping() == http.StatusOK && scrape(t, stack.Registros).total(grace) == in
	})
}
