package edge

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/gateway/internal/routes"
	accesov1 "github.com/enlace-iis/enlace/proto/gen/enlace/acceso/v1"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/process/header"
)

const validateRPC = registrosv1.RegistroService_ValidateRegistros_FullMethodName

// A crowded stack holds every batch at work until the test lets it go. The Authorization
// header says which institution a request is of.
type crowded struct {
	*stack
	arrived chan struct{}
	goOn    chan struct{}
}

func newCrowded(t *testing.T, change func(*Config)) *crowded {
	t.Helper()
	c := &crowded{stack: newStack(t, change), arrived: make(chan struct{}, 100), goOn: make(chan struct{})}
	c.on(accesov1.AccesoService_CheckAcceso_FullMethodName, func(each *call) error {
		return each.stream.SendMsg(&accesov1.CheckAccesoResponse{IdEmpresa: each.metadata.Get("authorization")[0]})
	})
	c.on(validateRPC, func(each *call) error {
		c.arrived <- struct{}{}
		<-c.goOn
		return each.stream.SendMsg(&registrosv1.ValidateRegistrosResponse{})
	})
	return c
}

// begin sends a batch and waits until it is at work; its answer will come.
func (c *crowded) begin(empresa, body string, headers ...string) <-chan *answer {
	c.t.Helper()
	answered := make(chan *answer, 1)
	go func() { answered <- c.batch(empresa, body, headers...) }()
	select {
	case <-c.arrived:
	case got := <-answered:
		c.t.Fatalf("%s with %d bytes was not admitted: %d %s", empresa, len(body), got.StatusCode, got.body)
	}
	return answered
}

func (c *crowded) batch(empresa, body string, headers ...string) *answer {
	return c.post("/cliente/registros/validar", body, append(headers, "Authorization", empresa)...)
}

// batchOf is a batch without records of so many bytes.
func batchOf(size int) string {
	return "[]" + strings.Repeat(" ", size-2)
}

func wantOK(t *testing.T, answers ...<-chan *answer) {
	t.Helper()
	for _, each := range answers {
		if got := <-each; got.StatusCode != http.StatusOK {
			t.Errorf("got %d %s", got.StatusCode, got.body)
		}
	}
}

func TestAdmission_sharesOfAnInstitution(t *testing.T) {
	const large, whole = header.LargeBatch + 1, 2 << 20
	for name, tt := range map[string]struct {
		at     []int // work
		beyond int
	}{
		"batches":              {[]int{large, large, large, large}, large},
		"bytes":                {[]int{whole, whole}, strangersBody + 1},
		"small ones are bytes": {[]int{whole, whole - maxAnswer, strangersBody + 1}, strangersBody + 1},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCrowded(t, func(cfg *Config) { cfg.EmpresaMaxBatchBytes = 2 * whole })
			var answers []<-chan *answer
			for _, size := range tt.at {
				answers = append(answers, c.begin("A", batchOf(size)))
			}
			refused := c.batch("A", batchOf(tt.beyond))
			wantRefusal(t, refused, http.StatusTooManyRequests, "demasiadas_solicitudes")
			if refused.Header.Get("Retry-After") == "" {
				t.Errorf("got %v", refused.Header)
			}
			answers = append(answers, c.begin("B", batchOf(tt.beyond)), c.begin("A", batchOf(2)))
			close(c.goOn)
			wantOK(t, answers...)
			// What was taken has been given back.
			for range 3 {
				if got := c.batch("A", batchOf(whole)); got.StatusCode != http.StatusOK {
					t.Errorf("afterwards: got %d %s", got.StatusCode, got.body)
				}
			}
		})
	}
}

// Nobody waits for ever, and who waits is let in when there is room.
func TestAdmission_ofTheProcess(t *testing.T) {
	const whole = 2 << 20
	c := newCrowded(t, func(cfg *Config) { cfg.MaxBodyBytes = 2 * whole })
	first, second := c.begin("A", batchOf(whole)), c.begin("B", batchOf(whole))
	c.edge.gates.wait = time.Millisecond
	refused := c.batch("C", batchOf(whole))
	wantRefusal(t, refused, http.StatusServiceUnavailable, "no_disponible")
	if refused.Header.Get("Retry-After") == "" {
		t.Errorf("got %v", refused.Header)
	}
	wantRefusal(t, c.batch("C", batchOf(2)), http.StatusServiceUnavailable, "no_disponible")
	c.edge.gates.wait = time.Minute
	waiting := make(chan *answer, 1)
	go func() { waiting <- c.batch("C", batchOf(whole)) }()
	close(c.goOn)
	wantOK(t, first, second, waiting)
}

