package plataforma

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

func fail(t *testing.T, p *Plataforma, f Falla) {
	t.Helper()
	_, err := p.Fail(f)
	if err != nil {
		t.Fatalf("fail: %v", err)
	}
}

func TestFalla_statusAnswersInTheManualsShape(t *testing.T) {
	p, _ := newPlataforma(t)
	token := login(t, p)
	tests := []struct {
		ruta   Ruta
		status int
		want   string
	}{
		{RutaNotificarCoincidencia, 300, `{"message":"Coincidencias múltiples"}`},
		{RutaNotificarCoincidencia, 400, `{"errores":["Falla simulada: datos inválidos"]}`},
		{RutaNotificarCoincidencia, 401, `{"error":"Token inválido o expirado"}`},
		{RutaNotificarCoincidencia, 403, `{"error":"Sin permiso para esta operación"}`},
		{RutaNotificarCoincidencia, 429, `{"error":"Demasiadas solicitudes"}`},
		{RutaNotificarCoincidencia, 500, `{"error":"Error procesando coincidencia"}`},
		{RutaNotificarCoincidencia, 503, `{"error":"Falla simulada: status 503"}`},
		{RutaNotificarCoincidencia, 504, `{"error":"Tiempo de espera agotado"}`},
		{RutaBusquedaFinalizada, 500, `{"error":"Error al guardar el registro."}`},
		{RutaReportes, 500, `{"error":"Error al obtener los reportes"}`},
		{RutaLogin, 500, `{"error":"Error procesando petición"}`},
		{RutaLogin, 401, `{"error":"Credenciales inválidas"}`},
		{RutaLogin, 403, `{"error":"Credenciales inválidas"}`},
	}
	for _, tt := range tests {
		fail(t, p, Falla{Ruta: tt.ruta, Tipo: FallaStatus, Status: tt.status, RetryAfterS: 2, EsperaMs: 5, Veces: 1})
		r := send(t, p, tt.ruta, token, `{}`)
		wantAnswer(t, r, tt.status, tt.want)
		if r.RetryAfterS != 2 || r.Espera != 5*time.Millisecond || r.Corte {
			t.Errorf("%s %d: %+v", tt.ruta, tt.status, r)
		}
	}
	if got := len(received(p, Filtro{})); got != 1+len(tests) {
		t.Errorf("%d entries, want the login and each fault", got)
	}
}

func TestFalla_slownessServesAndWaits(t *testing.T) {
	p, _ := newPlataforma(t)
	token := login(t, p)
	fail(t, p, Falla{Ruta: RutaBusquedaFinalizada, Tipo: FallaLentitud, EsperaMs: 3000})
	r := send(t, p, RutaBusquedaFinalizada, token, finalizada(institucionA))
	if r.Status != 200 || r.Espera != 3*time.Second {
		t.Errorf("answer = %+v", r)
	}
}

func TestFalla_cutBeforeAndAfter(t *testing.T) {
	p, _ := newPlataforma(t)
	token := login(t, p)
	fail(t, p, Falla{Ruta: RutaBusquedaFinalizada, Tipo: FallaCorte, Veces: 1})
	fail(t, p, Falla{Ruta: RutaBusquedaFinalizada, Tipo: FallaCorte, Despues: true, Veces: 1})

	if r := send(t, p, RutaBusquedaFinalizada, token, finalizada(institucionA)); !r.Corte || r.N != 0 {
		t.Errorf("first = %+v, want a cut that leaves no entry", r)
	}
	if r := send(t, p, RutaBusquedaFinalizada, token, finalizada(institucionA)); !r.Corte || r.N == 0 {
		t.Errorf("second = %+v, want a cut after its entry", r)
	}
	log := received(p, Filtro{Ruta: RutaBusquedaFinalizada})
	if len(log) != 1 || log[0].Status != 200 || log[0].RespondidoEn != nil {
		t.Errorf("log = %+v, want one accepted entry without an answer", log)
	}
}

