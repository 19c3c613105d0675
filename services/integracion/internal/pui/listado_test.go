package pui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/integracion/internal/resincronizacion"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

// gathered reads a list and gives the ids of its entries, with a minus before the inactive.
func gathered(body io.Reader) ([]string, error) {
	ids := []string{}
	err := readListado(body, func(batch []resincronizacion.Entrada) error {
		for _, e := range batch {
			id := e.Activacion.ID
			if e.Inactiva {
				id = "-" + id
			}
			ids = append(ids, id)
		}
		return nil
	})
	return ids, err
}

func TestReadListado_whole(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body string
		want []string
	}{
		"empty":                  {`[]`, nil},
		"white space":            {" [ \r\n\t] ", nil},
		"elements":               {`[{"id":"a"},{"id":"b","otro":{"id":"x","y":["]}",{}]}}]`, []string{"a", "b"}},
		"escapes":                {`[{"nombre":"\"}],[{\\","id":"a\u0062"}]`, []string{"ab"}},
		"nulls and numbers":      {`[{"id":null,"curp":1},{"id":7},{"id":"a","nombre":null}]`, []string{"", "", "a"}},
		"no objects":             {`[1,"a",null,true,[{"id":"x"}],{"id":"a"}]`, []string{"", "", "", "", "", "a"}},
		"no JSON inside":         {`[{"id":"a"},{id:b},{"id":"c"}]`, []string{"a", "", "c"}},
		"wrong brackets":         {`[{"id":"a"],{"id":"b"}]`, []string{"a", "b"}},
		"an escape that is none": {`[{"id":"a","nombre":"\x"},{"nombre":"\x","id":"b"}]`, []string{"a", ""}},
		"an element too large":   {`[{"id":"a"},{"id":"b","nombre":"` + strings.Repeat("x", maxElemento) + `"},{"id":"c"}]`, []string{"a", "b", "c"}},
		"below data":             {`{"total":1,"data":[{"id":"a"}],"pagina":{"data":[1]}}`, []string{"a"}},
		"below reportes":         {`{"reportes":[{"id":"a"}]}`, []string{"a"}},
		"below both":             {`{"data":{"total":2,"reportes":[{"id":"a"}]},"otro":[]}`, []string{"a"}},
		"active states":          {`[{"id":"a","estado":"ACTIVO"},{"id":"b","estatus":"activa "},{"id":"c","activo":true},{"id":"d","activo":1},{"id":"e","estado":"Vigente","activo":null,"estatus":""},{"id":"f","activo":"1"}]`, []string{"a", "b", "c", "d", "e", "f"}},
		"other states":           {`[{"id":"a","estado":"LOCALIZADO"},{"id":"b","estatus":"BAJA"},{"id":"c","activo":false},{"id":"d","activo":0},{"id":"e","estado":"ACTIVO","activo":"no"},{"id":"f","estado":{}}]`, []string{"-a", "-b", "-c", "-d", "-e", "-f"}},
	}
	for name, tt := range tests {
		for _, body := range []io.Reader{strings.NewReader(tt.body), iotest.OneByteReader(strings.NewReader(tt.body))} {
			got, err := gathered(body)
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("%s: %q, %v; want %q", name, got, err, tt.want)
			}
		}
	}
}

