package pui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

const (
	lastDay = 24 * time.Hour
	// slots is how many deliveries registros works at once on two cores.
	slots = 50
	// flood is more requests in a second than an institution may send on the return, and
	// calm how long it is watched. The contract lets a retry wait for five minutes.
	flood = 100
	calm  = 10 * time.Minute
)

// away is how long the platform is not there.
func away() time.Duration {
	if testing.Short() {
		return 2 * lastDay
	}
	return 7 * lastDay
}

// pending is how many searches have something to tell by the time that the platform returns:
// a twentieth all the time, the others since its last day.
func pending() int {
	if testing.Short() {
		return 500
	}
	return 2000
}

// The platform is away for a week, in which searches go on finding things. None is lost,
// looking whether it is back costs about eight requests a minute, and when it is back it gets what
// has piled up at a bearable pace, though registros is not told to hurry, with one login. Delivery, circuit, pauses and
// tokens are the real ones; storage, wire and clock are the test's.
func TestAbsence_aWeek(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		platform := &absentPlatform{back: time.Now().Add(away()), told: map[string]int{}, bySecond: map[time.Time]int{}}
		deliverAll(t, newEntregas(platform))

		if got, want := len(platform.told), 2*pending(); got != want {
			t.Errorf("%d things told, want %d", got, want)
		}
		for what, times := range platform.told {
			if times != 1 {
				t.Errorf("%s told %d times", what, times)
			}
		}
		// While it opens there may be as many at once as there are slots.
		if most := int(away()/(8*time.Second))*5/4 + slots; platform.probes > most {
			t.Errorf("%d requests while it was away, want at most %d", platform.probes, most)
		}
		for second, n := range platform.bySecond {
			if n > flood && second.Sub(platform.back) < calm {
				t.Errorf("%d requests in second %v after the return, want at most %d", n, second.Sub(platform.back), flood)
			}
		}
		if took := platform.last.Sub(platform.back); took > calm {
			t.Errorf("the last was told %v after the return, want within %v", took, calm)
		}
		if platform.logins != 1 {
			t.Errorf("%d logins, want 1", platform.logins)
		}
	})
}

// found is when the nth search has something to tell, from the beginning of the absence.
func found(n int) time.Duration {
	if n < pending()/20 {
		return 0
	}
	return away() - lastDay + lastDay/time.Duration(pending())*time.Duration(n)
}

// deliverAll has each search find its match in its time, and works on it as registros does: a step at a time, giving its slot back for every pause.
func deliverAll(t *testing.T, entrega *entregas.Entregas) {
	t.Helper()
	slot := make(chan struct{}, slots)
	step := func(take func() (envio.Respuesta, error)) {
		for {
			slot <- struct{}{}
			r, err := take()
			<-slot
			if err != nil {
				t.Error(err)
				return
			}
			if r.Resultado != envio.MasTarde {
				return
			}
			time.Sleep(r.Esperar)
		}
	}
	var searches sync.WaitGroup
	for n := range pending() {
		searches.Go(func() {
			time.Sleep(found(n))
			match := newCoincidencia(manual.FaseHistorica)
			match.ReporteID = fmt.Sprintf("%s%06d", reporteID[:len(reporteID)-6], n)
			step(func() (envio.Respuesta, error) { return entrega.NotifyCoincidencia(t.Context(), match) })
			step(func() (envio.Respuesta, error) {
				return entrega.FinishBusqueda(t.Context(), entregas.Finalizacion{EmpresaID: empresa, ReporteID: match.ReporteID, Ciclo: 1})
			})
		})
	}
	searches.Wait()
}

