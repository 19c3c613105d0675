package inbound

import (
	"net/http"
	"net/http/httptest"
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
	if table := Tabla(results); !strings.Contains(table, "MAL   S-12      /login solo admite POST") {
		t.Errorf("the table does not say so:\n%s", table)
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
