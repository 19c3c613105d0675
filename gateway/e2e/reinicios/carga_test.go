//go:build linux

package reinicios

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/gateway/e2e/sistema"
)

// porLote is how many records a batch of the load has.
const porLote = 20

// carga is a client that asks without pause: an institution, the platform and an operator.
// Every request must be answered as on any other day.
type carga struct {
	url                string
	institucion        *sistema.Institucion
	operador, claveOps string
	tokenPUI           string
	tokenOperador      string

	client   *http.Client
	stop     chan struct{}
	working  sync.WaitGroup
	requests atomic.Int64
	folios   atomic.Int64

	mu       sync.Mutex
	failures []string
	// aceptados are the records whose batch was answered, reportes the activations.
	aceptados []map[string]any
	reportes  []string
}

func newCarga(t *testing.T, url string) *carga {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 100}
	t.Cleanup(transport.CloseIdleConnections)
	c := &carga{
		url: url, institucion: system.NewInstitucion(t), stop: make(chan struct{}),
		client: &http.Client{Transport: sistema.Recorder.Transport(transport), Timeout: sistema.Limit},
	}
	c.institucion.BaseURL = url
	sistema.Recorder.Know(url, system.Document) // whichever gateway answers
	var made struct{ Usuario, Clave string }
	system.Operate(t, "", &made, "usuarios", "crear", "--usuario", "reinicios")
	c.operador, c.claveOps = made.Usuario, made.Clave
	c.tokenPUI, c.tokenOperador = c.loginPUI(), c.loginOperador()
	if c.tokenPUI == "" || c.tokenOperador == "" {
		t.Fatalf("no login: %v", c.failures)
	}
	return c
}

// start begins the load. What is named twice is asked by two at once.
func (c *carga) start() {
	for _, worker := range []struct {
		every time.Duration
		work  func(n int)
	}{
		{20 * time.Millisecond, c.ping},
		{20 * time.Millisecond, c.ping},
		{100 * time.Millisecond, c.validar},
		{150 * time.Millisecond, c.lote},
		{150 * time.Millisecond, c.lote},
		{100 * time.Millisecond, c.lista},
		{100 * time.Millisecond, c.lista},
		{300 * time.Millisecond, func(int) { c.loginPUI() }},
		{2 * time.Second, func(int) { c.loginOperador() }},
		{100 * time.Millisecond, c.llaves},
		{400 * time.Millisecond, c.persona},
	} {
		c.working.Go(func() { c.repeat(worker.every, worker.work) })
	}
}

// end lets the running requests finish.
func (c *carga) end() {
	close(c.stop)
	c.working.Wait()
}

func (c *carga) repeat(every time.Duration, work func(n int)) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for n := 0; ; n++ {
		work(n)
		select {
		case <-c.stop:
			return
		case <-ticker.C:
		}
	}
}

func (c *carga) ping(int) {
	c.call(http.MethodPost, "/cliente/sandbox/ping", c.key(), map[string]any{}, http.StatusOK, nil)
}

func (c *carga) validar(int) {
	var answer struct{ Validos int }
	if c.call(http.MethodPost, "/cliente/registros/validar", c.key(), c.registros(), http.StatusOK, &answer) && answer.Validos != porLote {
		c.fail("validar: %d of %d are valid", answer.Validos, porLote)
	}
}

// lote sends records that are all new, so that an answer which counts fewer as created
// betrays a batch that was handed on twice.
func (c *carga) lote(int) {
	sent := c.registros()
	c.guardar(sent)
}

func (c *carga) guardar(sent []map[string]any) bool {
	var answer struct{ Creados int }
	if !c.call(http.MethodPost, "/cliente/registros/lote", c.key(), sent, http.StatusOK, &answer) {
		return false
	}
	if answer.Creados != len(sent) {
		c.fail("lote: %d of %d were created", answer.Creados, len(sent))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.aceptados = append(c.aceptados, sent...)
	return true
}

func (c *carga) lista(n int) {
	path := []string{"/cliente/casos", "/cliente/coincidencias", "/cliente/reportes"}[n%3]
	var rows []json.RawMessage
	c.call(http.MethodGet, path, c.key(), nil, http.StatusOK, &rows)
}

func (c *carga) loginPUI() string {
	return c.login("/i/"+c.institucion.ID+"/login", "PUI", c.institucion.Clave)
}

func (c *carga) loginOperador() string { return c.login("/login", c.operador, c.claveOps) }

func (c *carga) login(path, usuario, clave string) string {
	var answer struct{ Token string }
	c.call(http.MethodPost, path, nil, map[string]string{"usuario": usuario, "clave": clave}, http.StatusOK, &answer)
	return answer.Token
}

func (c *carga) llaves(int) {
	var rows []json.RawMessage
	c.call(http.MethodGet, "/webhooks/api-keys/"+c.institucion.ID, bearer(c.tokenOperador), nil, http.StatusOK, &rows)
}

// persona has a record from before the report and one from after it.
func (c *carga) persona(n int) {
	curp, reporteID := fmt.Sprintf("REIN%06dHDFABCA1", n), sistema.ReporteID(n)
	if !c.guardar([]map[string]any{sistema.Registro(fmt.Sprintf("A-%d", n), curp, sistema.Day(-1))}) {
		return
	}
	activation := map[string]any{"id": reporteID, "curp": curp, "fecha_desaparicion": sistema.Day(-2)}
	if !c.call(http.MethodPost, "/i/"+c.institucion.ID+"/activar-reporte", bearer(c.tokenPUI), activation, http.StatusOK, nil) {
		return
	}
	if !c.guardar([]map[string]any{sistema.Registro(fmt.Sprintf("B-%d", n), curp, sistema.Day(0))}) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reportes = append(c.reportes, reporteID)
}

// registros makes a batch of records that were never sent.
func (c *carga) registros() []map[string]any {
	batch := make([]map[string]any, porLote)
	for i := range batch {
		n := c.folios.Add(1)
		batch[i] = sistema.Registro(fmt.Sprintf("L-%d", n), fmt.Sprintf("LOTE%06dHDFABCA1", n%1_000_000), sistema.Day(-1))
	}
	return batch
}

func (c *carga) key() http.Header { return http.Header{"X-Api-Key": {c.institucion.ApiKey}} }

func bearer(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }

// call makes one request; anything but the wanted status and a whole JSON answer is a
// failure.
func (c *carga) call(method, path string, header http.Header, body any, want int, target any) bool {
	c.requests.Add(1)
	status, content, err := c.try(method, path, header, body)
	switch {
	case err != nil:
		c.fail("%s: %v", path, err)
	case status != want:
		c.fail("%s: status %d: %s", path, status, content)
	case !json.Valid(content):
		c.fail("%s: the answer is not whole: %d bytes", path, len(content))
	default:
		if target == nil {
			return true
		}
		err = json.Unmarshal(content, target)
		if err == nil {
			return true
		}
		c.fail("%s: %v", path, err)
	}
	return false
}

func (c *carga) try(method, path string, header http.Header, body any) (int, []byte, error) {
	var reader io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return 0, nil, err
		}
		reader = bytes.NewReader(encoded)
	}
	// Not the test's context: a request under way at the end is to be answered too.
	req, err := http.NewRequest(method, c.url+path, reader)
	if err != nil {
		return 0, nil, err
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := c.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = res.Body.Close() }()
	content, err := io.ReadAll(res.Body)
	return res.StatusCode, content, err
}

func (c *carga) fail(format string, values ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failures = append(c.failures, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, values...))
}
