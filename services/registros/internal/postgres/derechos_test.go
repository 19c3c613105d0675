package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/postgres"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

func TestStore_EachConservado(t *testing.T) {
	t.Parallel()
	b := setup(t)
	older := newRegistro("A", func(r *registros.Registro) { r.FechaEvento = fecha("2020-01-01") })
	newer := newRegistro("B", func(r *registros.Registro) { r.Domicilio = manual.Direccion{Calle: "Calle Uno"} })
	other := newRegistro("C", func(r *registros.Registro) { r.CURP = curpDos })
	b.save(t, empresaUno, older, newer, other)
	b.save(t, empresaDos, newRegistro("A", nil))
	b.told(t, empresaUno, b.open(t, empresaUno, newReporte(nil)))
	told := map[registros.Folio]int{"B": 1} // the older event was before the disappearance
	for name, tt := range map[string]struct {
		sel  registros.Seleccion
		want []registros.Registro
	}{
		"of a person": {registros.Seleccion{CURP: curpUno}, []registros.Registro{newer, older}},
		"of a folio":  {registros.Seleccion{Folio: "C"}, []registros.Registro{other}},
		"of nobody":   {registros.Seleccion{CURP: "ZZZZ900115HDFRXN06"}, nil},
	} {
		got := b.conservados(t, tt.sel)
		total, err := b.store.CountRegistros(t.Context(), empresaUno, tt.sel)
		if err != nil || len(got) != len(tt.want) || total != len(tt.want) {
			t.Fatalf("%s: %+v, of %d, %v", name, got, total, err)
		}
		for i, r := range got {
			if r.Registro != tt.want[i] || r.Notificadas != told[r.Folio] || r.CreadoEn.IsZero() || r.ActualizadoEn.IsZero() {
				t.Errorf("%s: %+v, want %+v", name, r, tt.want[i])
			}
		}
	}
}

// However many there are of a person, each comes once, and no more than a chunk at a time.
func TestStore_EachConservado_ofManyInADay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const many = 1200
	for from := 0; from < many; from += 400 {
		var some []registros.Registro
		for n := range 400 {
			some = append(some, newRegistro(fmt.Sprintf("F-%04d", from+n), nil))
		}
		b.save(t, empresaUno, some...)
	}
	seen := map[registros.Folio]bool{}
	for _, r := range b.conservados(t, registros.Seleccion{CURP: curpUno}) {
		seen[r.Folio] = true
	}
	if len(seen) != many {
		t.Errorf("%d of %d were handed over", len(seen), many)
	}
}

// conservados gathers what is handed over, each once.
func (b bundle) conservados(t *testing.T, sel registros.Seleccion) []registros.RegistroConservado {
	t.Helper()
	var all []registros.RegistroConservado
	err := b.store.EachConservado(t.Context(), empresaUno, sel, func(chunk []registros.RegistroConservado) error {
		if len(chunk) > 500 {
			t.Errorf("%d at once", len(chunk))
		}
		all = append(all, chunk...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// contado is what an erasure did, without the ids.
type contado struct {
	CURP                     string
	Registros, Coincidencias int
}

func counted(b registros.Borrado) contado {
	return contado{b.CURP, b.Registros, len(b.Coincidencias)}
}

// What is erased leaves nothing of the person but what the platform itself reported; ids,
// times and states of what was told stay.
func TestStore_DeleteRegistros_ofAPerson(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil), newRegistro("B", nil), newRegistro("C", func(r *registros.Registro) { r.CURP = curpDos }))
	b.save(t, empresaDos, newRegistro("A", nil))
	b.told(t, empresaUno, b.open(t, empresaUno, newReporte(nil)))
	told := b.count(t, `coincidencias WHERE estado = 'notificada'`)
	before := b.revision(t)
	sel := registros.Seleccion{CURP: curpUno}
	want := contado{CURP: curpUno, Registros: 2, Coincidencias: told}

	got, err := b.store.DeleteRegistros(t.Context(), empresaUno, sel, true)
	if err != nil || counted(got) != want || b.count(t, "registros") != 4 || b.revision(t) != before {
		t.Errorf("simulated: %+v, %v; want %+v and nothing done", got, err, want)
	}
	got, err = b.store.DeleteRegistros(t.Context(), empresaUno, sel, false)
	if err != nil || counted(got) != want || b.revision(t) == before {
		t.Errorf("erased %+v, %v; want %+v", got, err, want)
	}
	if left := b.count(t, `registros WHERE empresa_id = $1 AND curp = $2`, string(empresaUno), curpUno) +
		b.count(t, `coincidencias WHERE curp = $1 OR folio <> '' OR datos::text <> '{}' OR tipo_evento <> ''`, curpUno); left != 0 {
		t.Errorf("%d rows still tell of the person", left)
	}
	if b.count(t, "registros") != 2 || b.count(t, `coincidencias WHERE estado = 'notificada' AND notificada_en IS NOT NULL`) != told {
		t.Error("somebody else's was erased, or that the platform was told")
	}
	got, err = b.store.DeleteRegistros(t.Context(), empresaUno, sel, false)
	if err != nil || counted(got) != (contado{CURP: curpUno}) {
		t.Errorf("again %+v, %v", got, err)
	}
}

// Of one folio the others stay, but for what phase 1 made of all of them.
func TestStore_DeleteRegistros_ofAFolio(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil), newRegistro("B", nil))
	b.told(t, empresaUno, b.open(t, empresaUno, newReporte(nil)))
	got, err := b.store.DeleteRegistros(t.Context(), empresaUno, registros.Seleccion{Folio: "A"}, false)
	if err != nil || counted(got) != (contado{CURP: curpUno, Registros: 1, Coincidencias: 2}) {
		t.Errorf("erased %+v, %v", got, err)
	}
	if b.count(t, `registros WHERE folio = 'B'`) != 1 || b.count(t, `coincidencias WHERE folio = 'B' AND fase = 2 AND curp = $1`, curpUno) != 1 {
		t.Error("another folio's was erased")
	}
}

