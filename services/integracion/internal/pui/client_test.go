package pui

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

const (
	empresa   = "LAB010101AB1"
	claveSim  = "clave-hacia-la-plataforma"
	reporteID = "A1B2C3D4E5F6-550e8400-e29b-41d4-a716-446655440000"
	curp      = "HEGG560427MVZRRL04"
)

func newClient(t *testing.T, timeout time.Duration) *Client {
	t.Helper()
	client := NewClient(timeout, nil)
	t.Cleanup(client.Close)
	return client
}

// atSimulador gives a simulator and an institution that may call it.
func atSimulador(t *testing.T) (*simuladortest.Simulador, cuentas.Institucion) {
	t.Helper()
	simulador := simuladortest.Start(t)
	simulador.Register(simuladortest.Institucion{ID: empresa, Clave: claveSim})
	return simulador, institucionAt(simulador.URL)
}

func institucionAt(url string) cuentas.Institucion {
	return cuentas.Institucion{EmpresaID: tenant.EmpresaID(empresa), ID: empresa, URL: url, Clave: claveSim}
}

func newCoincidencia(fase manual.Fase) entregas.Coincidencia {
	fecha, _ := manual.ParseFecha("2025-03-04")
	c := entregas.Coincidencia{
		EmpresaID: empresa, ID: uuid.New(), ReporteID: reporteID, Ciclo: 1, Fase: fase,
		Persona: manual.Persona{CURP: curp, Nombre: "NOMBRE"},
	}
	if fase != manual.FaseBasicos {
		c.Evento = entregas.Evento{Tipo: "Toma de muestra", Fecha: fecha}
	}
	return c
}

func TestClient_faultsOfTheSimulator(t *testing.T) {
	notificar := simuladortest.RutaNotificarCoincidencia
	tests := []struct {
		name   string
		falla  simuladortest.Falla
		clase  envio.Resultado
		motivo string
		logins int
	}{
		{"300", simuladortest.Falla{Ruta: notificar, Tipo: simuladortest.FallaStatus, Status: 300}, envio.Aceptado, motivoMultiples, 1},
		{"400", simuladortest.Falla{Ruta: notificar, Tipo: simuladortest.FallaStatus, Status: 400}, envio.Rechazado, motivoRechazado, 1},
		{"401 once", simuladortest.Falla{Ruta: notificar, Tipo: simuladortest.FallaStatus, Status: 401, Veces: 1}, envio.Aceptado, motivoAceptado, 2},
		{"401 always", simuladortest.Falla{Ruta: notificar, Tipo: simuladortest.FallaStatus, Status: 401}, envio.MasTarde, motivoCredencial, 2},
		{"403 once", simuladortest.Falla{Ruta: notificar, Tipo: simuladortest.FallaStatus, Status: 403, Veces: 1}, envio.Aceptado, motivoAceptado, 2},
		{"429", simuladortest.Falla{Ruta: notificar, Tipo: simuladortest.FallaStatus, Status: 429, RetryAfterS: 9}, envio.MasTarde, motivoLimite, 1},
		{"500", simuladortest.Falla{Ruta: notificar, Tipo: simuladortest.FallaStatus, Status: 500}, envio.MasTarde, motivoServidor, 1},
		{"504", simuladortest.Falla{Ruta: notificar, Tipo: simuladortest.FallaStatus, Status: 504}, envio.MasTarde, motivoServidor, 1},
		{"slow", simuladortest.Falla{Ruta: notificar, Tipo: simuladortest.FallaLentitud, EsperaMs: 60_000}, envio.MasTarde, motivoTiempo, 1},
		{"connection cut", simuladortest.Falla{Ruta: notificar, Tipo: simuladortest.FallaCorte}, envio.MasTarde, motivoRed, 1},
		{"answer lost", simuladortest.Falla{Ruta: notificar, Tipo: simuladortest.FallaCorte, Despues: true}, envio.MasTarde, motivoRed, 1},
		{"broken JSON", simuladortest.Falla{Ruta: notificar, Tipo: simuladortest.FallaJSONRoto}, envio.Aceptado, motivoAceptado, 1},
		{"login 403", simuladortest.Falla{Ruta: simuladortest.RutaLogin, Tipo: simuladortest.FallaStatus, Status: 403}, envio.MasTarde, motivoCredencial, 1},
		{"login 400", simuladortest.Falla{Ruta: simuladortest.RutaLogin, Tipo: simuladortest.FallaStatus, Status: 400}, envio.MasTarde, motivoCredencial, 1},
		{"login 300", simuladortest.Falla{Ruta: simuladortest.RutaLogin, Tipo: simuladortest.FallaStatus, Status: 300}, envio.MasTarde, motivoRed, 1},
		{"login 500", simuladortest.Falla{Ruta: simuladortest.RutaLogin, Tipo: simuladortest.FallaStatus, Status: 500}, envio.MasTarde, entregas.MotivoAcceso, 1},
		{"login broken JSON", simuladortest.Falla{Ruta: simuladortest.RutaLogin, Tipo: simuladortest.FallaJSONRoto}, envio.MasTarde, motivoRed, 1},
		{"login slow", simuladortest.Falla{Ruta: simuladortest.RutaLogin, Tipo: simuladortest.FallaLentitud, EsperaMs: 60_000}, envio.MasTarde, motivoTiempo, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			simulador, institucion := atSimulador(t)
			simulador.Fail(tt.falla)
			timeout := time.Minute
			if tt.falla.Tipo == simuladortest.FallaLentitud {
				timeout = 200 * time.Millisecond
			}
			d := newClient(t, timeout).NotifyCoincidencia(t.Context(), institucion, newCoincidencia(manual.FaseBasicos))
			if d.Resultado != tt.clase || d.Motivo != tt.motivo {
				t.Errorf("outcome %+v", d)
			}
			if want := time.Duration(tt.falla.RetryAfterS) * time.Second; d.RetryAfter != want {
				t.Errorf("retry after %v, want %v", d.RetryAfter, want)
			}
			if got := len(simulador.Received(simuladortest.Filtro{Ruta: simuladortest.RutaLogin})); got != tt.logins {
				t.Errorf("%d logins, want %d", got, tt.logins)
			}
		})
	}
}

