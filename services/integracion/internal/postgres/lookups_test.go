//go:build !citus

package postgres

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/integracion/internal/resincronizacion"
	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/pgtest"
)

// joined gives an institution 5,000 active Reportes, each with an Envío that may be tried again.
// Rows of one number belong together; see rowID and reporteOf.
const joined = `
INSERT INTO empresas (id, nombre, institucion_id, pui_url, pui_clave, pui_clave_llave)
VALUES ('%[1]s', 'X', '%[1]s', 'https://pui.example.mx', 'x', 'k');
INSERT INTO reportes (empresa_id, id, reporte_id, ciclo, curp, persona, curp_huella, activado_en)
SELECT '%[1]s', ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, lpad(n::text, 36, '0'), 1, 'MANY10000000000007', '{}',
	sha256('x'), now() - interval '1 day'
FROM generate_series(1, 5000) n;
INSERT INTO envios (empresa_id, id, reporte_fila, tipo, clave, fase, intentos)
SELECT empresa_id, id, id, 'coincidencia', reporte_id, '3', 1 FROM reportes WHERE empresa_id = '%[1]s';
INSERT INTO envio_intentos (empresa_id, envio_id, numero, terminado_en, motivo)
SELECT empresa_id, id, 1, now(), 'x' FROM envios WHERE empresa_id = '%[1]s'`

// manySmall are 15,000 institutions with a row of each kind.
const manySmall = `
INSERT INTO reportes (empresa_id, id, reporte_id, ciclo, curp, persona, curp_huella)
SELECT 'E' || n, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, lpad(n::text, 36, '0'), 1, 'MANY10000000000007', '{}', sha256('x')
FROM generate_series(1, 15000) n;
INSERT INTO envios (empresa_id, id, reporte_fila, tipo, clave, fase, intentos)
SELECT empresa_id, id, id, 'coincidencia', reporte_id, '3', 1 FROM reportes;
INSERT INTO envio_intentos (empresa_id, envio_id, numero, terminado_en, motivo)
SELECT empresa_id, id, 1, now(), 'x' FROM envios`

// However much an institution has, and however little PostgreSQL knows of that, what is done together
// reads what it names, of every table: nothing is read for each of the institution's rows.
func TestLookups_ofAnInstitutionThatWasNotCounted(t *testing.T) {
	t.Parallel()
	states := map[string][]string{
		"another institution is counted":      {fmt.Sprintf(joined, empresaB), `ANALYZE`},
		"many small institutions are counted": {manySmall, `ANALYZE`},
		"nothing was ever counted":            nil,
	}
	for name, prepare := range states {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := pgtest.New(t, Migrations)
			withCrowd(t, database, slices.Concat([]string{pgtest.Uncounted}, prepare, []string{fmt.Sprintf(joined, empresaA)})...)
			for _, group := range groups {
				t.Run(group.name, func(t *testing.T) {
					database.CheckReads(t, 20*groupSize, func(db *pg.DB) { group.run(t, NewStore(db, &queue{}, huellas)) })
				})
			}
		})
	}
}

// groupSize is how many come at once.
const groupSize = 100

// groups are what is done together.
var groups = []struct {
	name string
	run  func(t *testing.T, store *Store)
}{
	{"activations", func(t *testing.T, store *Store) {
		eachAtOnce(t, func(n int) error {
			_, err := store.SaveActivacion(t.Context(), empresaA, solicitud(func(s *reportes.Solicitud) { s.ReporteID = reporteOf(10_000 + n) }))
			return err
		})
	}},
	{"reads", func(t *testing.T, store *Store) {
		eachAtOnce(t, func(n int) error {
			_, err := store.GetReporte(t.Context(), empresaA, rowID(n))
			return err
		})
	}},
	{"first attempts", func(t *testing.T, store *Store) {
		eachAtOnce(t, func(n int) error { return attempt(t, store, n, "NEW"+reporteOf(n)) })
	}},
	{"further attempts", func(t *testing.T, store *Store) {
		eachAtOnce(t, func(n int) error { return attempt(t, store, n, reporteOf(n)) })
	}},
	{"a part of the platform's list", func(t *testing.T, store *Store) {
		var ids []string
		for n := range groupSize {
			ids = append(ids, reporteOf(n+1))
		}
		ultimos, err := store.FindUltimos(t.Context(), empresaA, ids)
		if err != nil || len(ultimos) != groupSize {
			t.Fatalf("%d are found, %v", len(ultimos), err)
		}
		for n := range ultimos {
			ultimos[n].Observacion = resincronizacion.ObservadoListadoInactivo
		}
		must(t, store.FlagReportes(t.Context(), empresaA, ultimos, time.Now()))
	}},
}

// attempt begins an attempt of a Reporte, and ends it.
func attempt(t *testing.T, store *Store, n int, clave string) error {
	e := entregas.Envio{
		EmpresaID: empresaA, Tipo: entregas.EnvioCoincidencia, Clave: clave, ReporteID: reporteOf(n), Ciclo: 1, Fase: manual.FaseContinua,
	}
	inicio, err := store.BeginIntento(t.Context(), e, minute, true)
	if err != nil {
		return err
	}
	if inicio.Intento.EnvioID == uuid.Nil {
		return fmt.Errorf("attempt %d is blocked by %d", n, inicio.Bloqueo)
	}
	end := fin(envio.Aceptado)
	end.Motivo = "aceptado"
	return store.EndIntento(t.Context(), e, inicio.Intento, end)
}

// eachAtOnce makes groupSize calls together, with numbers from 1.
func eachAtOnce(t *testing.T, call func(n int) error) {
	t.Helper()
	var all sync.WaitGroup
	for n := range groupSize {
		all.Go(func() {
			if err := call(n + 1); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
