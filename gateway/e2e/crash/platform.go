package crash

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Door stands before the platform. It writes down what arrives and what the platform answers,
// and so remembers what a killed simulator forgets; and it can lose both on the way.
type Door struct {
	Ledger *Ledger
	// Platform is the simulator's address.
	Platform string
	// Client reaches it.
	Client *http.Client

	mu   sync.Mutex
	loss Loss
	// taken counts what this simulator has taken; forgotten are the simulators before it.
	taken, forgotten int
}

// Loss is what a Door loses.
type Loss int

// The losses.
const (
	Nothing  Loss = iota
	Requests      // before the platform has them
	Answers       // which the platform gave
	Patience      // requests are answered late
)

const (
	// distance is how long every answer is under way, so that faults meet many of them.
	distance = 100 * time.Millisecond
	// late is how long it is when patience is asked for: less than the services have.
	late = 500 * time.Millisecond
)

// Lose changes what is lost.
func (d *Door) Lose(what Loss) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.loss = what
}

// state tells what is lost now, and which simulator this is.
func (d *Door) state() (loss Loss, simulator int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.loss, d.forgotten
}

// Forget begins the count of Taken anew, for a simulator that does.
func (d *Door) Forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.taken = 0
	d.forgotten++
}

// Taken counts the matches and ends that the present simulator has taken.
func (d *Door) Taken() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.taken
}

// note writes down what a simulator was told.
func (d *Door) note(told Llegada, simulator int) (delivered func()) {
	delivered = d.Ledger.Arrived(told)
	d.mu.Lock()
	defer d.mu.Unlock()
	if told.Taken() && simulator == d.forgotten {
		d.taken++
	}
	return delivered
}

func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := d.Ledger.Now()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	told, counts := readLlegada(r.URL.Path, body)
	told.At, told.Answered = at, Never
	loss, simulator := d.state()
	if loss == Requests {
		panic(http.ErrAbortHandler)
	}
	status, answer, err := d.pass(r, body)
	if err == nil {
		told.Answered, told.Status = d.Ledger.Now(), status
	}
	delivered := func() {}
	if counts {
		delivered = d.note(told, simulator)
		<-time.After(distance)
	}
	loss, _ = d.state()
	if err != nil || loss == Answers || loss == Requests {
		panic(http.ErrAbortHandler)
	}
	if loss == Patience {
		<-time.After(late - distance)
	}
	delivered()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(answer) // who is gone does not get it
}

// pass asks the platform, whether or not who asked is still there.
func (d *Door) pass(r *http.Request, body []byte) (int, []byte, error) {
	ctx := context.WithoutCancel(r.Context())
	req, err := http.NewRequestWithContext(ctx, r.Method, d.Platform+r.URL.Path, bytes.NewReader(body)) //nolint:gosec // the path is for our own simulator to judge
	if err != nil {
		return 0, nil, err
	}
	for _, name := range []string{"Authorization", "Content-Type", "Accept"} {
		req.Header.Set(name, r.Header.Get(name))
	}
	res, err := d.Client.Do(req) //nolint:gosec // as above
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = res.Body.Close() }() // it was read
	answer, err := io.ReadAll(res.Body)
	return res.StatusCode, answer, err
}

// readLlegada reads a request of the manual's section 7. It is false for one that tells
// nothing.
func readLlegada(path string, body []byte) (Llegada, bool) {
	var told struct {
		ID      string `json:"id"`
		Empresa string `json:"institucion_id"`
		Fase    string `json:"fase_busqueda"`
		Curp    string `json:"curp"`
		Nombre  struct {
			Nombre string `json:"nombre"`
		} `json:"nombre_completo"`
		Telefono string `json:"telefono"`
		Tipo     string `json:"tipo_evento"`
		Fecha    string `json:"fecha_evento"`
		Lugar    string `json:"descripcion_lugar_evento"`
	}
	err := json.Unmarshal(body, &told)
	if err != nil {
		return Llegada{}, false
	}
	l := Llegada{
		Empresa: told.Empresa, ReporteID: told.ID, Fase: told.Fase, Curp: told.Curp, Nombre: told.Nombre.Nombre,
		Telefono: told.Telefono, Tipo: told.Tipo, Fecha: told.Fecha, Marca: told.Lugar,
	}
	switch {
	case strings.HasSuffix(path, "/notificar-coincidencia"):
		return l, true
	case strings.HasSuffix(path, "/busqueda-finalizada"):
		l.Fase = fin
		return l, true
	default:
		return l, false
	}
}
