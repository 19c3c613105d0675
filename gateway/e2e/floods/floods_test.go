//go:build linux && floods

package floods

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/deploy/local/stack"
)

// A flood is begun, and lasts until ctx ends; it gives how to wait for its end.
type flood struct {
	name  string
	begin func(ctx context.Context, t *testing.T, seen *tally) (wait func())
	// answers are those that it may have; must one that it has to.
	answers []int
	must    int
}

const (
	ok             = http.StatusOK
	timeout        = http.StatusRequestTimeout
	tooMany        = http.StatusTooManyRequests
	unavailable    = http.StatusServiceUnavailable
	gatewayTimeout = http.StatusGatewayTimeout
)

// TestFloods holds, for one flood after the other, what the contract promises (section 3).
func TestFloods(t *testing.T) {
	institution := &quiet{sender: newSender(t, system.NewInstitucion(t).ApiKey, "203.0.113.1", 0)}
	institution.round(t)
	for _, each := range floods(t) {
		t.Run(each.name, func(t *testing.T) {
			seen := &tally{count: map[int]int{}}
			var calm, noisy []time.Duration
			for range rounds {
				calm = append(calm, institution.round(t))
				ctx, end := context.WithCancel(t.Context())
				wait := each.begin(ctx, t, seen)
				noisy = append(noisy, institution.round(t))
				end()
				wait()
			}
			wantUndisturbed(t, calm, noisy)
			wantInsidePods(t)
			t.Logf("answers: %v", seen.count)
			for status := range seen.count {
				if !slices.Contains(each.answers, status) {
					t.Errorf("%d times %d", seen.count[status], status)
				}
			}
			if seen.count[each.must] == 0 {
				t.Errorf("nobody was answered %d", each.must)
			}
		})
	}
}

// floods are sent by one institution, by two where its own share would end it, or by nobody.
func floods(t *testing.T) []flood {
	first := newSender(t, system.NewInstitucion(t).ApiKey, "203.0.113.2", 0)
	wrong, right := allWrong(), ordinary()
	bomb := pack(t, wrong)
	if len(wrong) > 16<<20 || len(wrong) < 15<<20 || len(wrong) > 400*len(bomb) {
		t.Fatalf("%d bytes packed into %d are not the largest that are allowed", len(wrong), len(bomb))
	}
	batches := func(path string, body []byte, headers ...string) func(context.Context, *testing.T, *tally) func() {
		return func(ctx context.Context, _ *testing.T, seen *tally) func() {
			return first.flood(ctx, seen, 12, path, body, headers...)
		}
	}
	return []flood{
		{"batches that are all wrong", batches("/cliente/registros/validar", wrong), []int{ok, tooMany, unavailable, cut}, tooMany},
		{"bombs", batches("/cliente/registros/validar", bomb, "Content-Encoding", "gzip"), []int{ok, tooMany, unavailable, cut}, tooMany},
		{"batches without a length", batches("/cliente/registros/validar", wrong, chunked, "1"), []int{ok, tooMany, unavailable, cut}, tooMany},
		{"ordinary batches", batches("/cliente/registros/lote", right), []int{ok, tooMany, unavailable, cut}, tooMany},
		{"small batches with large answers", batches("/cliente/registros/validar", []byte("["+strings.Repeat("{},", 2500)+"{}]")), []int{ok, tooMany, unavailable, cut}, ok},
		{"batches of nobody", beginStrangers(t, wrong), []int{http.StatusUnauthorized, cut}, http.StatusUnauthorized},
		{"slow connections", beginSlow, []int{cut}, cut},
		{"messages of nobody", beginMessages, []int{http.StatusRequestEntityTooLarge}, http.StatusRequestEntityTooLarge},
		{"messages that never end", beginUnfinished, []int{cut}, cut},
		{"lists that nobody reads", beginUnread(t), []int{ok, tooMany, unavailable}, ok},
		{"bodies that stop", beginStopped(t), []int{timeout, gatewayTimeout, tooMany, unavailable, cut}, unavailable},
		{"answers that nobody reads", beginUnreadAnswers(t, bomb), []int{ok, tooMany, unavailable}, ok},
	}
}

