package postgres_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/pg"
	"github.com/enlace-iis/enlace/services/internal/tenant"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

func TestStore_SaveLote_countsEachOutcome(t *testing.T) {
	t.Parallel()
	b := setup(t)

	first := b.save(t, empresaUno, newRegistro("A", nil), newRegistro("B", nil))
	if want := (registros.Guardado{Creados: 2}); first != want {
		t.Errorf("first write = %+v, want %+v", first, want)
	}
	again := b.save(t, empresaUno,
		newRegistro("A", nil),
		newRegistro("B", func(r *registros.Registro) { r.Telefono = "5555555555" }),
		newRegistro("C", nil))
	if want := (registros.Guardado{Creados: 1, Actualizados: 1, SinCambios: 1}); again != want {
		t.Errorf("second write = %+v, want %+v", again, want)
	}
}

// sizes of batches: sent at once, in a transaction, copied, copied in part.
var sizes = []int{1, 20, 21, 500, 501, 1500}

// many makes so many Registros of different persons; every second one may be altered.
func many(n int, change func(*registros.Registro)) []registros.Registro {
	regs := make([]registros.Registro, n)
	for i := range regs {
		regs[i] = newRegistro(fmt.Sprintf("F-%04d", i), func(r *registros.Registro) { r.CURP = fmt.Sprintf("MANY%014d", i) })
		if change != nil && i%2 == 0 {
			change(&regs[i])
		}
	}
	return regs
}

// However a batch is sent to the database, the same comes of it.
func TestStore_SaveLote_countsBatchesOfEverySize(t *testing.T) {
	t.Parallel()
	b := setup(t)
	alter := func(r *registros.Registro) { r.Telefono = "5555555555" }
	for n, size := range sizes {
		empresa := tenant.EmpresaID(fmt.Sprintf("LAB01010%dAB1", n))
		changed := (size + 1) / 2
		last := many(size, alter)
		for _, step := range []struct {
			regs []registros.Registro
			want registros.Guardado
		}{
			{many(size, nil), registros.Guardado{Creados: size}},
			{many(size, nil), registros.Guardado{SinCambios: size}},
			{last, registros.Guardado{Actualizados: changed, SinCambios: size - changed}},
			{append(last, newRegistro("NEW", nil)), registros.Guardado{Creados: 1, SinCambios: size}},
			{last, registros.Guardado{SinCambios: size}},
		} {
			lote := registros.LoteRecibido{ID: pg.NewID(), KeyID: "K", Total: len(step.regs)}
			got, err := b.store.SaveLote(t.Context(), empresa, lote, validos(step.regs...))
			if err != nil || got != step.want {
				t.Errorf("batch of %d: %+v, %v, want %+v", size, got, err, step.want)
			}
			noted, err := b.store.GetLote(t.Context(), empresa, lote.ID)
			if err != nil || noted.Guardado != step.want {
				t.Errorf("batch of %d is remembered as %+v, %v, want %+v", size, noted.Guardado, err, step.want)
			}
		}
	}
}

// However a batch is sent to the database, an open Caso meets its Registro in it once.
func TestStore_SaveLote_meetsACasoInBatchesOfEverySize(t *testing.T) {
	t.Parallel()
	b := setup(t)
	caso := b.open(t, empresaUno, newReporte(nil))
	for n, size := range sizes {
		regs := many(size, nil)
		regs[size-1] = newRegistro(fmt.Sprintf("M-%d", n), nil)
		lote := registros.LoteRecibido{ID: pg.NewID(), KeyID: "K", Total: size}
		for _, want := range []int{1, 0} {
			got, err := b.store.SaveLote(t.Context(), empresaUno, lote, validos(regs...))
			if err != nil || got.Coincidencias != want {
				t.Errorf("batch of %d met %+v, %v, want %d", size, got, err, want)
			}
			lote.ID = pg.NewID()
		}
	}
	if n := b.count(t, `coincidencias WHERE caso_id = $1 AND fase = 3`, caso); n != len(sizes) {
		t.Errorf("%d coincidencias, want %d", n, len(sizes))
	}
	if n := b.count(t, `lotes WHERE coincidencias = 1`); n != len(sizes) {
		t.Errorf("%d lotes are remembered with a match, want %d", n, len(sizes))
	}
}