func TestClient_oneLoginForManyAtOnce(t *testing.T) {
	simulador, institucion := atSimulador(t)
	client := newClient(t, time.Minute)
	inParallel(50, func() {
		d := client.NotifyCoincidencia(t.Context(), institucion, newCoincidencia(manual.FaseBasicos))
		if d.Resultado != envio.Aceptado {
			t.Errorf("outcome %+v", d)
		}
	})
	if got := len(simulador.Received(simuladortest.Filtro{Ruta: simuladortest.RutaLogin})); got != 1 {
		t.Errorf("%d logins", got)
	}

	// All tokens die at once: whoever finds out first gets the new one for all.
	simulador.Fail(simuladortest.Falla{Tipo: simuladortest.FallaTokenCaduco})
	inParallel(50, func() {
		d := client.FinishBusqueda(t.Context(), institucion, entregas.Finalizacion{EmpresaID: empresa, ReporteID: reporteID, Ciclo: 1})
		if d.Resultado != envio.Aceptado {
			t.Errorf("outcome %+v", d)
		}
	})
	if got := len(simulador.Received(simuladortest.Filtro{Ruta: simuladortest.RutaLogin})); got != 2 {
		t.Errorf("%d logins after the tokens died", got)
	}
}

func TestClient_wrongClaveIsTriedOnceForAllThatWait(t *testing.T) {
	simulador, institucion := atSimulador(t)
	// Slow, so that all of them wait for the same login.
	simulador.Fail(simuladortest.Falla{Ruta: simuladortest.RutaLogin, Tipo: simuladortest.FallaStatus, Status: 403, EsperaMs: 1500})
	client := newClient(t, time.Minute)
	inParallel(20, func() {
		d := client.NotifyCoincidencia(t.Context(), institucion, newCoincidencia(manual.FaseBasicos))
		if d.Motivo != motivoCredencial {
			t.Errorf("outcome %+v", d)
		}
	})
	if got := len(simulador.Received(simuladortest.Filtro{Ruta: simuladortest.RutaLogin})); got != 1 {
		t.Errorf("%d logins", got)
	}
}

func TestClient_renewsBeforeTheTokenEnds(t *testing.T) {
	simulador, institucion := atSimulador(t)
	client := newClient(t, time.Minute)
	started := time.Now()
	var elapsed atomic.Int64
	client.tokens.now = func() time.Time { return started.Add(time.Duration(elapsed.Load())) }
	logins := func() int {
		t.Helper()
		d := client.NotifyCoincidencia(t.Context(), institucion, newCoincidencia(manual.FaseBasicos))
		if d.Resultado != envio.Aceptado {
			t.Fatalf("outcome %+v", d)
		}
		return len(simulador.Received(simuladortest.Filtro{Ruta: simuladortest.RutaLogin}))
	}
	for _, step := range []struct {
		at   time.Duration
		want int
	}{{0, 1}, {47 * time.Minute, 1}, {49 * time.Minute, 2}, {90 * time.Minute, 2}, {98 * time.Minute, 3}} {
		elapsed.Store(int64(step.at))
		if got := logins(); got != step.want {
			t.Errorf("%d logins after %v, want %d", got, step.at, step.want)
		}
	}
}

