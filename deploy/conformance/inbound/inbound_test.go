package inbound

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// A service that takes everything, and shows its inside, must not look conforming.
func TestRun_findsWhatIsWrong(t *testing.T) {
	everythingGoes := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Server", "nginx/1.2.3")
		w.Header().Set("Access-Control-Allow-Origin", "*")
		_, _ = w.Write([]byte(`{"token": "eyJhbGciOiJIUzI1NiJ9.e30.firma", "message": "goroutine 1"}`))
	})
	server := httptest.NewServer(everythingGoes)
	defer server.Close()
	results, err := Run(t.Context(), Objetivo{BaseURL: server.URL, Clave: "clave", OtraBaseURL: server.URL, OtraClave: "otra", Real: true})
	if err != nil {
		t.Fatal(err)
	}
	// What such a service does right by accident.
	right := map[string]bool{
		"login con la clave correcta": true, "login sin Content-Type": true, "solo TLS 1.2 o posterior": true,
	}
	for _, r := range results {
		holds := right[r.Nombre] || r.Seccion == "S-11"
		if (r.Err == nil) != holds {
			t.Errorf("%s %s: %v", r.Seccion, r.Nombre, r.Err)
		}
	}
	if table := Tabla(results); !strings.Contains(table, "MAL    S-12      /login solo admite POST") {
		t.Errorf("the table does not say so:\n%s", table)
	}
}

// A service may read the manual as we do not: it takes what no expression of the manual forbids,
// does not take what none of its lines allows, and its refusals say what they like.
func TestRun_warnsOfWhatOnlyWeDemand(t *testing.T) {
	ours := []string{
		"login sin Content-Type", "acepta los demás datos vacíos", "acepta id con otros signos en el FUB",
		"acepta id con un UUID de otra versión y variante", "acepta FORANEO sin acento", "acepta lugar de nacimiento desconocido",
		"acepta porcentaje en el correo", "acepta un campo que no se conoce", "acepta sexo de otro texto",
		"rechaza curp en minúsculas", "rechaza id con un espacio en el FUB", "un megabyte y más",
		"/login dice que admite POST", "/activar-reporte dice que admite POST", "/activar-reporte-prueba dice que admite POST",
		"/desactivar-reporte dice que admite POST",
		"/docs no se ofrece", "/redoc no se ofrece", "/openapi.json no se ofrece", "/swagger no se ofrece",
		"activarlo otra vez responde lo mismo", "desactivarlo otra vez responde lo mismo", "desactivar un id desconocido responde lo mismo",
	}
	var marked []string
	for _, p := range pruebas(Objetivo{OtraClave: "otra", Real: true}) {
		if (Resultado{Prueba: p, Err: errors.New("x")}).EsAviso() {
			marked = append(marked, p.Nombre)
		}
	}
	slices.Sort(ours)
	slices.Sort(marked)
	if !slices.Equal(marked, ours) {
		t.Errorf("got %q, want %q", marked, ours)
	}

	for name, tt := range map[string]struct {
		status      int
		body        string
		wantMal     bool
		wantAnAviso bool
	}{
		"our shape":            {400, `{"error":"no"}`, false, false},
		"a shape of their own": {400, `{"errores":["no"]}`, false, true},
		"no JSON":              {400, `no`, false, true},
		"another status":       {418, `{"error":"no"}`, true, false},
		"the inside":           {400, `panic: main.go:7`, true, false},
		"a failure":            {500, `{"error":"no"}`, true, false},
	} {
		err := respuesta{status: tt.status, cuerpo: []byte(tt.body)}.wantRefusal(400)
		r := Resultado{Err: err}
		if r.EsAviso() != tt.wantAnAviso || (Incumplidas([]Resultado{r}) == 1) != tt.wantMal {
			t.Errorf("%s: got %v, a warning: %t", name, err, r.EsAviso())
		}
	}
	// What fails at what only we demand is no warning.
	caida := Resultado{Prueba: Prueba{Seccion: "1.6*"}, Err: respuesta{status: 500}.want(200)}
	if caida.EsAviso() {
		t.Errorf("%v is a warning", caida.Err)
	}
}

func TestRun_aLoginThatFailsEndsIt(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	results, err := Run(t.Context(), Objetivo{BaseURL: server.URL, Clave: "clave"})
	if err != nil || len(results) != 1 || Incumplidas(results) != 1 {
		t.Errorf("results = %v, %v", results, err)
	}
}

func TestRun_refusesHalfADescription(t *testing.T) {
	for name, o := range map[string]Objetivo{
		"no scheme": {BaseURL: "example.mx/pui", Clave: "clave"},
		"no clave":  {BaseURL: "https://example.mx/pui"},
	} {
		_, err := Run(t.Context(), o)
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