// What is stored already needs no turn at the rows that somebody else holds.
func TestStore_SaveLote_passesByWhatIsUnchanged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, size := range sizes {
		b.save(t, empresaUno, many(size, nil)...)
	}
	tx, err := b.admin.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = tx.Exec(t.Context(), `SELECT FROM registros WHERE empresa_id = $1 FOR UPDATE`, string(empresaUno))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, size := range sizes {
		got, err := b.store.SaveLote(ctx, empresaUno, registros.LoteRecibido{}, validos(many(size, nil)...))
		if want := (registros.Guardado{SinCambios: size}); err != nil || got != want {
			t.Errorf("batch of %d: %+v, %v, want %+v", size, got, err, want)
		}
	}
	err = tx.Rollback(t.Context())
	if err != nil {
		t.Fatal(err)
	}
}

func TestStore_SaveRegistros_tellsWhatHappenedToEach(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.save(t, empresaUno, newRegistro("A", nil), newRegistro("B", nil))

	_, each, err := b.store.SaveRegistros(t.Context(), empresaUno, validos(
		newRegistro("C", nil),
		newRegistro("A", nil),
		newRegistro("B", func(r *registros.Registro) { r.Correo = "a@example.com" })))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []registros.Cambio{registros.Creado, registros.SinCambios, registros.Actualizado} {
		if each[i].Cambio != want {
			t.Errorf("registro %d: %s, want %s", i, each[i].Cambio, want)
		}
		if each[i].ID == "" || each[i].ID == "0" {
			t.Errorf("registro %d has no id", i)
		}
	}
}

func TestStore_SaveLote_keepsEveryField(t *testing.T) {
	t.Parallel()
	b := setup(t)
	full := newRegistro("A", func(r *registros.Registro) {
		r.DescripcionLugarEvento = "Sucursal centro"
		r.DireccionEvento = manual.Direccion{
			Direccion: "Calle Uno 1", Calle: "Calle Uno", Numero: "1", Colonia: "Centro",
			CodigoPostal: "06000", MunicipioOAlcaldia: "Cuauhtémoc", EntidadFederativa: "CDMX",
		}
		r.PrimerApellido, r.SegundoApellido = "PRIMERO", "SEGUNDO"
		r.FechaNacimiento = fecha("1990-01-15")
		r.LugarNacimiento, r.SexoAsignado = "CDMX", "H"
		r.Telefono, r.Correo = "5555555555", "a@example.com"
		r.Domicilio = manual.Direccion{Calle: "Calle Dos"}
	})
	b.save(t, empresaUno, full)
	caso := b.open(t, empresaUno, newReporte(nil))

	paso, err := b.pasos().NextPaso(t.Context(), empresaUno, caso) // phase 1
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.pasos().RecordPaso(t.Context(), empresaUno, caso, paso, envio.Respuesta{Resultado: envio.Aceptado})
	if err != nil {
		t.Fatal(err)
	}
	paso, err = b.pasos().NextPaso(t.Context(), empresaUno, caso) // phase 2
	if err != nil {
		t.Fatal(err)
	}
	if got := paso.Coincidencia.Registro; got != full {
		t.Errorf("read back\n%+v, want\n%+v", got, full)
	}
}

func TestStore_SaveLote_statementsDoNotGrowWithTheBatch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var regs []registros.Registro
	for i := range 5000 {
		regs = append(regs, newRegistro(fmt.Sprintf("F-%04d", i), nil))
	}
	caso := b.open(t, empresaUno, newReporte(nil))

	guardado := b.save(t, empresaUno, regs...)
	if want := (registros.Guardado{Creados: 5000, Coincidencias: 5000}); guardado != want {
		t.Errorf("write = %+v, want %+v", guardado, want)
	}
	if n := b.count(t, `river_job WHERE kind = 'deliver_caso'`); n != 1 {
		t.Errorf("%d deliveries enqueued for one caso, want 1", n)
	}
	if n := b.count(t, `coincidencias WHERE caso_id = $1 AND fase = 3`, caso); n != 5000 {
		t.Errorf("%d coincidencias, want 5000", n)
	}
}