func TestClient_newClaveMeansNewLogin(t *testing.T) {
	simulador, institucion := atSimulador(t)
	client := newClient(t, time.Minute)
	d := client.NotifyCoincidencia(t.Context(), institucion, newCoincidencia(manual.FaseBasicos))
	if d.Resultado != envio.Aceptado {
		t.Fatalf("outcome %+v", d)
	}
	simulador.Register(simuladortest.Institucion{ID: empresa, Clave: "otra"})
	institucion.Clave = "otra"
	d = client.NotifyCoincidencia(t.Context(), institucion, newCoincidencia(manual.FaseBasicos))
	recibidos := simulador.Received(simuladortest.Filtro{Ruta: simuladortest.RutaNotificarCoincidencia})
	if d.Resultado != envio.Aceptado || len(recibidos) != 2 {
		t.Errorf("outcome %+v with %d notifications", d, len(recibidos))
	}
}

func TestLifeOf(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	tests := []struct {
		name, token string
		want        time.Duration
	}{
		// {"iat":1516239022,"exp":1516242622}: our clock is years ahead of it.
		{"iat and exp", "eyJhbGciOiJIUzI1NiJ9.eyJpYXQiOjE1MTYyMzkwMjIsImV4cCI6MTUxNjI0MjYyMn0.AA", time.Hour},
		// {"exp":1800000600}
		{"exp alone", "eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjE4MDAwMDA2MDB9.AA", 10 * time.Minute},
		// {"exp":1516242622}
		{"exp in the past", "eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjE1MTYyNDI2MjJ9.AA", time.Hour},
		{"no exp", "eyJhbGciOiJIUzI1NiJ9.e30.AA", time.Hour},
		{"opaque", "opaque", time.Hour},
	}
	for _, tt := range tests {
		if got := lifeOf(tt.token, now); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// platform serves /login, and everything else as handler does.
func platform(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/login", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"token":"t"}`)
	})
	mux.HandleFunc("/", handler)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func TestClient_followsNoRedirect(t *testing.T) {
	for _, status := range []int{300, 301, 302, 303, 307, 308} {
		var elsewhere atomic.Int32
		server := platform(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/elsewhere" {
				elsewhere.Add(1)
			}
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
		})
		newClient(t, time.Minute).NotifyCoincidencia(t.Context(), institucionAt(server.URL), newCoincidencia(manual.FaseBasicos))
		if elsewhere.Load() != 0 {
			t.Errorf("%d was followed", status)
		}
	}
}

func TestClient_refusesOldTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = &tls.Config{MaxVersion: tls.VersionTLS11}
	server.StartTLS()
	defer server.Close()
	client := newClient(t, time.Minute)
	trusting := client.http.Transport.(*http.Transport)
	trusting.TLSClientConfig.RootCAs = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	d := client.NotifyCoincidencia(t.Context(), institucionAt(server.URL), newCoincidencia(manual.FaseBasicos))
	if d.Motivo != motivoRed {
		t.Errorf("outcome %+v", d)
	}
	if got := trusting.TLSClientConfig.MinVersion; got != tls.VersionTLS12 {
		t.Errorf("oldest TLS %x", got)
	}
}

func inParallel(n int, do func()) {
	var group sync.WaitGroup
	for range n {
		group.Go(do)
	}
	group.Wait()
}

// Each login at the platform is told of with how it ended, and a message that has its token none.
func TestClient_auditsLogins(t *testing.T) {
	simulador, institucion := atSimulador(t)
	wrong, away := institucion, institucion
	wrong.Clave = "otra-clave-larga"
	away.URL = "http://127.0.0.1:1"
	type line struct {
		status int
		motivo string
	}
	for name, tt := range map[string]struct {
		i     cuentas.Institucion
		falla *simuladortest.Falla
		want  []line
	}{
		"right":      {institucion, nil, []line{{200, motivoAceptado}}},
		"wrong":      {wrong, nil, []line{{403, motivoCredencial}, {403, motivoCredencial}}},
		"away":       {away, nil, []line{{0, motivoRed}, {0, motivoRed}}},
		"as refused": {institucion, &simuladortest.Falla{Ruta: simuladortest.RutaLogin, Tipo: simuladortest.FallaStatus, Status: 400, Veces: 2}, []line{{400, motivoCredencial}, {400, motivoCredencial}}},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.falla != nil {
				simulador.Fail(*tt.falla)
			}
			client := newClient(t, 5*time.Second)
			var got []line
			client.Audit = func(_ context.Context, a bitacora.Asiento) {
				got = append(got, line{a.Status, a.Motivo})
				if a.Tipo != bitacora.AsientoEnvio || a.Accion != "login" || a.Actor != bitacora.ActorSistema || a.EmpresaID != empresa {
					t.Errorf("told of %+v", a)
				}
			}
			for range 2 {
				client.NotifyCoincidencia(t.Context(), tt.i, newCoincidencia(manual.FaseHistorica))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