// What is no text is named, and costs nothing else of its entry.
func TestEntradaOf(t *testing.T) {
	t.Parallel()
	got := entradaOf([]byte(`{"id":"a","curp":"b","nombre":7,"fecha_nacimiento":1990,"segundo_apellido":null,"fecha_registro":"2003-04-20",
		"lugar_nacimiento":null,"lugar_de_nacimiento":"COLIMA","sexo_asignado":["M"]}`))
	want := resincronizacion.Entrada{
		Activacion: reportes.Activacion{ID: "a", CURP: "b", FechaRegistro: "2003-04-20", LugarNacimiento: "COLIMA"},
		Ilegibles:  []string{"nombre", "fecha_nacimiento", "sexo_asignado"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What breaks off was no whole list, wherever it breaks off.
func TestReadListado_broken(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]string{
		``: {}, `null`: {}, `"a"`: {}, `7`: {}, `{}`: {}, `{"otro":[{"id":"x"}]}`: {}, `{"data":null}`: {}, `<html>`: {},
		`[{"id":"a"},]`: {"a"}, `[{"id":"a"} {"id":"b"}]`: {"a"}, `[{"id":"a"}]]`: {"a"}, `[{"id":"a"}][{"id":"b"}]`: {"a"}, `[,]`: {},
		`{"data":[{"id":"a"}],"reportes":[{"id":"b"}]}`: {"a"}, `{"data":[{"id":"a"}]`: {"a"}, `{data:[]}`: {}, `{"data" []}`: {}, `{"data":[]x}`: {},
		`{"data":{"data":{"data":[{"id":"a"}]}}}`: {}, `[1`: {}, `["a`: {}, `["a\`: {},
	} {
		got, err := gathered(strings.NewReader(body))
		if err == nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q and an error", body, got, err, want)
		}
	}
	const whole = `{"a":[1,"\""],"data": [ {"id":"a","x":[{}]} , 12, {"id":"b"}], "z":null }`
	for n := range len(whole) {
		_, err := gathered(strings.NewReader(whole[:n]))
		if err == nil {
			t.Errorf("%s is taken for a whole list", whole[:n])
		}
	}
}

func TestReadListado_endsWithItsTaker(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	calls := 0
	err := readListado(listOf(10*batchListado), func([]resincronizacion.Entrada) error {
		calls++
		return broken
	})
	if !errors.Is(err, broken) || calls != 1 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

// listOf is a list of that many elements, made as it is read.
func listOf(n int) io.Reader {
	return &madeList{elements: n}
}

type madeList struct {
	elements, made int
	rest           []byte
}

// Read implements [io.Reader].
func (l *madeList) Read(p []byte) (int, error) {
	switch {
	case len(l.rest) > 0:
	case l.made > l.elements:
		return 0, io.EOF
	case l.made == l.elements:
		l.rest = []byte("]")
		l.made++
	default:
		l.rest = fmt.Appendf(l.rest, `%c{"id":"A1B2C3D4E5F6-550e8400-e29b-41d4-a716-%012d","curp":"TEST010101HDFABC01"}`,
			"[,"[min(l.made, 1)], l.made)
		l.made++
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// Memory does not grow with the list.
func TestReadListado_ofAnySize(t *testing.T) {
	const elements = 50_000 // 4 MB
	inUse := func() uint64 {
		runtime.GC()
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		return memory.HeapAlloc
	}
	before := inUse()
	taken, measured, largest := 0, 0, uint64(0)
	err := readListado(listOf(elements), func(batch []resincronizacion.Entrada) error {
		taken += len(batch)
		if taken-measured >= elements/10 {
			measured = taken
			now := inUse()
			largest = max(largest, now-min(before, now))
			runtime.KeepAlive(batch)
		}
		return nil
	})
	if err != nil || taken != elements {
		t.Fatalf("%d elements, %v", taken, err)
	}
	if largest > 2<<20 {
		t.Errorf("%d bytes were held", largest)
	}
}

func read(t *testing.T, client *Client, institucion cuentas.Institucion) (ids []string, d entregas.Desenlace) {
	t.Helper()
	d = client.ReadReportes(t.Context(), institucion, func(batch []resincronizacion.Entrada) error {
		for _, e := range batch {
			ids = append(ids, e.Activacion.ID)
		}
		return nil
	})
	return ids, d
}

func TestClient_ReadReportes(t *testing.T) {
	simulador, institucion := atSimulador(t)
	reportes := make([]map[string]any, 1000)
	for i := range reportes {
		reportes[i] = map[string]any{"id": fmt.Sprint(i), "curp": curp, "nombre": strings.Repeat("N", 50)}
	}
	simulador.SetReportes(empresa, reportes)
	client := newClient(t, time.Minute)
	ids, d := read(t, client, institucion)
	if d.Resultado != envio.Aceptado || len(ids) != len(reportes) || ids[999] != "999" {
		t.Errorf("%d read, outcome %+v", len(ids), d)
	}
	for name, tt := range map[string]struct {
		falla simuladortest.Falla
		some  bool
	}{
		"500":            {simuladortest.Falla{Tipo: simuladortest.FallaStatus, Status: 500}, false},
		"cut":            {simuladortest.Falla{Tipo: simuladortest.FallaCorte}, false},
		"broken JSON":    {simuladortest.Falla{Tipo: simuladortest.FallaJSONRoto}, true},
		"cut in between": {simuladortest.Falla{Tipo: simuladortest.FallaCorte, AMedias: true}, true},
	} {
		tt.falla.Ruta = simuladortest.RutaReportes
		simulador.Fail(tt.falla)
		ids, d := read(t, client, institucion)
		if d.Resultado != envio.MasTarde || !d.Falla || len(ids) == len(reportes) || (len(ids) > 0) != tt.some {
			t.Errorf("%s: %d read, outcome %+v", name, len(ids), d)
		}
		simulador.ClearFaults()
	}
}

func TestClient_ReadReportes_wrapped(t *testing.T) {
	simulador, institucion := atSimulador(t)
	simulador.SetReportes(empresa, map[string]any{"total": 1, "data": []any{map[string]any{"id": "a", "estado": "ACTIVO"}}})
	ids, d := read(t, newClient(t, time.Minute), institucion)
	if d.Resultado != envio.Aceptado || !slices.Equal(ids, []string{"a"}) {
		t.Errorf("read %q, outcome %+v", ids, d)
	}
}

// A platform that stops in the middle is not waited for longer than for one that does not
// answer; one that goes on slowly is, however long it takes in all.
func TestClient_ReadReportes_waitsForTheNextOfIt(t *testing.T) {
	const patience = 200 * time.Millisecond
	goOn := make(chan struct{})
	stalls := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/login" {
			_, _ = io.WriteString(w, `{"token":"t"}`)
			return
		}
		_, _ = io.WriteString(w, `[{"id":"0"}`)
		for n := 1; n < 20; n++ {
			_ = http.NewResponseController(w).Flush()
			if stalls && n == 10 {
				<-goOn
			}
			select {
			case <-time.After(patience / 8):
			case <-r.Context().Done():
				return
			}
			_, _ = fmt.Fprintf(w, `,{"id":"%d"}`, n)
		}
		_, _ = io.WriteString(w, `]`)
	}))
	defer server.Close()
	client := newClient(t, patience)
	ids, d := read(t, client, institucionAt(server.URL))
	if d.Resultado != envio.Aceptado || len(ids) != 20 {
		t.Errorf("slowly: %d read, outcome %+v", len(ids), d)
	}
	stalls = true
	ids, d = read(t, client, institucionAt(server.URL))
	close(goOn)
	if d.Resultado != envio.MasTarde || d.Motivo != motivoTiempo || len(ids) != 10 {
		t.Errorf("stalled: %d read, outcome %+v", len(ids), d)
	}
}

func TestClient_ReadReportes_endsWithItsTaker(t *testing.T) {
	simulador, institucion := atSimulador(t)
	simulador.SetReportes(empresa, []any{map[string]any{"id": "a"}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d := newClient(t, time.Minute).ReadReportes(ctx, institucion, func([]resincronizacion.Entrada) error { return errors.New("broken") })
	if d.Resultado != envio.Cancelado || d.Falla {
		t.Errorf("outcome %+v", d)
	}
}