func TestFalla_brokenJSONIsServedAndDoesNotParse(t *testing.T) {
	p, _ := newPlataforma(t)
	token := login(t, p)
	for _, tt := range []struct {
		ruta          Ruta
		token, cuerpo string
	}{
		{RutaReportes, token, ``},
		{RutaBusquedaFinalizada, token, finalizada(institucionA)},
		{RutaLogin, "", `{"institucion_id":"` + institucionA + `","clave":"` + claveA + `"}`},
	} {
		fail(t, p, Falla{Ruta: tt.ruta, Tipo: FallaJSONRoto, Veces: 1})
		r := send(t, p, tt.ruta, tt.token, tt.cuerpo)
		if r.Status != 200 || len(r.Cuerpo) == 0 || jsontext.Value(r.Cuerpo).IsValid() {
			t.Errorf("%s answered %d %q", tt.ruta, r.Status, r.Cuerpo)
		}
	}
}

func TestFalla_expiresTokensNow(t *testing.T) {
	p, _ := newPlataforma(t)
	token := login(t, p)
	fail(t, p, Falla{InstitucionID: institucionB, Tipo: FallaTokenCaduco})
	if r := send(t, p, RutaReportes, token, ""); r.Status != 200 {
		t.Errorf("another's tokens expired, but A's got %d", r.Status)
	}
	fail(t, p, Falla{Tipo: FallaTokenCaduco})
	if r := send(t, p, RutaReportes, token, ""); r.Status != 401 {
		t.Errorf("all tokens expired, but A's got %d", r.Status)
	}
	if r := send(t, p, RutaReportes, login(t, p), ""); r.Status != 200 {
		t.Errorf("a token given after that got %d", r.Status)
	}
	if got := p.Fallas(); len(got) != 0 {
		t.Errorf("faults in force = %v, want none", got)
	}
}

func TestFalla_shortensTheLifeOfTokens(t *testing.T) {
	p, clock := newPlataforma(t)
	fail(t, p, Falla{Ruta: RutaLogin, InstitucionID: institucionA, Tipo: FallaTokenCaduco, VidaS: 2, Veces: 1})
	corto, largo := login(t, p), login(t, p)
	clock.advance(2*time.Second - time.Millisecond)
	if r := send(t, p, RutaReportes, corto, ""); r.Status != 200 {
		t.Errorf("before its time: %d", r.Status)
	}
	clock.advance(time.Millisecond)
	if r := send(t, p, RutaReportes, corto, ""); r.Status != 401 {
		t.Errorf("after its time: %d", r.Status)
	}
	if r := send(t, p, RutaReportes, largo, ""); r.Status != 200 {
		t.Errorf("the login after the fault got a short token too: %d", r.Status)
	}
}

func TestFalla_oldestThatFitsAppliesAsOftenAsAsked(t *testing.T) {
	p, _ := newPlataforma(t)
	token := login(t, p)
	fail(t, p, Falla{Ruta: RutaReportes, InstitucionID: institucionB, Tipo: FallaStatus, Status: 504})
	fail(t, p, Falla{Ruta: RutaLogin, Tipo: FallaStatus, Status: 504})
	fail(t, p, Falla{Ruta: RutaReportes, InstitucionID: institucionA, Tipo: FallaStatus, Status: 500, Veces: 2})
	fail(t, p, Falla{Ruta: RutaReportes, Tipo: FallaStatus, Status: 429})

	for i, want := range []int{500, 500, 429, 429} {
		if r := send(t, p, RutaReportes, token, ""); r.Status != want {
			t.Errorf("request %d: %d, want %d", i+1, r.Status, want)
		}
	}
	if activas := p.Fallas(); len(activas) != 3 || activas[2].Status != 429 || activas[2].VecesAplicada != 2 {
		t.Errorf("faults in force = %+v", activas)
	}
	p.ClearFallas()
	if r := send(t, p, RutaReportes, token, ""); r.Status != 200 {
		t.Errorf("after clearing: %d", r.Status)
	}
}

