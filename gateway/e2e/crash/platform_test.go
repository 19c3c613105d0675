package crash

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// newDoor stands before a platform that answers everything with a status, and counts.
func newDoor(t *testing.T, status int) (door *Door, url string, asked func() int) {
	t.Helper()
	requests := 0
	platform := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		if r.Header.Get("Authorization") != "Bearer t" {
			status = http.StatusUnauthorized
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(platform.Close)
	door = &Door{Ledger: NewLedger(), Platform: platform.URL, Client: platform.Client()}
	server := httptest.NewServer(door)
	t.Cleanup(server.Close)
	return door, server.URL, func() int { return requests }
}

const match = `{"id":"` + search + `","institucion_id":"` + at + `","fase_busqueda":"2","curp":"` + curp + `",
	"nombre_completo":{"nombre":"NOMBRE"},"telefono":"5500000001","tipo_evento":"Toma de muestra",
	"fecha_evento":"2026-11-22","descripcion_lugar_evento":"Sede 1-1"}`

// knock tells the platform something and gives the status, 0 when no answer came.
func knock(t *testing.T, url, path, body string) int {
	t.Helper()
	req, err := http.NewRequest(http.MethodPost, url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer t")
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return 0
	}
	_ = res.Body.Close()
	return res.StatusCode
}

func TestDoor_writesDownWhatIsTold(t *testing.T) {
	door, url, _ := newDoor(t, http.StatusOK)
	for path, body := range map[string]string{"/login": `{}`, "/notificar-coincidencia": match} {
		if status := knock(t, url, path, body); status != http.StatusOK {
			t.Errorf("%s answered %d", path, status)
		}
	}
	got := door.Ledger.Llegadas(at, search)
	if len(got) != 1 {
		t.Fatalf("%d were written down, want the match alone", len(got))
	}
	want := Llegada{
		Empresa: at, ReporteID: search, Fase: "2", Curp: curp, Nombre: "NOMBRE", Telefono: "5500000001", Tipo: tipoEvento,
		Fecha: "2026-11-22", Marca: "Sede 1-1", Status: http.StatusOK, At: got[0].At, Answered: got[0].Answered, Delivered: true,
	}
	if got[0] != want || got[0].Answered < got[0].At {
		t.Errorf("written down: %+v, want %+v", got[0], want)
	}
	if knock(t, url, "/pui/busqueda-finalizada", `{"id":"otro","institucion_id":"`+at+`"}`); len(door.Ledger.Llegadas(at, "otro")) != 1 {
		t.Error("an end below another base address was not written down")
	}
	if door.Taken() != 2 {
		t.Errorf("%d are counted as taken, want 2", door.Taken())
	}
	if door.Forget(); door.Taken() != 0 {
		t.Errorf("%d are counted as taken by a simulator that has just begun", door.Taken())
	}
}

func TestDoor_loses(t *testing.T) {
	for name, tt := range map[string]struct {
		loss                  Loss
		answer, asked, status int
	}{
		"nothing":  {Nothing, http.StatusOK, 1, http.StatusOK},
		"requests": {Requests, 0, 0, 0},
		"answers":  {Answers, 0, 1, http.StatusOK},
		"patience": {Patience, http.StatusOK, 1, http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			door, url, asked := newDoor(t, http.StatusOK)
			door.Lose(tt.loss)
			if got := knock(t, url, "/notificar-coincidencia", match); got != tt.answer {
				t.Errorf("answered %d, want %d", got, tt.answer)
			}
			if asked() != tt.asked {
				t.Errorf("the platform was asked %d times, want %d", asked(), tt.asked)
			}
			status, delivered := 0, false
			for _, l := range door.Ledger.Llegadas(at, search) {
				status, delivered = l.Status, l.Delivered
			}
			if status != tt.status || delivered != (tt.answer != 0) {
				t.Errorf("written down with %d, delivered: %t; want %d", status, delivered, tt.status)
			}
		})
	}
}
