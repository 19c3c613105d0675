package plataforma

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

const (
	institucionA = "AAA010101AA1"
	institucionB = "BBB010101BB1"
	claveA       = "clave-de-a"
	fub          = "A1B2C3D4E5F6-550e8400-e29b-41d4-a716-446655440000"
)

// reloj is a clock that moves only when told.
type reloj struct {
	mu  sync.Mutex
	now time.Time
}

func (r *reloj) Now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

func (r *reloj) advance(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = r.now.Add(d)
}

// newPlataforma knows institutions A and B and has a clock at hand. The hour is
// one at which Mexico City still has the day before.
func newPlataforma(t *testing.T) (*Plataforma, *reloj) {
	t.Helper()
	clock := &reloj{now: time.Date(2026, 11, 21, 3, 0, 0, 700_000_000, time.UTC)}
	p := New(clock.Now)
	for _, i := range []Institucion{{ID: institucionA, Clave: claveA}, {ID: institucionB, Clave: "clave-de-b"}} {
		_, err := p.Register(i)
		if err != nil {
			t.Fatalf("register: %v", err)
		}
	}
	return p, clock
}

// send serves a request whose body is given as JSON text.
func send(t *testing.T, p *Plataforma, ruta Ruta, token, cuerpo string) Respuesta {
	t.Helper()
	r, err := p.Receive(Peticion{Ruta: ruta, Token: token, ContentType: "application/json", Cuerpo: []byte(cuerpo)})
	if err != nil {
		t.Fatalf("receive: %v", err)
	}
	return r
}

func login(t *testing.T, p *Plataforma) string {
	t.Helper()
	r := send(t, p, RutaLogin, "", `{"institucion_id":"`+institucionA+`","clave":"`+claveA+`"}`)
	var c cuerpoToken
	err := json.Unmarshal(r.Cuerpo, &c)
	if err != nil || r.Status != 200 || c.Token == "" {
		t.Fatalf("login answered %d %s", r.Status, r.Cuerpo)
	}
	return c.Token
}

func finalizada(institucionID string) string {
	return `{"id":"` + fub + `","institucion_id":"` + institucionID + `"}`
}

// received lists the log as it is now.
func received(p *Plataforma, f Filtro) []Recibido {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	return p.Recibidos(ended, f)
}

func wantAnswer(t *testing.T, r Respuesta, status int, cuerpo string) {
	t.Helper()
	if r.Status != status || string(r.Cuerpo) != cuerpo {
		t.Errorf("answered %d %s, want %d %s", r.Status, r.Cuerpo, status, cuerpo)
	}
}