// beginStrangers sends large batches with keys that there are not.
func beginStrangers(t *testing.T, body []byte) func(context.Context, *testing.T, *tally) func() {
	nobody := newSender(t, "iis_development_nadie", "203.0.113.3", 0)
	return func(ctx context.Context, _ *testing.T, seen *tally) func() {
		return nobody.flood(ctx, seen, 12, "/cliente/registros/lote", body)
	}
}

// slowConnections are open at once; each has an address of its own, so that no limit of one
// ends them.
const slowConnections = 5000

// beginSlow sends the beginning of a small body on each connection, and then nothing.
func beginSlow(ctx context.Context, t *testing.T, seen *tally) func() {
	address := strings.TrimPrefix(system.Addresses().BaseURL, "http://")
	conns := make([]net.Conn, 0, slowConnections)
	for n := range slowConnections {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err != nil {
			t.Errorf("connection %d: %v", n, err)
			break
		}
		conns = append(conns, conn)
		// Thousands of ports must be free again for the next round.
		err = conn.(*net.TCPConn).SetLinger(0)
		if err != nil {
			t.Fatal(err)
		}
		_, err = fmt.Fprintf(conn, "POST /cliente/registros/lote HTTP/1.1\r\nHost: x\r\nX-API-Key: x\r\nX-Forwarded-For: 198.18.%d.%d\r\n"+
			"Content-Type: application/json\r\nContent-Length: 8192\r\n\r\n[{", n/256, n%256)
		if err != nil {
			t.Errorf("connection %d: %v", n, err)
		}
		seen.add(cut)
	}
	return func() {
		for _, conn := range conns {
			_ = conn.Close()
		}
	}
}

// beginUnread opens 400 lists of two institutions, half of them compressed, and reads nothing
// of them.
func beginUnread(t *testing.T) func(context.Context, *testing.T, *tally) func() {
	const listed, each = 30_000, 200
	var owners []*sender
	for n := range 2 {
		institution := system.NewInstitucion(t)
		seed(t, institution.ID, listed)
		owners = append(owners, newSender(t, institution.ApiKey, fmt.Sprintf("203.0.113.%d", 10+n), 4<<10))
	}
	return func(ctx context.Context, t *testing.T, seen *tally) func() {
		var open []*http.Response
		for n := range 2 * each {
			res, err := owners[n%2].send(ctx, http.MethodGet, "/cliente/casos", nil, "Accept-Encoding", []string{"identity", "gzip"}[n/2%2])
			if err != nil {
				t.Errorf("list %d: %v", n, err)
				continue
			}
			seen.add(res.StatusCode)
			open = append(open, res)
		}
		return func() {
			for _, res := range open {
				_ = res.Body.Close()
			}
		}
	}
}

// seed fills the table of Casos as its owner, faster than the front door would.
func seed(t *testing.T, empresa string, count int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), system.OwnerURL(stack.Registros))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	_, err = conn.Exec(t.Context(), fmt.Sprintf(`
		SET enlace.alcance = 'todas';
		INSERT INTO casos (empresa_id, id, reporte_id, ciclo, curp, persona, activado_en, continua_desde, corte,
			basicos_en, finalizacion, busqueda_finalizada_en, estado)
		SELECT '%[1]s', gen_random_uuid(), n || '-550e8400-e29b-41d4-a716-446655440000', 1,
			'SEED' || lpad(n::text, 14, '0'), '{"nombre": "NOMBRE", "primer_apellido": "PRIMERO"}', now(), '2026-01-01', 1,
			now(), 'notificada', now(), 'monitoreo'
		FROM generate_series(1, %[2]d) n;
		INSERT INTO revisiones (empresa_id, revision) VALUES ('%[1]s', 1) ON CONFLICT DO NOTHING`, empresa, count))
	if err != nil {
		t.Fatal(err)
	}
}

