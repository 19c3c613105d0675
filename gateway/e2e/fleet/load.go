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

	"github.com/enlace-iis/enlace/gateway/e2e/sistema"
)

// porLote is how many records a batch of the load has.
const porLote = 20

// Load is a client that asks without pause: an institution, the platform and an operator.
// Every request must be answered as on any other day.
type Load struct {
	Institucion *sistema.Institucion

	url                string
	operador, claveOps string

	client   *http.Client
	stop     chan struct{}
	working  sync.WaitGroup
	requests atomic.Int64
	folios   atomic.Int64

	// platform is held for reading by each call of the platform, and for writing while it
	// changes its clave.
	platform sync.RWMutex

	mu sync.Mutex
	// What is shown; all of it may be changed while the load runs.
	key, tokenPUI, tokenOperador string
	failures                     []string
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
		client: &http.Client{Transport: sistema.Recorder.Transport(transport), Timeout: sistema.Limit},
	}
	l.Institucion.BaseURL, l.key = l.url, l.Institucion.ApiKey
	sistema.Recorder.Know(l.url, f.System.Document) // whichever gateway answers
	var made struct{ Usuario, Clave string }
	f.System.Operate(t, "", &made, "usuarios", "crear", "--usuario", "carga")
	l.operador, l.claveOps = made.Usuario, made.Clave
	l.LogIn()
	if l.tokenPUI == "" || l.tokenOperador == "" {
		t.Fatalf("no login: %v", l.failures)
	}
	return l
}

// LogIn has the platform and the operator show new tokens from now on, and gives the
// platform's.
func (l *Load) LogIn() string {
	pui, operador := l.loginPUI(), l.loginOperador()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tokenPUI, l.tokenOperador = pui, operador
	return pui
}

// UseKey has the institution show another key from now on.
func (l *Load) UseKey(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.key = key
	l.Institucion.ApiKey = key
}

// ChangeClave is the moment agreed on with the platform: it calls again, with the clave that
// change gives, once that is done.
func (l *Load) ChangeClave(change func() string) {
	l.platform.Lock()
	l.Institucion.Clave = change()
	l.platform.Unlock()
	l.LogIn()
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
		{300 * time.Millisecond, l.asPlatform(func(int) { l.loginPUI() })},
		{2 * time.Second, func(int) { l.loginOperador() }},
		{100 * time.Millisecond, l.llaves},
		{400 * time.Millisecond, l.asPlatform(l.persona)},
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

// asPlatform lets the work wait while the platform changes its clave.
func (l *Load) asPlatform(work func(n int)) func(n int) {
	return func(n int) {
		l.platform.RLock()
		defer l.platform.RUnlock()
		work(n)
	}
}

func (l *Load) ping(int) {
	l.call(http.MethodPost, "/cliente/sandbox/ping", l.institucion(), map[string]any{}, nil)
}

func (l *Load) validar(int) {
	var answer struct{ Validos int }
	if l.call(http.MethodPost, "/cliente/registros/validar", l.institucion(), l.registros(), &answer) && answer.Validos != porLote {
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
	if !l.call(http.MethodPost, "/cliente/registros/lote", l.institucion(), sent, &answer) {
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
	l.call(http.MethodGet, path, l.institucion(), nil, &rows)
}

func (l *Load) loginPUI() string {
	return l.login("/i/"+l.Institucion.ID+"/login", "PUI", l.Institucion.Clave)
}

func (l *Load) loginOperador() string { return l.login("/login", l.operador, l.claveOps) }

func (l *Load) login(path, usuario, clave string) string {
	var answer struct{ Token string }
	l.call(http.MethodPost, path, nil, map[string]string{"usuario": usuario, "clave": clave}, &answer)
	return answer.Token
}

func (l *Load) llaves(int) {
	var rows []json.RawMessage
	l.call(http.MethodGet, "/webhooks/api-keys/"+l.Institucion.ID, bearer(l.shown(&l.tokenOperador)), nil, &rows)
}

// persona has a record from before the report and one from after it.
func (l *Load) persona(n int) {
	curp, reporteID := fmt.Sprintf("REIN%06dHDFABCA1", n), sistema.ReporteID(n)
	if !l.guardar([]map[string]any{sistema.Registro(fmt.Sprintf("A-%d", n), curp, sistema.Day(-1))}) {
		return
	}
	activation := map[string]any{"id": reporteID, "curp": curp, "fecha_desaparicion": sistema.Day(-2)}
	if !l.call(http.MethodPost, "/i/"+l.Institucion.ID+"/activar-reporte", bearer(l.shown(&l.tokenPUI)), activation, nil) {
		return
	}
	if !l.guardar([]map[string]any{sistema.Registro(fmt.Sprintf("B-%d", n), curp, sistema.Day(0))}) {
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
		batch[i] = sistema.Registro(fmt.Sprintf("L-%d", n), fmt.Sprintf("LOTE%06dHDFABCA1", n%1_000_000), sistema.Day(-1))
	}
	return batch
}

func (l *Load) institucion() http.Header { return http.Header{"X-Api-Key": {l.shown(&l.key)}} }

// shown gives a credential as it is now.
func (l *Load) shown(credential *string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return *credential
}

func bearer(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }

// call makes one request; anything but 200 and a whole JSON answer is a failure.
func (l *Load) call(method, path string, header http.Header, body any, target any) bool {
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
