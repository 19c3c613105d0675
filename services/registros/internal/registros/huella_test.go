package registros

import (
	"encoding/hex"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/enlace-iis/enlace/services/internal/manual"
)

// A stored Huella outlives the program that computed it, so its value is part
// of the schema.
func TestHuella_stable(t *testing.T) {
	t.Parallel()
	completa := newEntradaCompleta()
	r, _ := validateOne(0, &completa, hoy)
	tests := []struct {
		name string
		r    Registro
		want string
	}{
		{"empty", Registro{}, "895c607361d12436b3c82f8e233278f594d1de2ac032fd9534670a26f9bd5ce5"},
		{"complete", r, "bbcc9b0ddc2991220441d99fefc7d5cf3146cb5658dc439dd495dd9083cef056"},
	}
	for _, tt := range tests {
		huella := tt.r.Huella()
		if got := hex.EncodeToString(huella[:]); got != tt.want {
			t.Errorf("%s: Huella %s, want %s", tt.name, got, tt.want)
		}
	}
}

// No field is left out: each alone changes the Huella, and each in another way.
func TestHuella_everyField(t *testing.T) {
	t.Parallel()
	seen := map[Huella]string{(&Registro{}).Huella(): "no field"}
	var r Registro
	eachField(t, reflect.ValueOf(&r).Elem(), "", func(campo string) {
		huella := r.Huella()
		if other, repeated := seen[huella]; repeated {
			t.Errorf("%s has the Huella of %s", campo, other)
		}
		seen[huella] = campo
	})
}

// eachField sets each field of a record in turn, calls visit, and clears it.
func eachField(t *testing.T, v reflect.Value, nombre string, visit func(string)) {
	t.Helper()
	switch valor := v.Addr().Interface().(type) {
	case *manual.Fecha:
		*valor = hoy
	case *manual.Direccion:
		for i := range v.NumField() {
			eachField(t, v.Field(i), nombre+"."+v.Type().Field(i).Name, visit)
		}
		return
	case *manual.Persona, *Registro:
		for i := range v.NumField() {
			eachField(t, v.Field(i), v.Type().Field(i).Name, visit)
		}
		return
	default:
		v.SetString("x")
	}
	visit(nombre)
	v.SetZero()
}

// Short texts of few letters make it likely that one content could be read as
// another, were the fields not kept apart.
func TestHuella_equalIffContentEqual(t *testing.T) {
	t.Parallel()
	texto := rapid.StringOfN(rapid.SampledFrom([]rune{'a', '\x00', '\x01'}), 0, 2, -1)
	fecha := rapid.SampledFrom([]manual.Fecha{{}, hoy, hoy.AddYears(-1)})
	registro := rapid.Custom(func(t *rapid.T) Registro {
		return Registro{
			Folio:       Folio(texto.Draw(t, "folio")),
			TipoEvento:  texto.Draw(t, "tipo"),
			FechaEvento: fecha.Draw(t, "fecha"),
			Persona: manual.Persona{
				CURP:      texto.Draw(t, "curp"),
				Correo:    texto.Draw(t, "correo"),
				Domicilio: manual.Direccion{Direccion: texto.Draw(t, "direccion")},
			},
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := registro.Draw(t, "a"), registro.Draw(t, "b")
		if (a == b) != (a.Huella() == b.Huella()) {
			t.Errorf("%+v and %+v", a, b)
		}
		copia := a
		if copia.Huella() != a.Huella() {
			t.Errorf("two Huellas of %+v", a)
		}
	})
}

func BenchmarkHuella(b *testing.B) {
	completa := newEntradaCompleta()
	r, _ := validateOne(0, &completa, hoy)
	b.ReportAllocs()
	for b.Loop() {
		r.Huella()
	}
}