func newEntregas(platform http.RoundTripper) *entregas.Entregas {
	client := NewClient(15*time.Second, nil)
	client.http.Transport = platform
	store := &memoryEnvios{envios: map[string]*memoryEnvio{}}
	log := slog.New(slog.DiscardHandler)
	return &entregas.Entregas{
		Store: store, Plataforma: client, Circuito: entregas.NewMemoryCircuito(), Caja: openCaja{},
		// The reports of this test never end, so nobody has to look often.
		Vuelos: &entregas.Vuelos{Reportes: store, Interval: time.Hour, Log: log},
		Limit:  15 * time.Second, Atasco: entregas.Atasco{Respuestas: 10, Lapso: time.Hour}, Log: log,
	}
}

// absentPlatform refuses every connection until it is back, and then takes a moment for each
// request.
type absentPlatform struct {
	back time.Time

	mu       sync.Mutex
	probes   int
	logins   int
	told     map[string]int
	bySecond map[time.Time]int
	last     time.Time
}

const latency = 20 * time.Millisecond

var errAbsent = errors.New("connection refused")

// RoundTrip implements [http.RoundTripper].
func (p *absentPlatform) RoundTrip(r *http.Request) (*http.Response, error) {
	if time.Now().Before(p.back) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.probes++
		return nil, errAbsent
	}
	time.Sleep(latency)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = time.Now()
	p.bySecond[p.last.Truncate(time.Second)]++
	answer := `{"message": ""}`
	if r.URL.Path == "/login" {
		p.logins++
		answer = `{"token": "opaque"}`
	} else {
		p.told[r.URL.Path+string(body)]++
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(answer)), Request: r}, nil
}

// memoryEnvios is the storage of Envíos whose Reportes never end, with the rules that matter
// here: what was decided stays decided, and a pause is kept.
type memoryEnvios struct {
	mu     sync.Mutex
	envios map[string]*memoryEnvio
}

type memoryEnvio struct {
	id       uuid.UUID
	attempts int
	estado   entregas.EstadoEnvio
	next     time.Time
}

// BeginIntento implements [entregas.Store].
func (m *memoryEnvios) BeginIntento(_ context.Context, e entregas.Envio, _ time.Duration, permitted bool) (entregas.Inicio, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	envio, known := m.envios[e.Clave]
	if !known {
		envio = &memoryEnvio{id: uuid.New(), estado: entregas.EnvioPendiente}
		m.envios[e.Clave] = envio
	}
	inicio := entregas.Inicio{Estado: envio.estado, Institucion: institucionAt("https://pui.example.mx")}
	switch rest := time.Until(envio.next); {
	case envio.estado == entregas.EnvioAceptado:
		inicio.Bloqueo = entregas.YaDecidido
	case rest > 0:
		inicio.Bloqueo, inicio.Esperar = entregas.AunNo, rest
	case !permitted:
		inicio.Bloqueo = entregas.PermisoFaltante
	default:
		envio.attempts++
		inicio.Intento = entregas.Intento{EnvioID: envio.id, Numero: envio.attempts}
	}
	return inicio, nil
}

// EndIntento implements [entregas.Store].
func (m *memoryEnvios) EndIntento(_ context.Context, e entregas.Envio, _ entregas.Intento, fin entregas.Fin) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	envio := m.envios[e.Clave]
	envio.estado, envio.next = fin.Estado(), time.Now().Add(fin.Pausa)
	return nil
}

// IsActive implements [entregas.ActiveReader].
func (m *memoryEnvios) ReadHistoria(context.Context, tenant.EmpresaID, uuid.UUID) (entregas.Historia, error) {
	return entregas.Historia{}, nil
}

// IsActive implements [entregas.Store].
func (m *memoryEnvios) IsActive(context.Context, tenant.EmpresaID, uuid.UUID) (bool, error) {
	return true, nil
}

// openCaja seals nothing.
type openCaja struct{}

func (openCaja) Seal(s cuentas.Secreto, _ string) (cuentas.Sellado, error) {
	return cuentas.Sellado{Datos: []byte(s)}, nil
}

func (openCaja) Open(cuentas.Sellado, string) (cuentas.Secreto, error) { return claveSim, nil }