func TestFalla_ofOneReportAndPhase(t *testing.T) {
	p, _ := newPlataforma(t)
	token := login(t, p)
	fail(t, p, Falla{Ruta: RutaBusquedaFinalizada, ReporteID: fub, Tipo: FallaStatus, Status: 500})
	fail(t, p, Falla{Ruta: RutaNotificarCoincidencia, ReporteID: fub, Fase: "1", Tipo: FallaStatus, Status: 500})
	other := strings.Replace(fub, fub[len(fub)-1:], "", 1)
	for body, want := range map[string]int{
		`{"id":"` + fub + `","fase_busqueda":"1"}`: 500, `{"id":"` + fub + `","fase_busqueda":"2"}`: 400,
		`{"id":"` + other + `","fase_busqueda":"1"}`: 400, `no es JSON`: 400,
	} {
		if r := send(t, p, RutaNotificarCoincidencia, token, body); r.Status != want {
			t.Errorf("%s: %d, want %d", body, r.Status, want)
		}
	}
	for range 3 {
		if r := send(t, p, RutaBusquedaFinalizada, token, finalizada(institucionA)); r.Status != 500 {
			t.Errorf("the end: %d, want 500 for ever", r.Status)
		}
	}
	_, err := p.Fail(Falla{Tipo: FallaTokenCaduco, ReporteID: fub})
	if err == nil {
		t.Error("a token belongs to no report")
	}
}

func TestFalla_hitsTheCallerOfAnExpiredToken(t *testing.T) {
	p, clock := newPlataforma(t)
	token := login(t, p)
	clock.advance(VidaToken)
	fail(t, p, Falla{Ruta: RutaReportes, InstitucionID: institucionA, Tipo: FallaStatus, Status: 500})
	if r := send(t, p, RutaReportes, token, ""); r.Status != 500 {
		t.Errorf("answered %d, want 500", r.Status)
	}
}

func TestFalla_refusesWhatItWouldIgnore(t *testing.T) {
	const ruta = "'ruta' debe ser login, notificar-coincidencia, busqueda-finalizada o reportes"
	tests := []struct {
		name string
		f    Falla
		want string
	}{
		{"no kind", Falla{Ruta: RutaLogin}, "'tipo' debe ser status, lentitud, corte, json_roto o token_caduco"},
		{"no route", Falla{Tipo: FallaCorte}, ruta},
		{"unknown route", Falla{Ruta: "/login", Tipo: FallaCorte}, ruta},
		{"unknown route of a token fault", Falla{Ruta: "x", Tipo: FallaTokenCaduco}, ruta},
		{"status without number", Falla{Ruta: RutaLogin, Tipo: FallaStatus}, "'status' debe estar entre 300 y 599"},
		{"status of success", Falla{Ruta: RutaLogin, Tipo: FallaStatus, Status: 200}, "'status' debe estar entre 300 y 599"},
		{"slowness without wait", Falla{Ruta: RutaLogin, Tipo: FallaLentitud}, "'espera_ms' es obligatorio"},
		{"slowness of days", Falla{Ruta: RutaLogin, Tipo: FallaLentitud, EsperaMs: 100_000_000}, "'espera_ms' debe ser a lo más una hora"},
		{"status of a cut", Falla{Ruta: RutaLogin, Tipo: FallaCorte, Status: 500}, "'status' es solo del tipo status"},
		{"retry of a cut", Falla{Ruta: RutaLogin, Tipo: FallaCorte, RetryAfterS: 1}, "'retry_after_s' es solo del tipo status"},
		{"late status", Falla{Ruta: RutaLogin, Tipo: FallaStatus, Status: 500, Despues: true}, "'despues' es solo del tipo corte"},
		{"life of a cut", Falla{Ruta: RutaLogin, Tipo: FallaCorte, VidaS: 1}, "'vida_s' es solo del tipo token_caduco"},
		{"slow token", Falla{Tipo: FallaTokenCaduco, EsperaMs: 1}, "'espera_ms' no es del tipo token_caduco"},
		{"negative count", Falla{Ruta: RutaLogin, Tipo: FallaCorte, Veces: -1}, "ningún número puede ser negativo"},
	}
	p, _ := newPlataforma(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := p.Fail(tt.f)
			if err == nil || err.Error() != tt.want {
				t.Errorf("error = %v, want %s", err, tt.want)
			}
		})
	}
	if got := len(p.Fallas()); got != 0 {
		t.Errorf("%d refused faults are in force", got)
	}
}
