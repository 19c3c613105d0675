package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/enlace-iis/enlace/deploy/local/stack"
	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	"github.com/enlace-iis/enlace/services/simulador/simuladortest"
)

// deactivations is how many searches of an institution are ended at once.
const deactivations = 12

// A deactivation comes while notifications are under way, at any moment of the search and
// on either replica of integracion. Once it was answered nothing arrives any more. It is not
// parallel, so that its second replica is gone before the tests that are.
func TestDeactivation_nothingArrivesAfterItsAnswer(t *testing.T) {
	second := secondReplica(t)
	for name, deactivate := range map[string]func(*busqueda, context.Context) error{
		"where the notifications leave": (*busqueda).deactivateOverHTTP,
		"on another replica":            second.deactivate,
	} {
		t.Run("slow notifications, "+name, func(t *testing.T) {
			t.Parallel()
			i := system.NewInstitucion(t)
			// Slow, so that a deactivation meets what is being sent; broken, so that it meets
			// what is to be repeated.
			fail(i, simuladortest.Falla{Ruta: simuladortest.RutaNotificarCoincidencia, Tipo: simuladortest.FallaLentitud, EsperaMs: 250, Veces: 10})
			fail(i, simuladortest.Falla{Ruta: simuladortest.RutaNotificarCoincidencia, Tipo: simuladortest.FallaCorte, Despues: true, EsperaMs: 250, Veces: 10})
			fail(i, simuladortest.Falla{Ruta: simuladortest.RutaNotificarCoincidencia, Tipo: simuladortest.FallaLentitud, EsperaMs: 250})
			all := activateAll(t, i)
			// Not at once: nothing leaves just after an activation.
			checkSilence(t, i, all, deactivateAll(t, all, 1, deactivate))
		})
		t.Run("slow login, "+name, func(t *testing.T) {
			t.Parallel()
			i := system.NewInstitucion(t)
			// Everything waits for a token, already allowed to leave but not yet on its way,
			// when the deactivations come.
			fail(i, simuladortest.Falla{Ruta: simuladortest.RutaLogin, Tipo: simuladortest.FallaLentitud, EsperaMs: 1000})
			fail(i, simuladortest.Falla{Tipo: simuladortest.FallaTokenCaduco, VidaS: 4})
			all := activateAll(t, i)
			i.Plataforma.WaitReceived(simuladortest.Filtro{InstitucionID: i.ID, Ruta: simuladortest.RutaLogin, Espera: harness.Limit}, 1)
			checkSilence(t, i, all, deactivateAll(t, all, 0, deactivate))
		})
	}
}

func activateAll(t *testing.T, i *harness.Institucion) []*busqueda {
	t.Helper()
	var all []*busqueda
	for n := range deactivations {
		b := newBusqueda(t, i, n)
		b.activate(t)
		all = append(all, b)
	}
	return all
}

// deactivateAll ends each search at a moment of its own, after so many steps at least and two
// at most, and returns when it was answered.
func deactivateAll(t *testing.T, all []*busqueda, fewest int, deactivate func(*busqueda, context.Context) error) []time.Time {
	t.Helper()
	answered := make([]time.Time, len(all))
	var ending sync.WaitGroup
	for n, b := range all {
		steps := fewest + rand.N(3-fewest)
		ending.Go(func() {
			for len(b.arrived()) < steps && t.Context().Err() == nil {
				b.Plataforma.Received(simuladortest.Filtro{InstitucionID: b.ID, Espera: 20 * time.Millisecond})
			}
			err := deactivate(b, t.Context())
			if err != nil {
				t.Error(err)
			}
			answered[n] = time.Now()
		})
	}
	ending.Wait()
	return answered
}

// checkSilence holds that nothing was told of a search after its deactivation was answered.
func checkSilence(t *testing.T, i *harness.Institucion, all []*busqueda, answered []time.Time) {
	t.Helper()
	awaitSilence(t, i, all)
	for n, b := range all {
		b.checkSilence(t, answered[n])
	}
}

// awaitSilence gives what must not be told the occasion to be told: new records for all,
// and a whole other search of the institution afterwards.
func awaitSilence(t *testing.T, i *harness.Institucion, all []*busqueda) {
	t.Helper()
	for _, b := range all {
		b.saveLater(t)
		b.awaitEstado(t, "cerrado")
	}
	another := newBusqueda(t, i, len(all))
	another.activate(t)
	another.awaitEstado(t, "monitoreo")
	another.saveLater(t)
	another.awaitDecided(t, "another search")
}

func (b *busqueda) checkSilence(t *testing.T, answered time.Time) {
	t.Helper()
	for _, l := range b.Llegadas(b.reporteID) {
		if l.RecibidoEn.After(answered) {
			t.Errorf("%s: %s arrived %v after the deactivation was answered", b.reporteID, l.Paso, l.RecibidoEn.Sub(answered))
		}
	}
	if all := b.arrived(); !slices.IsSortedFunc(all, byOrder) {
		t.Errorf("%s: the platform was asked %v, out of order", b.reporteID, all)
	}
	for _, c := range b.matches(t) {
		if c.Estado == "pendiente" || c.Fase == "3" && c.Estado != "cancelada" {
			t.Errorf("%s: after the deactivation there is a coincidencia %+v", b.reporteID, c)
		}
	}
}

func (b *busqueda) deactivateOverHTTP(ctx context.Context) error {
	var llamada simuladortest.Llamada
	err := post(ctx, b.Plataforma.URL+"/control/instituciones/"+b.ID+"/desactivar", map[string]string{"id": b.reporteID}, &llamada)
	return wantStatus(err, llamada.Status, http.StatusOK)
}

// replica is a second process of integracion, which nothing else calls.
type replica struct {
	sesiones integracionv1.SesionServiceClient
	reportes integracionv1.ReporteServiceClient
}

func secondReplica(t *testing.T) *replica {
	t.Helper()
	started, err := system.StartReplica(t.Context(), stack.Integracion)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := grpc.NewClient(started.Address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	// Once the test's children are done, and before other tests count logins: each replica
	// has tokens of its own.
	t.Cleanup(func() {
		_ = conn.Close()
		err := started.Stop(context.Background())
		if err != nil {
			t.Error(err)
		}
	})
	return &replica{sesiones: integracionv1.NewSesionServiceClient(conn), reportes: integracionv1.NewReporteServiceClient(conn)}
}

// deactivate ends a search as the platform would, on this replica.
func (r *replica) deactivate(b *busqueda, ctx context.Context) error {
	session, err := r.sesiones.Login(ctx, &integracionv1.LoginRequest{
		IdEmpresa:    b.ID,
		Credenciales: &integracionv1.Credenciales{Usuario: "PUI", Clave: b.Clave},
	})
	if err != nil {
		return err
	}
	ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+session.GetToken())
	_, err = r.reportes.DeactivateReporte(ctx, &integracionv1.DeactivateReporteRequest{
		IdEmpresa:     b.ID,
		Desactivacion: &integracionv1.Desactivacion{Id: b.reporteID},
	})
	return err
}

// post makes a request from any goroutine.
func post(ctx context.Context, url string, body, target any) error {
	content, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(content))
	if err != nil {
		return err
	}
	res, err := harness.HTTP.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	return json.NewDecoder(res.Body).Decode(target)
}

func wantStatus(err error, got, want int) error {
	if err == nil && got != want {
		return fmt.Errorf("status %d, want %d", got, want)
	}
	return err
}
