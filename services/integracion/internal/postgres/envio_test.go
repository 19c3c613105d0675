package postgres

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

const minute = time.Minute

func anEnvio(empresa tenant.EmpresaID, clave string) entregas.Envio {
	return entregas.Envio{
		EmpresaID: empresa, Tipo: entregas.EnvioCoincidencia, Clave: clave, ReporteID: reporteID, Ciclo: 1,
		Fase: manual.FaseBasicos,
	}
}

// activeReporte gives a store with an active Reporte of an institution that may send, and
// whose activation was answered.
func activeReporte(t *testing.T) (*Store, reportes.Reporte) {
	t.Helper()
	store, r := justActivated(t)
	passTime(t, store, entregas.AnswerMargin)
	return store, r
}

func justActivated(t *testing.T) (*Store, reportes.Reporte) {
	t.Helper()
	store, _ := newStore(t)
	r, err := store.SaveActivacion(t.Context(), empresaA, solicitud(nil))
	must(t, err)
	_, err = store.SetSalida(t.Context(), empresaA, "https://pui.example.mx", cuentas.Sellado{Llave: "k", Datos: []byte("x")})
	must(t, err)
	return store, r
}

func begin(t *testing.T, store *Store, e entregas.Envio) entregas.Inicio {
	t.Helper()
	inicio, err := store.BeginIntento(t.Context(), e, minute, true)
	must(t, err)
	return inicio
}

func wantBlocked(t *testing.T, store *Store, e entregas.Envio, want entregas.Bloqueo) entregas.Inicio {
	t.Helper()
	inicio := begin(t, store, e)
	if inicio.Bloqueo != want {
		t.Errorf("blocked by %d, want %d", inicio.Bloqueo, want)
	}
	return inicio
}

func end(t *testing.T, store *Store, e entregas.Envio, intento entregas.Intento, fin entregas.Fin) {
	t.Helper()
	if fin.Motivo == "" {
		fin.Motivo = "prueba"
	}
	must(t, store.EndIntento(t.Context(), e, intento, fin))
}

func fin(clase envio.Resultado) entregas.Fin {
	return entregas.Fin{Desenlace: entregas.Desenlace{Resultado: clase, Detalle: "por esto"}}
}

func TestStore_BeginIntento_givesWhatIsNeededToSend(t *testing.T) {
	t.Parallel()
	store, r := activeReporte(t)
	sitio := cuentas.Sitio{Descripcion: "Sucursal Centro"}
	_, err := store.ChangeEmpresa(t.Context(), empresaA, cuentas.CambioEmpresa{Sitio: sitio, TipoEventoNeutro: "Servicio al público"})
	must(t, err)
	inicio := wantBlocked(t, store, anEnvio(empresaA, "c1"), entregas.SinBloqueo)
	want := cuentas.Institucion{
		EmpresaID: empresaA, ID: string(empresaA), URL: "https://pui.example.mx", Sitio: sitio, TipoEventoNeutro: "Servicio al público",
	}
	if inicio.Institucion != want || inicio.Clave.Llave != "k" || inicio.Intento.Numero != 1 || inicio.Intento.Fila != r.Fila {
		t.Errorf("begun %+v", inicio)
	}
}

func TestStore_BeginIntento_decided(t *testing.T) {
	t.Parallel()
	for _, clase := range []envio.Resultado{envio.Aceptado, envio.Rechazado} {
		store, _ := activeReporte(t)
		e := anEnvio(empresaA, "c1")
		end(t, store, e, begin(t, store, e).Intento, fin(clase))
		inicio := wantBlocked(t, store, e, entregas.YaDecidido)
		if inicio.Estado != fin(clase).Estado() || (inicio.Detalle == "") != (clase == envio.Aceptado) {
			t.Errorf("decided %+v", inicio)
		}
		wantBlocked(t, store, anEnvio(empresaA, "c2"), entregas.SinBloqueo)
		// What was told stays told, whatever becomes of the Reporte.
		deactivate(t, store, empresaA)
		wantBlocked(t, store, e, entregas.YaDecidido)
	}
}