// A body of which it is not known how large it will be counts as the largest until it is read.
func TestAdmission_ofUnknownLengths(t *testing.T) {
	c := newCrowded(t, func(cfg *Config) { cfg.MaxBodyBytes = 32 << 20 })
	packed := pack(t, `[{"folio":"`+incompressible(100_000)+`"}]`)
	var answers []<-chan *answer
	for range 5 {
		answers = append(answers, c.begin("A", packed, "Content-Encoding", "gzip"))
	}
	close(c.goOn)
	wantOK(t, answers...)
	for size, want := range map[int64]int64{-1: 16 << 20, 100: 1 << 20, 10_000: 4_000_000, 1 << 20: 16 << 20} {
		r := &http.Request{ContentLength: size, Header: http.Header{"Content-Encoding": {"gzip"}}}
		if got := mostBytes(r, &routes.Route{Body: routes.Batch, BodyLimit: 16 << 20}); got != want {
			t.Errorf("%d bytes packed: counted as %d, want %d", size, got, want)
		}
	}
}

func TestAdmission_ofAChunkedBody(t *testing.T) {
	s := newStack(t, nil)
	s.everyRPC()
	for _, size := range []int{2, strangersBody, strangersBody + 1, 1 << 20} {
		request, err := http.NewRequestWithContext(t.Context(), "POST", s.server.URL+"/cliente/registros/validar",
			onlyReader{strings.NewReader(batchOf(size))})
		if err != nil {
			t.Fatal(err)
		}
		request.Header = http.Header{"X-Api-Key": {goodKey}, "Content-Type": {"application/json"}}
		got := s.do(request)
		declared := s.last(validateRPC).metadata.Get(header.Bytes)
		if got.StatusCode != http.StatusOK || len(declared) != 1 || declared[0] != fmt.Sprint(size) {
			t.Errorf("%d bytes: got %d %s, declared as %v", size, got.StatusCode, got.body, declared)
		}
	}
	// What was cut is no body, though what came of it would be one.
	conn := s.raw("POST /cliente/registros/validar HTTP/1.1\r\nHost: x\r\nX-API-Key: " + goodKey +
		"\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\nnonsense\r\n")
	response, err := http.ReadResponse(conn, nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusBadRequest {
		t.Errorf("got %s", response.Status)
	}
}

// Over its share or not, who may not call learns that first.
func TestAdmission_comesAfterTheCredentials(t *testing.T) {
	c := newCrowded(t, func(cfg *Config) { cfg.EmpresaMaxBatches = 1 })
	held := c.begin("A", batchOf(1<<20))
	got := c.send("POST", "/cliente/registros/validar", batchOf(1<<20), "X-API-Key", "mala", "Authorization", "A")
	wantRefusal(t, got, http.StatusUnauthorized, "credencial_invalida")
	got = c.send("POST", "/cliente/registros/validar", batchOf(1<<20), "X-API-Key", goodKey, "Authorization", "A", "Content-Type", "text/plain")
	wantRefusal(t, got, http.StatusTooManyRequests, "demasiadas_solicitudes")
	wantRefusal(t, c.batch("A", batchOf(tooLarge)), http.StatusRequestEntityTooLarge, "cuerpo_demasiado_grande")
	close(c.goOn)
	wantOK(t, held)
}

// No number of slow bodies, of strangers and of an institution at its most, keeps another
// institution from sending.
func TestAdmission_slowBodiesKeepNobodyOut(t *testing.T) {
	c := newCrowded(t, nil)
	c.on(integracionv1.SesionService_Login_FullMethodName, func(each *call) error {
		return each.stream.SendMsg(&integracionv1.LoginResponse{})
	})
	close(c.goOn)
	slow := func(path, headers string, size, sent int) {
		reader := c.raw("POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" + headers +
			fmt.Sprintf("Content-Length: %d\r\n\r\n", size) + batchOf(sent))
		t.Cleanup(func() {
			response, err := http.ReadResponse(reader, nil)
			if err != nil || response.StatusCode != http.StatusRequestTimeout && response.StatusCode != http.StatusGatewayTimeout {
				t.Errorf("%s: got %+v %v", path, response, err)
			}
		})
	}
	for range 34 {
		slow("/login", "", 1<<20, 2)
	}
	for _, empresa := range []string{"A", "B"} {
		for range 2 {
			slow("/cliente/registros/validar", "X-API-Key: "+goodKey+"\r\nAuthorization: "+empresa+"\r\n", 16<<20, 2)
		}
	}
	for _, size := range []int{2, strangersBody + 1, 16 << 20} {
		if got := c.batch("C", batchOf(size)); got.StatusCode != http.StatusOK {
			t.Errorf("%d bytes of another institution: got %d %s", size, got.StatusCode, got.body)
		}
	}
	large := `{"usuario":"PUI","clave":"` + strings.Repeat("x", strangersBody) + `"}`
	if got := c.send("POST", "/login", large); got.StatusCode != http.StatusOK {
		t.Errorf("another login: got %d %s", got.StatusCode, got.body)
	}
}

// A body that has all but arrived gives way too, if its client stops.
func TestAdmission_idleBodiesGiveWay(t *testing.T) {
	const whole = 16 << 20
	c := newCrowded(t, func(cfg *Config) { cfg.MaxBodyBytes = 2 * whole })
	close(c.goOn)
	idle := c.raw("POST /cliente/registros/validar HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" +
		"X-API-Key: " + goodKey + "\r\nAuthorization: A\r\n" + fmt.Sprintf("Content-Length: %d\r\n\r\n", whole) + batchOf(whole-1))
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		response, err := http.ReadResponse(idle, nil)
		if err != nil || response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" {
			t.Errorf("the idle one: got %+v %v", response, err)
		}
	}()
	for {
		if got := c.batch("B", batchOf(whole/2)); got.StatusCode != http.StatusOK {
			t.Errorf("another institution: got %d %s", got.StatusCode, got.body)
		}
		select {
		case <-answered:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// A list that nobody reads counts with its credential, which cannot have all.
func TestAdmission_ofListsOfOneCredential(t *testing.T) {
	s := newStack(t, func(cfg *Config) { cfg.MaxLists = 4 })
	goOn := make(chan struct{})
	s.on(casosRPC, func(c *call) error {
		err := c.stream.SendMsg(&registrosv1.ListCasosResponse{Casos: casos(0, 1)})
		<-goOn
		return err
	})
	open := s.start("GET", "identity")
	wantRefusal(t, s.get("/cliente/casos"), http.StatusTooManyRequests, "demasiadas_solicitudes")
	answered := make(chan *answer, 1)
	go func() { answered <- s.get("/cliente/casos", "Authorization", "otra") }()
	close(goOn)
	wantOK(t, answered)
	_ = open.Body.Close()
}

// So many lists that nobody reads are open; one more waits, and goes on when one has ended.
func TestAdmission_ofLists(t *testing.T) {
	s := newStack(t, func(cfg *Config) { cfg.MaxLists = 2 })
	goOn := make(chan struct{})
	s.on(casosRPC, func(c *call) error {
		err := c.stream.SendMsg(&registrosv1.ListCasosResponse{Casos: casos(0, 1)})
		<-goOn
		return err
	})
	first, second := s.start("GET", "identity"), s.start("GET", "identity", "Authorization", "otra")
	s.edge.listWait = time.Millisecond
	wantRefusal(t, s.get("/cliente/casos", "Authorization", "tercera"), http.StatusServiceUnavailable, "no_disponible")
	close(goOn)
	for _, open := range []*http.Response{first, second} {
		_, err := io.Copy(io.Discard, open.Body)
		if err != nil {
			t.Error(err)
		}
		_ = open.Body.Close()
	}
	s.edge.listWait = time.Minute
	for range 3 {
		if got := s.get("/cliente/casos"); got.StatusCode != http.StatusOK {
			t.Errorf("afterwards: %d %s", got.StatusCode, got.body)
		}
	}
}