func TestReceive_answersAsTheManualShows(t *testing.T) {
	p, _ := newPlataforma(t)
	token := login(t, p)
	const datosBasicos = `{"curp":"TEST010101HDFABC01","lugar_nacimiento":"CDMX","id":"` + fub +
		`","institucion_id":"` + institucionA + `","fase_busqueda":"1"}`

	tests := []struct {
		name   string
		ruta   Ruta
		token  string
		cuerpo string
		status int
		want   string
	}{
		{"wrong clave", RutaLogin, "", `{"institucion_id":"` + institucionA + `","clave":"otra"}`,
			403, `{"error":"Credenciales inválidas"}`},
		{"unknown institution", RutaLogin, "", `{"institucion_id":"CCC010101CC1","clave":"otra"}`,
			403, `{"error":"Credenciales inválidas"}`},
		{"login without clave", RutaLogin, "", `{"institucion_id":"` + institucionA + `"}`,
			400, `{"errores":["'clave' es obligatorio"]}`},
		{"match", RutaNotificarCoincidencia, token, datosBasicos,
			200, `{"message":"Coincidencia recibida correctamente"}`},
		{"match without token", RutaNotificarCoincidencia, "", datosBasicos,
			401, `{"error":"Token no proporcionado"}`},
		{"match with a foreign token", RutaNotificarCoincidencia, "abc", datosBasicos,
			401, `{"error":"Token inválido o expirado"}`},
		{"match that breaks a rule", RutaNotificarCoincidencia, token, strings.Replace(datosBasicos, "CDMX", "", 1),
			400, `{"errores":["'lugar_nacimiento' es obligatorio"]}`},
		{"finish", RutaBusquedaFinalizada, token, finalizada(institucionA),
			200, `{"message":"Registro de finalización de búsqueda histórica guardado correctamente."}`},
		{"finish that breaks a rule", RutaBusquedaFinalizada, token, `{"institucion_id":"` + institucionA + `"}`,
			500, `{"error":"Error al guardar el registro."}`},
		{"finish with empty fields", RutaBusquedaFinalizada, token, `{}`,
			500, `{"error":"Error al guardar el registro."}`},
		{"reports, none yet", RutaReportes, token, "", 200, `[]`},
		{"reports without token", RutaReportes, "", "", 401, `{"error":"Token no proporcionado"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			wantAnswer(t, send(t, p, tt.ruta, tt.token, tt.cuerpo), tt.status, tt.want)
		})
	}
}

func TestReceive_wantsDeclaredJSON(t *testing.T) {
	p, _ := newPlataforma(t)
	token := login(t, p)
	const noEsJSON = `{"errores":["El cuerpo no es un JSON válido"]}`
	tests := []struct {
		name, contentType, cuerpo, want string
	}{
		{"no content type", "", `{}`, `{"errores":["'Content-Type' debe ser application/json"]}`},
		{"form", "application/x-www-form-urlencoded", `{}`, `{"errores":["'Content-Type' debe ser application/json"]}`},
		{"array", "application/json", `[]`, `{"errores":["El cuerpo debe ser un objeto JSON"]}`},
		{"empty", "application/json", ``, noEsJSON},
		{"truncated", "application/json", `{"id":`, noEsJSON},
		{"trailing data", "application/json", `{}{}`, noEsJSON},
		{"repeated key", "application/json", `{"id":"a","id":"b"}`, noEsJSON},
		{"invalid UTF-8", "application/json", "{\"id\":\"\xff\"}", noEsJSON},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := p.Receive(Peticion{Ruta: RutaNotificarCoincidencia, Token: token, ContentType: tt.contentType, Cuerpo: []byte(tt.cuerpo)})
			if err != nil {
				t.Fatalf("receive: %v", err)
			}
			wantAnswer(t, r, 400, tt.want)
		})
	}
	r, err := p.Receive(Peticion{Ruta: RutaBusquedaFinalizada, Token: token,
		ContentType: "application/json; charset=utf-8", Cuerpo: []byte(finalizada(institucionA))})
	if err != nil || r.Status != 200 {
		t.Errorf("with a charset: %d %s, %v", r.Status, r.Cuerpo, err)
	}
}

func TestReceive_logsInOrderWhatArrived(t *testing.T) {
	p, clock := newPlataforma(t)
	token := login(t, p)
	clock.advance(time.Second)
	bien := send(t, p, RutaBusquedaFinalizada, token, finalizada(institucionA))
	send(t, p, RutaBusquedaFinalizada, token, `no json "`)
	send(t, p, RutaReportes, "", "")
	clock.advance(time.Second)
	p.Answered(bien)

	log := received(p, Filtro{})
	if len(log) != 4 {
		t.Fatalf("%d entries, want 4", len(log))
	}
	for i, want := range []struct {
		ruta          Ruta
		institucionID string
		status        int
		cuerpo        string
		errores       string
	}{
		{RutaLogin, institucionA, 200, `{"clave":"***","institucion_id":"` + institucionA + `"}`, ""},
		{RutaBusquedaFinalizada, institucionA, 200, finalizada(institucionA), ""},
		{RutaBusquedaFinalizada, institucionA, 500, `"no json \""`, "El cuerpo no es un JSON válido"},
		{RutaReportes, "", 401, ``, "Token no proporcionado"},
	} {
		got := log[i]
		if got.N != int64(i+1) || got.Ruta != want.ruta || got.InstitucionID != want.institucionID ||
			got.Status != want.status || string(got.Cuerpo) != want.cuerpo || Errores(got.Errores).Error() != want.errores {
			t.Errorf("entry %d = %+v (cuerpo %s), want %+v", i, got, got.Cuerpo, want)
		}
	}
	if log[1].RespondidoEn == nil || log[1].RespondidoEn.Sub(log[1].RecibidoEn) != time.Second {
		t.Errorf("answered at %v, received at %v, want a second between", log[1].RespondidoEn, log[1].RecibidoEn)
	}
	if log[2].RespondidoEn != nil {
		t.Error("an entry that was not answered has an answer time")
	}
}

func TestRegister_refusesWhatNoPortalWouldKeep(t *testing.T) {
	p, _ := newPlataforma(t)
	tests := []struct {
		name string
		i    Institucion
		want string
	}{
		{"short id", Institucion{ID: "AAA", Clave: "c"}, "'institucion_id' debe tener entre 4 y 13 caracteres"},
		{"lower-case id", Institucion{ID: "aaaa", Clave: "c"}, "'institucion_id' no cumple el formato requerido"},
		{"no clave", Institucion{ID: "AAAA"}, "'clave' debe tener entre 1 y 50 caracteres"},
		{"relative address", Institucion{ID: "AAAA", Clave: "c", URLBase: "/pui"}, "'url_base' debe ser una dirección http o https completa"},
		{"other scheme", Institucion{ID: "AAAA", Clave: "c", URLBase: "ftp://localhost"}, "'url_base' debe ser una dirección http o https completa"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := p.Register(tt.i)
			if err == nil || err.Error() != tt.want {
				t.Errorf("error = %v, want %s", err, tt.want)
			}
		})
	}
	if got := len(p.Instituciones()); got != 2 {
		t.Errorf("%d institutions, want the 2 from before", got)
	}
}

func TestReportes_followActivationAndDeactivation(t *testing.T) {
	p, _ := newPlataforma(t)
	token := login(t, p)
	activate := func(cuerpo string) {
		t.Helper()
		err := p.AddReporte(institucionA, []byte(cuerpo))
		if err != nil {
			t.Fatalf("add report: %v", err)
		}
	}
	activate(`{"id":"R1","curp":"TEST010101HDFABC01","nombre":"NOMBRE","fecha_desaparicion":"2020-01-02","telefono":"5500000000"}`)
	activate(`{"id":"R2","curp":"PEXA900115HDFRXN06","sexo_asignado":null}`)
	activate(`{"id":"R1","curp":"TEST010101HDFABC01","primer_apellido":"PRIMER APELLIDO"}`)

	const r2 = `{"id":"R2","curp":"PEXA900115HDFRXN06","nombre":null,"primer_apellido":null,"segundo_apellido":null,` +
		`"fecha_nacimiento":null,"fecha_desaparicion":null,"fecha_registro":"2026-11-20","lugar_nacimiento":null,"sexo_asignado":null}`
	wantAnswer(t, send(t, p, RutaReportes, token, ""), 200,
		`[{"id":"R1","curp":"TEST010101HDFABC01","nombre":null,"primer_apellido":"PRIMER APELLIDO","segundo_apellido":null,`+
			`"fecha_nacimiento":null,"fecha_desaparicion":null,"fecha_registro":"2026-11-20","lugar_nacimiento":null,"sexo_asignado":null},`+r2+`]`)

	err := p.RemoveReporte(institucionA, []byte(`{"id":"R1"}`))
	if err != nil {
		t.Fatalf("remove report: %v", err)
	}
	wantAnswer(t, send(t, p, RutaReportes, token, ""), 200, "["+r2+"]")
	if got := p.Instituciones()[0]; got != (Resumen{ID: institucionA, Reportes: 1}) {
		t.Errorf("summary = %+v", got)
	}
}

// The table of §7.4 promises reports "con sus estados" and the example has none: both are shown.
func TestReportes_withStates(t *testing.T) {
	p, _ := newPlataforma(t)
	token := login(t, p)
	_, err := p.Register(Institucion{ID: institucionA, Clave: claveA, ConEstados: true})
	if err != nil {
		t.Fatalf("register: %v", err)
	}
	const activacion = `{"id":"R1","curp":"TEST010101HDFABC01","estado":"otro"}`
	want := func(estado string) string {
		return `[{"id":"R1","curp":"TEST010101HDFABC01","nombre":null,"primer_apellido":null,"segundo_apellido":null,` +
			`"fecha_nacimiento":null,"fecha_desaparicion":null,"fecha_registro":"2026-11-20","lugar_nacimiento":null,"sexo_asignado":null,` +
			`"estado":"` + estado + `"}]`
	}
	for _, step := range []struct {
		do     func(institucionID string, cuerpo []byte) error
		estado string
	}{{p.AddReporte, "ACTIVO"}, {p.RemoveReporte, "INACTIVO"}, {p.RemoveReporte, "INACTIVO"}, {p.AddReporte, "ACTIVO"}} {
		err = step.do(institucionA, []byte(activacion))
		if err != nil {
			t.Fatalf("change report: %v", err)
		}
		wantAnswer(t, send(t, p, RutaReportes, token, ""), 200, want(step.estado))
	}
}

func TestReportes_wantAnIDAndAnInstitution(t *testing.T) {
	p, _ := newPlataforma(t)
	for _, cuerpo := range []string{``, `{}`, `{"id":""}`, `{"id":7}`} {
		if p.AddReporte(institucionA, []byte(cuerpo)) == nil || p.RemoveReporte(institucionA, []byte(cuerpo)) == nil {
			t.Errorf("body %q was taken", cuerpo)
		}
	}
	err := p.AddReporte("CCC010101CC1", []byte(`{"id":"R1"}`))
	if !errors.Is(err, ErrDesconocida) {
		t.Errorf("error = %v, want ErrDesconocida", err)
	}
}