func TestStore_BeginIntento_blocked(t *testing.T) {
	t.Parallel()
	store, _ := activeReporte(t)
	e := anEnvio(empresaA, "c1")
	other := e
	other.ReporteID = "550e8400-e29b-41d4-a716-446655440000"
	wantBlocked(t, store, other, entregas.ReporteInactivo)
	other = e
	other.Ciclo = 2
	wantBlocked(t, store, other, entregas.ReporteInactivo)
	// Another institution has neither this Reporte nor this Envío.
	other = e
	other.EmpresaID = empresaB
	wantBlocked(t, store, other, entregas.ReporteInactivo)

	_, err := store.SetEstado(t.Context(), empresaA, cuentas.EmpresaSuspendida)
	must(t, err)
	wantBlocked(t, store, e, entregas.EmpresaDetenida)
	_, err = store.SetEstado(t.Context(), empresaA, cuentas.EmpresaActiva)
	must(t, err)

	looked, err := store.BeginIntento(t.Context(), e, minute, false)
	if err != nil || looked.Bloqueo != entregas.PermisoFaltante {
		t.Errorf("without permission: %+v, %v", looked, err)
	}
	wantBlocked(t, store, e, entregas.SinBloqueo)
	wantBlocked(t, store, e, entregas.EnCurso)
	deactivate(t, store, empresaA)
	wantBlocked(t, store, e, entregas.ReporteInactivo)
}

func TestStore_BeginIntento_notConfigured(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t)
	_, err := store.SaveActivacion(t.Context(), empresaA, solicitud(nil))
	must(t, err)
	wantBlocked(t, store, anEnvio(empresaA, "c1"), entregas.SinConfigurar)
}

func TestStore_BeginIntento_pauses(t *testing.T) {
	t.Parallel()
	store, _ := activeReporte(t)
	e := anEnvio(empresaA, "c1")
	later := fin(envio.MasTarde)
	later.Pausa = minute
	end(t, store, e, begin(t, store, e).Intento, later)
	inicio := wantBlocked(t, store, e, entregas.AunNo)
	if inicio.Esperar > minute || inicio.Esperar < minute/2 || inicio.Detalle != "por esto" {
		t.Errorf("to wait %v, %q", inicio.Esperar, inicio.Detalle)
	}
	passTime(t, store, minute)
	inicio = wantBlocked(t, store, e, entregas.SinBloqueo)
	if inicio.Intento.Numero != 2 {
		t.Errorf("attempt %d", inicio.Intento.Numero)
	}
}

// Nothing is told before the platform has the answer to its activation, each time that it
// begins a cycle, and only then.
func TestStore_BeginIntento_waitsForTheAnswer(t *testing.T) {
	t.Parallel()
	store, _ := justActivated(t)
	e := anEnvio(empresaA, "c1")
	waiting := wantBlocked(t, store, e, entregas.AunNo)
	if waiting.Esperar <= 0 || waiting.Esperar > entregas.AnswerMargin {
		t.Errorf("told to wait %v", waiting.Esperar)
	}
	passTime(t, store, entregas.AnswerMargin)
	wantBlocked(t, store, e, entregas.SinBloqueo)

	_, err := store.SaveActivacion(t.Context(), empresaA, solicitud(func(s *reportes.Solicitud) { s.Persona.Nombre = "OTRO" }))
	must(t, err)
	wantBlocked(t, store, anEnvio(empresaA, "c2"), entregas.SinBloqueo)

	deactivate(t, store, empresaA)
	_, err = store.SaveActivacion(t.Context(), empresaA, solicitud(nil))
	must(t, err)
	next := anEnvio(empresaA, "c3")
	next.Ciclo = 2
	wantBlocked(t, store, next, entregas.AunNo)
}

// passTime makes what the Envíos wait for lie that much further back, the activations too.
// Times lose their zone for it: with one, PostgreSQL subtracts in the session's, and a cluster
// updates no row by that.
func passTime(t *testing.T, store *Store, d time.Duration) {
	t.Helper()
	must(t, store.db.AcrossEmpresas(t.Context(), func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `
			UPDATE envios SET ocupado_hasta = (ocupado_hasta AT TIME ZONE 'UTC' - $1::interval) AT TIME ZONE 'UTC',
				siguiente_en = (siguiente_en AT TIME ZONE 'UTC' - $1::interval) AT TIME ZONE 'UTC'`, d)
		if err != nil {
			return err
		}
		_, err = tx.Exec(t.Context(), `
			UPDATE reportes SET activado_en = (activado_en AT TIME ZONE 'UTC' - $1::interval) AT TIME ZONE 'UTC'`, d)
		return err
	}))
}

func estadoOf(t *testing.T, store *Store, id uuid.UUID) entregas.EstadoEnvio {
	t.Helper()
	var estado entregas.EstadoEnvio
	must(t, store.db.InEmpresa(t.Context(), empresaA, func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `SELECT estado FROM envios WHERE id = $1`, id).Scan(&estado)
	}))
	return estado
}
