//go:build linux

package fleet

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

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
)

// porLote is how many records a batch of the load has.
const porLote = 20

// Load is a client that asks without pause: an institution, the platform and an operator.
// Every request must be answered as on any other day.
type Load struct {
	Institucion *harness.Institucion

	url            string
	usuario, clave string // the operator's
	key            credential
	platform       credential
	operador       credential

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

// NewLoad makes the institution and the operator, and logs in.
func NewLoad(t *testing.T, f *Fleet) *Load {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: 100}
	t.Cleanup(transport.CloseIdleConnections)
	l := &Load{
		url: f.Balancer.URL, Institucion: f.System.NewInstitucion(t), stop: make(chan struct{}),
		platform: credential{scheme: "Bearer"}, operador: credential{scheme: "Bearer"},
		client: &http.Client{Transport: harness.Recorder.Transport(transport), Timeout: harness.Limit},
	}
	l.Institucion.BaseURL = l.url
	l.UseKey(l.Institucion.ApiKey)
	harness.Recorder.Know(l.url, f.System.Document) // whichever gateway answers
	var made struct{ Usuario, Clave string }
	f.System.Operate(t, "", &made, "usuarios", "crear", "--usuario", "carga")
	l.usuario, l.clave = made.Usuario, made.Clave
	l.LogIn()
	if l.platform.value == "" || l.operador.value == "" {
		t.Fatalf("no login: %v", l.failures)
	}
	return l
}

// Start begins the load. What is named twice is asked by two at once.
func (l *Load) Start() {
	for _, worker := range []struct {
		every time.Duration
		work  func(n int)
	}{
		{20 * time.Millisecond, l.ping},
		{20 * time.Millisecond, l.ping},
		{100 * time.Millisecond, l.validar},
		{150 * time.Millisecond, l.lote},
		{150 * time.Millisecond, l.lote},
		{100 * time.Millisecond, l.lista},
		{100 * time.Millisecond, l.lista},
		{300 * time.Millisecond, l.entrar},
		{2 * time.Second, func(int) { l.loginOperador() }},
		{100 * time.Millisecond, l.llaves},
		{400 * time.Millisecond, l.persona},
	} {
		l.working.Go(func() { l.repeat(worker.every, worker.work) })
	}
}

// End lets the running requests finish.
func (l *Load) End() {
	close(l.stop)
	l.working.Wait()
}

func (l *Load) repeat(every time.Duration, work func(n int)) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for n := 0; ; n++ {
		work(n)
		select {
		case <-l.stop:
			return
		case <-ticker.C:
		}
	}
}

func (l *Load) ping(int) {
	l.call(&l.key, http.MethodPost, "/cliente/sandbox/ping", map[string]any{}, nil)
}

func (l *Load) validar(int) {
	var answer struct{ Validos int }
	if l.call(&l.key, http.MethodPost, "/cliente/registros/validar", l.registros(), &answer) && answer.Validos != porLote {
		l.fail("validar: %d of %d are valid", answer.Validos, porLote)
	}
}

// lote sends records that are all new, so that an answer which counts fewer as created
// betrays a batch that was handed on twice.
func (l *Load) lote(int) {
	sent := l.registros()
	l.guardar(sent)
}

func (l *Load) guardar(sent []map[string]any) bool {
	var answer struct{ Creados int }
	if !l.call(&l.key, http.MethodPost, "/cliente/registros/lote", sent, &answer) {
		return false
	}
	if answer.Creados != len(sent) {
		l.fail("lote: %d of %d were created", answer.Creados, len(sent))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.aceptados = append(l.aceptados, sent...)
	return true
}

func (l *Load) lista(n int) {
	path := []string{"/cliente/casos", "/cliente/coincidencias", "/cliente/reportes"}[n%3]
	var rows []json.RawMessage
	l.call(&l.key, http.MethodGet, path, nil, &rows)
}

// entrar logs in as the platform, whose clave does not change meanwhile.
func (l *Load) entrar(int) {
	l.platform.mu.RLock()
	defer l.platform.mu.RUnlock()
	l.loginPUI()
}

func (l *Load) loginPUI() string {
	return l.login("/i/"+l.Institucion.ID+"/login", "PUI", l.Institucion.Clave)
}

func (l *Load) loginOperador() string { return l.login("/login", l.usuario, l.clave) }

func (l *Load) login(path, usuario, clave string) string {
	var answer struct{ Token string }
	l.ask(http.MethodPost, path, nil, map[string]string{"usuario": usuario, "clave": clave}, &answer)
	return answer.Token
}

func (l *Load) llaves(int) {
	var rows []json.RawMessage
	l.call(&l.operador, http.MethodGet, "/webhooks/api-keys/"+l.Institucion.ID, nil, &rows)
}

// persona has a record from before the report and one from after it.
func (l *Load) persona(n int) {
	curp, reporteID := fmt.Sprintf("REIN%06dHDFABCA1", n), harness.ReporteID(n)
	if !l.guardar([]map[string]any{harness.Registro(fmt.Sprintf("A-%d", n), curp, harness.Day(-1))}) {
		return
	}
	activation := map[string]any{"id": reporteID, "curp": curp, "fecha_desaparicion": harness.Day(-2)}
	if !l.call(&l.platform, http.MethodPost, "/i/"+l.Institucion.ID+"/activar-reporte", activation, nil) {
		return
	}
	if !l.guardar([]map[string]any{harness.Registro(fmt.Sprintf("B-%d", n), curp, harness.Day(0))}) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reportes = append(l.reportes, reporteID)
}

// registros makes a batch of records that were never sent.
func (l *Load) registros() []map[string]any {
	batch := make([]map[string]any, porLote)
	for i := range batch {
		n := l.folios.Add(1)
		batch[i] = harness.Registro(fmt.Sprintf("L-%d", n), fmt.Sprintf("LOTE%06dHDFABCA1", n%1_000_000), harness.Day(-1))
	}
	return batch
}

// call makes one request with a credential as it is now.
func (l *Load) call(as *credential, method, path string, body any, target any) bool {
	as.mu.RLock()
	defer as.mu.RUnlock()
	return l.ask(method, path, as.header(), body, target)
}

// ask makes one request; anything but 200 and a whole JSON answer is a failure.
func (l *Load) ask(method, path string, header http.Header, body any, target any) bool {
	l.requests.Add(1)
	status, content, err := l.try(method, path, header, body)
	switch {
	case err != nil:
		l.fail("%s: %v", path, err)
	case status != http.StatusOK:
		l.fail("%s: status %d: %s", path, status, content)
	case !json.Valid(content):
		l.fail("%s: the answer is not whole: %d bytes", path, len(content))
	default:
		if target == nil {
			return true
		}
		err = json.Unmarshal(content, target)
		if err == nil {
			return true
		}
		l.fail("%s: %v", path, err)
	}
	return false
}

func (l *Load) try(method, path string, header http.Header, body any) (int, []byte, error) {
	var reader io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return 0, nil, err
		}
		reader = bytes.NewReader(encoded)
	}
	// Not the test's context: a request under way at the end is to be answered too.
	req, err := http.NewRequest(method, l.url+path, reader)
	if err != nil {
		return 0, nil, err
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := l.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = res.Body.Close() }()
	content, err := io.ReadAll(res.Body)
	return res.StatusCode, content, err
}

func (l *Load) fail(format string, values ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures = append(l.failures, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, values...))
}
