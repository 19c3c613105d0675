package app_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/integracion/integraciontest"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/registros/registrostest"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

// enlace is both services, each with its own database, and the platform.
type enlace struct {
	*sistema
	registro registrosv1.RegistroServiceClient
	casos    registrosv1.CasoServiceClient
}

func startEnlace(t *testing.T) *enlace {
	t.Helper()
	listener := integraciontest.Listen(t)
	registros := registrostest.Start(t, registrostest.Options{IntegracionTarget: listener.Addr().String()})
	s := start(t, integraciontest.Options{Listener: listener, RegistrosTarget: registros.Target})
	conn, err := rpc.Dial(registros.Target, rpc.ClientConfig{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return &enlace{sistema: s, registro: registrosv1.NewRegistroServiceClient(conn), casos: registrosv1.NewCasoServiceClient(conn)}
}

// save writes a Registro of the person, and tells how many Coincidencias that made.
func (e *enlace) save(ctx context.Context, folio string) (int32, error) {
	answer, err := e.registro.SaveLote(withKey(ctx, e.keys[empresaA].Texto), &registrosv1.SaveLoteRequest{
		Registros: []*registrosv1.Registro{{
			Folio: folio, Curp: curp, TipoEvento: "Toma de muestra", FechaEvento: time.Now().Add(-48 * time.Hour).Format(time.DateOnly),
		}},
	})
	return answer.GetCoincidencias(), err
}

// report activates and deactivates the n-th Reporte.
func (e *enlace) report(t *testing.T, n int, active bool) {
	t.Helper()
	ctx, id := withToken(t.Context(), e.tokens[empresaA]), idOf(n)
	var err error
	if active {
		_, err = e.reportes().ActivateReporte(ctx, &integracionv1.ActivateReporteRequest{
			Activacion: &integracionv1.Activacion{Id: id, Curp: curp, FechaDesaparicion: "2024-01-01"},
		})
	} else {
		_, err = e.reportes().DeactivateReporte(ctx, &integracionv1.DeactivateReporteRequest{Desactivacion: &integracionv1.Desactivacion{Id: id}})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func idOf(n int) string { return fmt.Sprintf("A1B2C3D4E5F6-550e8400-e29b-41d4-a716-%012d", n) }

// matches counts the Coincidencias of all Reportes, and those still to be told.
func (e *enlace) matches(t *testing.T) (all, waiting int) {
	t.Helper()
	stream, err := e.casos.ListCoincidencias(withKey(t.Context(), e.keys[empresaA].Texto), &registrosv1.ListCoincidenciasRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for chunk, err := stream.Recv(); err == nil; chunk, err = stream.Recv() {
		all += len(chunk.GetCoincidencias())
		for _, c := range chunk.GetCoincidencias() {
			if c.GetEstado() == "pendiente" {
				waiting++
			}
		}
	}
	return all, waiting
}

// told counts what the platform was told of an institution's searches.
func (e *enlace) told() int {
	n := 0
	for _, each := range e.simulador.Received(simuladortest.Filtro{InstitucionID: string(empresaA)}) {
		if each.Ruta != simuladortest.RutaLogin {
			n++
		}
	}
	return n
}

// Once a deactivation is answered, what is written is no match and nothing leaves, however
// the activation, the search, the deliveries and writes of that person are under way: some
// rounds deactivate before the Caso can be open, some in the midst of the deliveries.
func TestDeactivate_isClosing(t *testing.T) {
	t.Parallel()
	e := startEnlace(t)
	const rounds = 25
	for n := range rounds {
		e.report(t, n, true)
		if n%2 == 1 {
			eventually(t, "a match", func() bool {
				found, err := e.save(t.Context(), fmt.Sprintf("ANTES-%d-%d", n, time.Now().UnixNano()))
				return err == nil && found > 0
			})
		}
		var writers sync.WaitGroup
		var over atomic.Bool
		for w := range 3 {
			writers.Go(func() {
				for i := 0; !over.Load(); i++ {
					_, err := e.save(t.Context(), fmt.Sprintf("MIENTRAS-%d-%d-%d", n, w, i))
					if err != nil {
						t.Errorf("round %d: %v", n, err)
						return
					}
				}
			})
		}
		e.report(t, n, false)
		told := e.told()
		found, err := e.save(t.Context(), fmt.Sprintf("DESPUES-%d", n))
		if err != nil || found != 0 {
			t.Errorf("round %d: a record written after the answer made %d matches, %v", n, found, err)
		}
		over.Store(true)
		writers.Wait()
		all, waiting := e.matches(t)
		if waiting != 0 {
			t.Errorf("round %d: %d of %d matches wait to be told", n, waiting, all)
		}
		if later := e.told(); later != told {
			t.Errorf("round %d: %d notifications left after the answer", n, later-told)
		}
	}
}

// A registros that is slow or away costs the platform no answer.
func TestDeactivate_answersWithoutRegistros(t *testing.T) {
	t.Parallel()
	slow, address := serveRegistros(t, "127.0.0.1:0")
	slow.mute.Store(true)
	for name, target := range map[string]string{"slow": address, "away": ""} {
		s := start(t, integraciontest.Options{RegistrosTarget: target})
		s.activate(t, empresaA)
		s.deactivate(t, empresaA)
		if waiting := count(t, s.Servicio, `river_job WHERE kind = 'sync_casos' AND finalized_at IS NULL`); waiting == 0 {
			t.Errorf("%s: no job closes the caso", name)
		}
	}
}
