package httpapi

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

func TestFallas_overHTTP(t *testing.T) {
	s := start(t)
	token := s.login(t)
	finish := func() (*http.Response, string, error) {
		return s.do(t.Context(), "POST", "/busqueda-finalizada", token, finalizada)
	}
	fail := func(resto string) {
		t.Helper()
		s.want(t, "POST", "/control/fallas", `{"ruta":"busqueda-finalizada","veces":1,`+resto+`}`, 201)
	}

	fail(`"tipo":"status","status":429,"retry_after_s":7`)
	answer, _, err := finish()
	if err != nil || answer.StatusCode != 429 || answer.Header.Get("Retry-After") != "7" {
		t.Errorf("status: %v, %v", answer, err)
	}

	fail(`"tipo":"status","status":300`)
	answer, _, err = finish()
	if err != nil || answer.StatusCode != 300 {
		t.Errorf("multiple choices: %v, %v", answer, err)
	}

	fail(`"tipo":"corte"`)
	if _, _, err = finish(); err == nil {
		t.Error("a cut connection gave an answer")
	}
	fail(`"tipo":"corte","despues":true`)
	if _, _, err = finish(); err == nil {
		t.Error("a connection cut afterwards gave an answer")
	}

	fail(`"tipo":"json_roto"`)
	answer, read, err := finish()
	if err != nil || answer.StatusCode != 200 || json.Unmarshal([]byte(read), new(any)) == nil {
		t.Errorf("broken JSON: %v %q, %v", answer, read, err)
	}

	fail(`"tipo":"lentitud","espera_ms":30`)
	antes := time.Now()
	answer, _, err = finish()
	if err != nil || answer.StatusCode != 200 || time.Since(antes) < 30*time.Millisecond {
		t.Errorf("slowness: %v after %v, %v", answer, time.Since(antes), err)
	}

	s.want(t, "POST", "/control/fallas", `{"tipo":"token_caduco"}`, 201)
	answer, _, err = finish()
	if err != nil || answer.StatusCode != 401 {
		t.Errorf("expired token: %v, %v", answer, err)
	}

	var statuses []int
	for _, r := range s.received(t, "?ruta=busqueda-finalizada") {
		statuses = append(statuses, r.Status)
	}
	if want := []int{429, 300, 200, 200, 200, 401}; !slices.Equal(statuses, want) {
		t.Errorf("log = %v, want %v: the first cut never arrived", statuses, want)
	}
}

func TestLentitud_endsWithClientOrServer(t *testing.T) {
	for name, end := range map[string]func(s *simulador, cancel func()){
		"client": func(_ *simulador, cancel func()) { cancel() },
		"server": func(s *simulador, _ func()) { s.stop() },
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			token := s.login(t)
			s.want(t, "POST", "/control/fallas", `{"ruta":"busqueda-finalizada","tipo":"lentitud","espera_ms":3600000}`, 201)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			answered := make(chan error, 1)
			go func() {
				_, _, err := s.do(ctx, "POST", "/busqueda-finalizada", token, finalizada)
				answered <- err
			}()
			// It is in the log as soon as it is served; the answer is then waiting.
			log := s.received(t, "?ruta=busqueda-finalizada&espera_ms=10000")
			if len(log) != 1 || log[0].Status != 200 || log[0].RespondidoEn != nil {
				t.Fatalf("log = %+v, want one entry that waits", log)
			}
			end(s, cancel)
			if err := <-answered; err == nil {
				t.Error("the slow answer came")
			}
		})
	}
}