// What a record told while it was somebody else's goes with it, and nothing else of that one's.
func TestStore_DeleteRegistros_ofWhatWasSomebodyElses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil), newRegistro("B", nil))
	caso := b.open(t, empresaUno, newReporte(nil))
	b.save(t, empresaUno, newRegistro("A", func(r *registros.Registro) { r.CURP = curpDos }))
	sel := registros.Seleccion{CURP: curpDos}
	_, err := b.store.DeleteRegistros(t.Context(), empresaUno, sel, false)
	if !errs.Is(err, errores.Conflicto) || b.count(t, "registros") != 2 {
		t.Errorf("before it was told: %v", err)
	}
	b.told(t, empresaUno, caso)
	got, err := b.store.DeleteRegistros(t.Context(), empresaUno, sel, false)
	if err != nil || counted(got) != (contado{CURP: curpDos, Registros: 1, Coincidencias: 2}) {
		t.Errorf("erased %+v, %v", got, err)
	}
	if b.count(t, `coincidencias WHERE datos::text <> '{}' AND (folio <> 'B' OR fase = 1)`) != 0 {
		t.Error("what was told of it is still there")
	}
	if b.count(t, `registros WHERE folio = 'B'`) != 1 || b.count(t, `coincidencias WHERE folio = 'B' AND fase = 2 AND curp = $1`, curpUno) != 1 {
		t.Error("somebody else's was erased")
	}
}

// What is being searched for, or waits to be told, is told first.
func TestStore_DeleteRegistros_waitsForWhatIsToBeTold(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil))
	id, err := b.store.OpenCaso(t.Context(), empresaUno, newReporte(nil))
	if err != nil {
		t.Fatal(err)
	}
	refused := func(when string) {
		t.Helper()
		for _, sel := range []registros.Seleccion{{CURP: curpUno}, {Folio: "A"}} {
			_, err := b.store.DeleteRegistros(t.Context(), empresaUno, sel, false)
			if !errs.Is(err, errores.Conflicto) || b.count(t, "registros") != 1 {
				t.Errorf("%s: %v", when, err)
			}
		}
	}
	refused("before the search")
	b.search(t, empresaUno, id)
	refused("before it was told")
	b.step(t, id, rejected)
	b.told(t, empresaUno, id)
	_, err = b.store.DeleteRegistros(t.Context(), empresaUno, registros.Seleccion{CURP: curpUno}, false)
	if err != nil {
		t.Fatal(err)
	}
	if b.count(t, `coincidencias WHERE estado = 'cancelada'`) != 1 || b.count(t, `coincidencias WHERE estado = 'rechazada'`) != 0 {
		t.Error("what was refused could be told again, and has nothing to tell")
	}
}

// eraser erases while a Caso is being opened.
type eraser struct {
	postgres.Queue
	erase func()
}

func (e eraser) FollowAperturas(context.Context, pgx.Tx, tenant.EmpresaID, []*postgres.Apertura) error {
	e.erase()
	return nil
}

