package postgres_test

import (
	"fmt"
	"testing"

	"github.com/enlace-iis/enlace/services/internal/envio"
	"github.com/enlace-iis/enlace/services/internal/manual"
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