// beginStopped has two institutions send as much as they may have in hand, but for the last
// MiB, which comes at the slowest pace that is allowed, and strangers open bodies that hardly
// begin. Who is cut begins again.
func beginStopped(t *testing.T) func(context.Context, *testing.T, *tally) func() {
	const whole, strangers = 16 << 20, 34
	var owners []*sender
	for n := range 2 {
		owners = append(owners, newSender(t, system.NewInstitucion(t).ApiKey, fmt.Sprintf("203.0.113.%d", 20+n), 0))
	}
	stranger := newSender(t, "", "203.0.113.30", 0)
	return func(ctx context.Context, t *testing.T, seen *tally) func() {
		var sending sync.WaitGroup
		begin := func(s *sender, path string, size, quick int) {
			sending.Go(func() {
				for ctx.Err() == nil {
					status, err := s.status(ctx, http.MethodPost, path, &dripping{ctx: ctx, size: size, quick: quick})
					if ctx.Err() != nil {
						return
					}
					if err != nil {
						status = cut
					}
					seen.add(status)
					pause(ctx, status)
				}
			})
		}
		for _, owner := range owners {
			for range 2 {
				begin(owner, "/cliente/registros/lote", whole, whole-1<<20)
			}
		}
		for range strangers {
			begin(stranger, "/login", 1<<20, 1)
		}
		// Until all that stops has arrived.
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
		return sending.Wait
	}
}

// beginUnreadAnswers has two institutions send the batches with the largest answers, as many as
// they are given, and read nothing of them.
func beginUnreadAnswers(t *testing.T, bomb []byte) func(context.Context, *testing.T, *tally) func() {
	const each = 4
	var owners []*sender
	for n := range 2 {
		owners = append(owners, newSender(t, system.NewInstitucion(t).ApiKey, fmt.Sprintf("203.0.113.%d", 40+n), 4<<10))
	}
	return func(ctx context.Context, t *testing.T, seen *tally) func() {
		opened := make(chan *http.Response, 2*each)
		var sending sync.WaitGroup
		for n := range 2 * each {
			sending.Go(func() {
				res, err := owners[n%2].send(ctx, http.MethodPost, "/cliente/registros/validar", bytes.NewReader(bomb), "Content-Encoding", "gzip")
				if err != nil {
					t.Errorf("batch %d: %v", n, err)
					return
				}
				seen.add(res.StatusCode)
				opened <- res
			})
		}
		sending.Wait()
		close(opened)
		return func() {
			for res := range opened {
				_ = res.Body.Close()
			}
		}
	}
}

// allWrong is the largest batch whose every record breaks every rule that it can.
func allWrong() []byte {
	random := rand.NewChaCha8([32]byte{})
	filler := make([]byte, 40)
	records := make([]string, 5000)
	for n := range records {
		_, _ = random.Read(filler) // it never fails
		long := strings.Repeat(hex.EncodeToString(filler), 13)
		records[n] = fmt.Sprintf(`{"folio":"","curp":"x-%d","tipo_evento":"%s","fecha_evento":"ayer","descripcion_lugar_evento":"%s","nombre":"%s",`+
			`"fecha_nacimiento":"x","lugar_nacimiento":"x","sexo_asignado":"x","telefono":"x","correo":"x"}`, n, long, long, long)
	}
	return []byte("[" + strings.Join(records, ",") + "]")
}

// ordinary is a full batch of right records.
func ordinary() []byte {
	records := make([]string, 5000)
	for n := range records {
		records[n] = fmt.Sprintf(`{"folio":"F-%d","curp":"PEXA900115HDFRXN06","tipo_evento":"Toma de muestra","fecha_evento":"2026-01-15",`+
			`"descripcion_lugar_evento":"Sucursal centro, planta baja","nombre":"NOMBRE","primer_apellido":"PRIMERO","telefono":"5555555555"}`, n)
	}
	return []byte("[" + strings.Join(records, ",") + "]")
}

func pack(t *testing.T, body []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write(body)
	if err != nil {
		t.Fatal(err)
	}
	err = w.Close()
	if err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}
