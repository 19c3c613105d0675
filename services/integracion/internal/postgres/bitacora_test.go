package postgres

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/enlace-iis/enlace/services/integracion/internal/bitacora"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/huella"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

var huellas = huella.New("keyed-hash-secret-of-tests-32-bytes!")

func asientos(t *testing.T, store *Store, empresa tenant.EmpresaID) []bitacora.Asiento {
	t.Helper()
	var all []bitacora.Asiento
	must(t, store.EachAsiento(t.Context(), empresa, bitacora.FiltroAsientos{}, func(chunk []bitacora.Asiento) error {
		all = append(all, chunk...)
		return nil
	}))
	return all
}

func accionesOf(all []bitacora.Asiento) []string {
	acciones := make([]string, len(all))
	for i, a := range all {
		acciones[i] = a.Accion
	}
	return acciones
}

func TestStore_everyChangeLeavesAnAsientoInItsTransaction(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	ctx := bitacora.WithActuacion(t.Context(), bitacora.Actuacion{Actor: "PUI", RequestID: "r-1", Desde: time.Now(), Exito: 200})
	_, err := store.SaveActivacion(ctx, empresaA, solicitud(nil))
	must(t, err)
	must(t, store.SavePrueba(ctx, empresaA, solicitud(nil)))
	inicio, err := store.BeginIntento(t.Context(), anEnvio(empresaA, "c1"), minute, true)
	must(t, err)
	if inicio.Bloqueo == entregas.SinBloqueo {
		t.Fatal("an institution without an address sends")
	}
	_, err = store.SetSalida(t.Context(), empresaA, "https://pui.example.mx", cuentas.Sellado{Llave: "k", Datos: []byte("x")})
	must(t, err)
	passTime(t, store, entregas.AnswerMargin)
	inicio, err = store.BeginIntento(t.Context(), anEnvio(empresaA, "c1"), minute, true)
	must(t, err)
	must(t, store.EndIntento(t.Context(), anEnvio(empresaA, "c1"), inicio.Intento, entregas.Fin{
		Desenlace: entregas.Desenlace{Resultado: envio.Rechazado, Status: 400, Motivo: "rechazado", Detalle: "'nombre' PERSONAL"},
	}))
	_, err = store.SaveDesactivacion(ctx, empresaA, reporteID)
	must(t, err)

	all := asientos(t, store, empresaA)
	want := []string{"empresa_creada", "activar-reporte", "activar-reporte-prueba", "clave_salida", "notificar-coincidencia", "desactivar-reporte"}
	if got := accionesOf(all); !slices.Equal(got, want) {
		t.Fatalf("bitacora = %v, want %v", got, want)
	}
	huella := huellas.Huella("curp", curp)
	activacion, intento, baja := all[1], all[4], all[5]
	if activacion.Actor != "PUI" || activacion.RequestID != "r-1" || activacion.Status != 200 || activacion.ReporteID != reporteID {
		t.Errorf("activation = %+v", activacion)
	}
	for _, a := range []bitacora.Asiento{activacion, intento, baja} {
		if !slices.Equal(a.HuellaCURP, huella) {
			t.Errorf("%s has the hash %x", a.Accion, a.HuellaCURP)
		}
	}
	if intento.Status != 400 || intento.Motivo != "rechazado" || intento.Actor != bitacora.ActorSistema || intento.Recurso == "" {
		t.Errorf("attempt = %+v", intento)
	}
	if others := asientos(t, store, empresaB); len(others) != 1 {
		t.Errorf("the other institution has %v", accionesOf(others))
	}
}

// The Bitácora is no proof of anything if who writes it can rewrite it.
func TestBitacora_isOnlyEverAddedTo(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	for _, statement := range []string{
		`UPDATE bitacora SET accion = 'otra'`, `DELETE FROM bitacora`, `TRUNCATE bitacora`,
		`UPDATE avisos SET tipo = 'activacion'`, `DELETE FROM avisos`,
	} {
		err := store.db.AcrossEmpresas(t.Context(), func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), statement)
			return err
		})
		refused, ok := errors.AsType[*pgconn.PgError](err)
		if !ok || refused.Code != "42501" {
			t.Errorf("%s: %v, want insufficient privilege", statement, err)
		}
	}
}

func TestBitacora_ofNoInstitutionIsSeenByNone(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	must(t, store.CreateUsuario(t.Context(), cuentas.Usuario{Usuario: "operador", Hash: "$argon2id$x"}))
	all := asientos(t, store, bitacora.SinEmpresa)
	if len(all) != 1 || all[0].Accion != "usuario_creado" || all[0].Recurso != "operador" {
		t.Errorf("bitacora = %+v", all)
	}
	var seen int
	must(t, store.db.Pool().QueryRow(t.Context(), `SELECT count(*) FROM bitacora`).Scan(&seen))
	if seen != 0 {
		t.Errorf("%d entries are seen outside of any institution", seen)
	}
}

func TestStore_EachAsiento_keepsToThePeriodAcrossChunks(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	const total = 2*asientoChunk + 3
	year := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	insertRows(t, store, year, time.Second, total/2+1) // two have each time, all but the last
	insertRows(t, store, year, time.Second, total/2)
	count := func(p bitacora.Periodo) int {
		n := 0
		must(t, store.EachAsiento(t.Context(), empresaA, bitacora.FiltroAsientos{Periodo: p}, func(chunk []bitacora.Asiento) error {
			n += len(chunk)
			return nil
		}))
		return n
	}
	if n := count(bitacora.Periodo{Desde: year, Hasta: year.AddDate(1, 0, 0)}); n != total {
		t.Errorf("%d entries in the year, want %d", n, total)
	}
	if n := count(bitacora.Periodo{Desde: year, Hasta: year.Add(time.Second)}); n != 2 {
		t.Errorf("%d entries in the first second, want 2", n)
	}
}
