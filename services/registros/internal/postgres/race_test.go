package postgres_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// raceRounds is how many Casos are opened while their persons' Registros are written; without
// one side of the lock every tenth of them goes wrong.
func raceRounds() int {
	if testing.Short() {
		return 200
	}
	return 2000
}

// crowdEvery so many rounds the batches are large ones.
const crowdEvery = 20

// round is one person: whether the activation gives a date, whether a second one does, and
// the last day before midnight or the first one after it.
type round struct {
	n              int
	dated, redated bool
	activadoEn     time.Time
}

func newRound(n int) round {
	midnight := time.Date(2026, 6, 15, 6, 0, 0, 0, time.UTC) // in Mexico City
	return round{n: n, dated: n%3 == 1, redated: n%3 == 2, activadoEn: midnight.Add(-time.Second * time.Duration(n/3%2))}
}

// strangers make a batch so large that it takes more than a round trip, and of every second
// crowd so large that it is copied instead of sent as arrays.
func (r round) strangers(prefix string) []registros.Registro {
	regs := make([]registros.Registro, 20+r.n/crowdEvery%2*480)
	for i := range regs {
		regs[i] = newRegistro(fmt.Sprintf("%s-%06d-%d", prefix, r.n, i), func(reg *registros.Registro) { reg.CURP = fmt.Sprintf("MANY%014d", r.n) })
	}
	return regs
}

func (r round) curp() string { return fmt.Sprintf("RACE%014d", r.n) }

func (r round) reporte(desaparicion string) registros.Reporte {
	return newReporte(func(rep *registros.Reporte) {
		rep.ID, rep.ActivadoEn = fmt.Sprintf("%06d-550e8400-e29b-41d4-a716-446655440000", r.n), r.activadoEn
		rep.FechaDesaparicion, _ = manual.ParseFecha(desaparicion)
		rep.Persona.CURP = r.curp()
	})
}

// raceDias are the days around the activation and around the disappearance. Of the two before
// it the first has a Registro that says what all say, the second one that adds a telephone.
var raceDias = []string{"2026-05-30", "2026-05-31", "2026-06-01", "2026-06-13", "2026-06-14", "2026-06-15", "2026-06-16"}

// The Registros of a person are written while the Caso opens, and while a repeated activation
// brings its date: before, after or at the same time. The order of their revisions says which it
// was; by that each event is told once, by its phase, or not at all. Without the advisory lock
// (sharedLock, soleLock) the two overlook each other within a few rounds.
func TestStore_aRegistroAndAnOpeningCasoMeetExactlyOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	rounds := raceRounds()
	curps, primeros := make([]string, rounds), make([]int64, rounds)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for n := int(next.Add(1)); n <= rounds && !t.Failed(); n = int(next.Add(1)) {
				curps[n-1] = newRound(n).curp()
				primeros[n-1] = b.race(t, newRound(n))
			}
		})
	}
	workers.Wait()
	// What neither its day nor its turn explains: told twice, not at all, or by a phase that has
	// no part in it. A Registro came before the first search, between it and the one that a date
	// asked for, or after.
	wrong := b.count(t, `(
		SELECT e.*, CASE
			WHEN dated AND dia >= DATE '2026-06-01' OR NOT dated AND dia >= activacion THEN true
			WHEN revision < primero THEN false
			WHEN revision < corte OR NOT dated THEN true
			ELSE dia = DATE '2026-05-31'
		END AS tells
		FROM (
			SELECT r.folio, r.fecha_evento AS dia, r.revision, k.primero, c.corte, c.fecha_desaparicion IS NOT NULL AS dated,
				count(m.id) AS told, min(m.fase) AS fase, (c.activado_en AT TIME ZONE 'America/Mexico_City')::date AS activacion
			FROM registros r JOIN casos c ON c.empresa_id = r.empresa_id AND c.curp = r.curp JOIN unnest($1::text[], $2::bigint[]) AS k (curp, primero) ON k.curp = c.curp
			LEFT JOIN coincidencias m ON m.empresa_id = c.empresa_id AND m.caso_id = c.id AND m.folio = r.folio AND m.fase <> 1
			GROUP BY 1, 2, 3, 4, 5, 6, 9
		) e
	) e WHERE told <> tells::int OR fase = 2 AND (NOT dated OR dia > activacion OR revision > corte)
		OR fase = 3 AND dated AND revision < primero AND dia <= activacion AND primero = corte`, curps, primeros)
	if total := b.count(t, `registros WHERE curp LIKE 'RACE%'`); wrong > 0 || total != rounds*len(raceDias) {
		t.Errorf("%d of %d events were not told as their day and their turn say", wrong, total)
	}
}

// race writes the Registros in two batches, to either side of the opening and at its time, and
// gives the corte of the first search.
func (b bundle) race(t *testing.T, r round) (primero int64) {
	var batches [2][]registros.Registro
	for i, dia := range raceDias {
		registro := newRegistro(fmt.Sprintf("F-%06d-%d", r.n, i), func(reg *registros.Registro) {
			reg.CURP, reg.FechaEvento = r.curp(), fecha(dia)
			if dia == "2026-05-31" {
				reg.Telefono = "5555555555"
			}
		})
		batches[i%2] = append(batches[i%2], registro)
	}
	if r.n%crowdEvery == 0 {
		batches[0], batches[1] = append(batches[0], r.strangers("A")...), append(batches[1], r.strangers("B")...)
	}
	var caso registros.CasoID
	steps := []func() error{
		func() error {
			_, err := b.store.SaveLote(t.Context(), empresaUno, registros.LoteRecibido{}, validos(batches[0]...))
			return err
		},
		func() error {
			_, err := b.store.SaveLote(t.Context(), empresaUno, registros.LoteRecibido{}, validos(batches[1]...))
			return err
		},
		func() (err error) { caso, primero, err = b.activate(t, r); return err },
	}
	var all sync.WaitGroup
	for i := range steps {
		// Each of the three comes first in turn: what starts first is mostly done first.
		step := steps[(i+r.n)%len(steps)]
		all.Go(func() {
			err := step()
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for left := true; left && !t.Failed(); {
		var err error
		left, err = b.store.SearchCaso(t.Context(), empresaUno, caso)
		if err != nil {
			t.Error(err)
		}
	}
	return primero
}

// activate opens the Caso, and completes it if the round says so.
func (b bundle) activate(t *testing.T, r round) (caso registros.CasoID, primero int64, err error) {
	const desaparicion = "2026-06-01"
	first := ""
	if r.dated {
		first = desaparicion
	}
	caso, err = b.store.OpenCaso(t.Context(), empresaUno, r.reporte(first))
	if err != nil {
		return caso, 0, err
	}
	err = b.db.InEmpresa(t.Context(), empresaUno, func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `SELECT corte FROM casos WHERE empresa_id = $1 AND id = $2`, string(empresaUno), caso).Scan(&primero)
	})
	if err != nil || !r.redated {
		return caso, primero, err
	}
	_, err = b.store.OpenCaso(t.Context(), empresaUno, r.reporte(desaparicion))
	return caso, primero, err
}