// An erasure waits for an opening, and then finds its Caso: the search would miss what went.
func TestStore_DeleteRegistros_waitsForAnOpening(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil))
	sel := registros.Seleccion{CURP: curpUno}
	store := postgres.NewStore(b.db, eraser{erase: func() {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		_, err := b.store.DeleteRegistros(ctx, empresaUno, sel, false)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("during the opening: %v", err)
		}
	}})
	_, err := store.OpenCaso(t.Context(), empresaUno, newReporte(nil))
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.store.DeleteRegistros(t.Context(), empresaUno, sel, false)
	if !errs.Is(err, errores.Conflicto) || b.count(t, "registros") != 1 {
		t.Errorf("after the opening: %v", err)
	}
}

// The answer to a notice that was under way when its Caso closed does not bring back what was erased.
func TestStore_DeleteRegistros_beforeALateAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil))
	caso := b.open(t, empresaUno, newReporte(nil))
	paso, err := b.pasos().NextPaso(t.Context(), empresaUno, caso)
	if err != nil || paso.Coincidencia == nil {
		t.Fatalf("next is %+v, %v", paso, err)
	}
	err = b.store.CloseCaso(t.Context(), empresaUno, reporteUno, 1, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.store.DeleteRegistros(t.Context(), empresaUno, registros.Seleccion{CURP: curpUno}, false)
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.pasos().RecordPaso(t.Context(), empresaUno, caso, paso, rejected)
	if err != nil {
		t.Fatal(err)
	}
	if b.count(t, `coincidencias WHERE estado = 'rechazada'`) != 1 || b.count(t, `coincidencias WHERE detalle IS NOT NULL`) != 0 {
		t.Error("the platform's words are kept, or that it refused is not")
	}
}

// An erasure that a restoration undid is made again, of what was there when it was made. What waits was
// told then, and is told no more; what was written and told since stays.
func TestStore_DeleteRegistros_again(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil))
	caso := b.open(t, empresaUno, newReporte(nil))
	erased := b.now(t)
	b.save(t, empresaUno, newRegistro("B", nil))
	b.told(t, empresaUno, caso)
	b.save(t, empresaUno, newRegistro("A", func(r *registros.Registro) { r.TipoEvento = "another" }))
	_, err := b.store.DeleteRegistros(t.Context(), empresaUno, registros.Seleccion{CURP: curpUno}, false)
	if !errs.Is(err, errores.Conflicto) {
		t.Fatalf("what waits: %v", err)
	}
	before := b.count(t, `coincidencias WHERE estado = 'pendiente'`)
	got, err := b.store.DeleteRegistros(t.Context(), empresaUno, registros.Seleccion{CURP: curpUno, Antes: erased}, false)
	if err != nil || counted(got) != (contado{CURP: curpUno, Registros: 1, Coincidencias: 2}) {
		t.Errorf("erased %+v, %v", got, err)
	}
	if b.count(t, `registros WHERE folio = 'B'`) != 1 || b.count(t, `coincidencias WHERE folio = 'B' AND curp = $1`, curpUno) != 1 ||
		b.count(t, `coincidencias WHERE estado = 'pendiente'`) != before {
		t.Error("what came since was erased")
	}
	got, err = b.store.DeleteRegistros(t.Context(), empresaUno, registros.Seleccion{CURP: curpUno, Antes: b.now(t)}, false)
	if err != nil || counted(got) != (contado{CURP: curpUno, Registros: 1, Coincidencias: 2}) {
		t.Errorf("erased %+v, %v", got, err)
	}
	if b.count(t, `coincidencias WHERE estado = 'pendiente'`) != 0 || b.count(t, `coincidencias WHERE estado = 'cancelada'`) != before {
		t.Error("what waits is told still, or left no trace")
	}
}

// now is the database's time.
func (b bundle) now(t *testing.T) (now time.Time) {
	t.Helper()
	err := b.admin.QueryRow(t.Context(), `SELECT clock_timestamp()`).Scan(&now)
	if err != nil {
		t.Fatal(err)
	}
	return now
}

func TestStore_EachSeleccion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil), newRegistro("B", nil), newRegistro("C", func(r *registros.Registro) { r.CURP = curpDos }))
	b.save(t, empresaDos, newRegistro("D", nil))
	b.open(t, empresaUno, newReporte(nil))
	seen := map[registros.Seleccion]int{}
	err := b.store.EachSeleccion(t.Context(), empresaUno, func(sel registros.Seleccion) { seen[sel]++ })
	want := map[registros.Seleccion]int{{CURP: curpUno}: 1, {CURP: curpDos}: 1, {Folio: "A"}: 1, {Folio: "B"}: 1, {Folio: "C"}: 1}
	if err != nil || !maps.Equal(seen, want) {
		t.Errorf("got %v, %v; want %v", seen, err, want)
	}
}
