package registros

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/salud"
)

// The generators draw what institutions send: mostly right, often odd. A
// generator is not safe for concurrent use, so the tests that share these do
// not run in parallel.

var (
	generaTexto = rapid.OneOf(
		rapid.SampledFrom([]string{
			"", " ", "Toma de muestra", "Prueba de VIH", "Resultado positivo & más", "Av. Juárez N° 5 & 7", "Jose\u0301 MARÍA-JOSÉ D’ÁNGELO", "a\tb", "\x00", "日本 5½",
			strings.Repeat("ñ", 50), strings.Repeat("½", 20), "\xff", "\u0301", " \u00a0x\u2003",
		}),
		rapid.StringOf(rapid.RuneFrom([]rune("aÉñç°&-'. ;½\u0301\u200b9"))),
		rapid.String(),
	)
	generaCURP = rapid.OneOf(
		rapid.SampledFrom([]string{
			curpDePrueba, "TEST010101HDFABC01", "XEXX010101HNEXXXA0", " pexa900115hdfrxn06 ", "LOXM851203MQTPXR00", "",
		}),
		rapid.StringMatching(`[A-Z0-9]{18}`),
		rapid.StringMatching(`[A-Z][AEIOUX][A-Z]{2}[0-9]{6}[HMX](QT|QO|DF|NE|XX)[B-DF-HJ-NP-TV-Z]{3}[0-9A-Z][0-9]`),
	)
	generaFecha = rapid.OneOf(
		rapid.SampledFrom([]string{"", "2026-11-21", "1990-01-15", "2026-11-22", "1899-12-31", "2026-02-30", "hoy",
			"2026-11-20T23:59:59Z", "2026-11-20 10:00", "0000-00-00"}),
		rapid.StringMatching(`(19|20)[0-9]{2}-[01][0-9]-[0-3][0-9]`),
	)
	generaLugar    = rapid.SampledFrom([]string{"", "cdmx", "Queretaro", "FORANEO", "DESCONOCIDO", "MARTE", "Distrito Federal", "N/A"})
	generaSexo     = rapid.SampledFrom([]string{"", "h", "M", "X", "F", "Masculino", "-"})
	generaTelefono = rapid.OneOf(rapid.Just(""), rapid.StringMatching(`\+?[0-9 ().-]{6,18}( ext\. ?[0-9]{1,4})?`))
	generaCorreo   = rapid.OneOf(rapid.Just(""), rapid.StringMatching(`[a-zñ.]{1,60}@[a-z.]{1,8}\.mx`), generaTexto)
	generaPostal   = rapid.SampledFrom([]string{"", "01000", " 99999 ", "1000", "600", "S/D"})

	generaDireccion = rapid.Custom(func(t *rapid.T) manual.Direccion {
		return manual.Direccion{
			Direccion: generaTexto.Draw(t, "direccion"), Calle: generaTexto.Draw(t, "calle"), Numero: generaTexto.Draw(t, "numero"),
			Colonia: generaTexto.Draw(t, "colonia"), CodigoPostal: generaPostal.Draw(t, "codigo_postal"),
			MunicipioOAlcaldia: generaTexto.Draw(t, "municipio"), EntidadFederativa: generaTexto.Draw(t, "entidad"),
		}
	})

	generaIlegible = rapid.Custom(func(t *rapid.T) Ilegible {
		return Ilegible{
			Campo:  rapid.SampledFrom([]string{"", "curp", "estudio", "domicilio/pais", "nombre", "domicilio/calle"}).Draw(t, "campo"),
			Codigo: rapid.SampledFrom([]Codigo{CodigoCampoDesconocido, CodigoCampoRepetido, CodigoTipoIncorrecto, CodigoUTF8, "x"}).Draw(t, "codigo"),
		}
	})

	// Of a drawn record only some fields are kept, so that many are admitted.
	generaEntrada = rapid.Custom(func(t *rapid.T) Entrada {
		e := newEntrada()
		sometimes(t, &e.Folio, rapid.OneOf(rapid.SampledFrom([]string{"A", " A ", "É", "E\u0301"}), generaTexto))
		sometimes(t, &e.CURP, generaCURP)
		sometimes(t, &e.TipoEvento, generaTexto)
		sometimes(t, &e.FechaEvento, generaFecha)
		sometimes(t, &e.DescripcionLugarEvento, generaTexto)
		sometimes(t, &e.DireccionEvento, generaDireccion)
		sometimes(t, &e.Nombre, generaTexto)
		sometimes(t, &e.PrimerApellido, generaTexto)
		sometimes(t, &e.SegundoApellido, generaTexto)
		sometimes(t, &e.FechaNacimiento, generaFecha)
		sometimes(t, &e.LugarNacimiento, generaLugar)
		sometimes(t, &e.SexoAsignado, generaSexo)
		sometimes(t, &e.Telefono, generaTelefono)
		sometimes(t, &e.Correo, generaCorreo)
		sometimes(t, &e.Domicilio, generaDireccion)
		if rapid.IntRange(0, 9).Draw(t, "unreadable") == 0 {
			e.Ilegibles = rapid.SliceOfN(generaIlegible, 1, 3).Draw(t, "ilegibles")
		}
		return e
	})
)

func sometimes[T any](t *rapid.T, field *T, g *rapid.Generator[T]) {
	if rapid.IntRange(0, 4).Draw(t, "given") == 0 {
		*field = g.Draw(t, "value")
	}
}

func TestValidate_properties(t *testing.T) {
	admitted := 0
	rapid.Check(t, func(t *rapid.T) {
		e := generaEntrada.Draw(t, "entrada")
		r, observaciones := validateOne(0, &e, hoy)
		checkObservaciones(t, 0, r, observaciones)
		checkErrores(t, observaciones)
		if r != (Registro{}) {
			admitted++
			checkRegistro(t, &r)
		}
	})
	if admitted == 0 {
		t.Error("no record was admitted, nothing was checked")
	}
}

// checkErrores: nothing but what is required can cost a record its place, and what could
// not be read.
func checkErrores(t reporter, observaciones []Observacion) {
	for _, o := range observaciones {
		if o.Gravedad != GravedadError {
			continue
		}
		switch o.Codigo {
		case CodigoCampoDesconocido, CodigoCampoRepetido, CodigoTipoIncorrecto:
			continue
		}
		switch o.Puntero {
		case "/registros/0", "/registros/0/folio", "/registros/0/curp", "/registros/0/tipo_evento", "/registros/0/fecha_evento":
		default:
			t.Errorf("%s at %s refuses the record", o.Codigo, o.Puntero)
		}
	}
}

// checkRegistro holds for every Registro that was admitted.
func checkRegistro(t reporter, r *Registro) {
	e := entradaOf(r)
	again, observaciones := validateOne(0, &e, hoy)
	if again != *r {
		t.Errorf("%+v became %+v when it was sent again: %v", *r, again, observed(observaciones))
	}
	if again.Huella() != r.Huella() {
		t.Errorf("another Huella for the same content")
	}
	checkNotificable(t, r)
}

// checkNotificable tells whether the platform would take every text of a
// record as it is going to be told.
func checkNotificable(t reporter, r *Registro) {
	for _, nombre := range []string{r.Nombre, r.PrimerApellido, r.SegundoApellido} {
		if s := manual.TransliterateNombre(nombre, manual.MaxNombre); s != "" && !manual.IsNombre(s) {
			t.Errorf("the platform refuses the name %q", s)
		}
	}
	if salud.InActo(manual.TransliterateTexto(r.TipoEvento, manual.MaxTipoEvento)) ||
		salud.InLugar(manual.TransliterateTexto(r.DescripcionLugarEvento, manual.MaxDescripcionLugarEvento)) {
		t.Errorf("health data would be told: %+v", r)
	}
	checkTexto(t, r.TipoEvento, manual.MaxTipoEvento)
	checkTexto(t, r.DescripcionLugarEvento, manual.MaxDescripcionLugarEvento)
	for _, d := range []*manual.Direccion{&r.DireccionEvento, &r.Domicilio} {
		for _, s := range []string{d.Direccion, d.Calle, d.Numero, d.Colonia, d.MunicipioOAlcaldia} {
			if salud.InDireccion(manual.TransliterateTexto(s, manual.MaxDireccion)) {
				t.Errorf("health data would be told in an address: %q", s)
			}
		}
		checkTexto(t, d.Direccion, manual.MaxDireccion)
		checkTexto(t, d.Calle, manual.MaxCalle)
		checkTexto(t, d.Numero, manual.MaxNumero)
		checkTexto(t, d.Colonia, manual.MaxColonia)
		checkTexto(t, d.MunicipioOAlcaldia, manual.MaxMunicipioOAlcaldia)
		checkTexto(t, d.EntidadFederativa, manual.MaxEntidadFederativa)
	}
	if !manual.IsTelefono(r.Telefono) || !manual.IsCURP(r.CURP) {
		t.Errorf("the platform refuses the telephone or the CURP of %+v", r)
	}
	curp := manual.ReadCURP(r.CURP)
	if curp.Oficial && (r.SexoEfectivo() != curp.Sexo || r.LugarEfectivo() != curp.Lugar) {
		t.Errorf("%+v is told against its CURP", r)
	}
	if !manual.IsCorreo(r.Correo) && r.Correo != "" || !manual.IsCodigoPostal(r.Domicilio.CodigoPostal) && r.Domicilio.CodigoPostal != "" {
		t.Errorf("the platform refuses the mail or the postal code of %+v", r)
	}
	if lugar, ok := manual.ParseLugar(string(r.LugarEfectivo())); !ok || lugar != r.LugarEfectivo() {
		t.Errorf("the platform refuses the place %q", r.LugarEfectivo())
	}
}

func checkTexto(t reporter, stored string, maximo int) {
	if s := manual.TransliterateTexto(stored, maximo); !manual.IsTexto(s, maximo) {
		t.Errorf("the platform refuses the text %q", s)
	}
}

// A batch says of each record what it would say of the record alone, but for
// the folios that repeat.
func TestValidateLote_properties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entradas := rapid.SliceOfN(generaEntrada, 0, 8).Draw(t, "entradas")
		lote := validated(entradas...)
		if len(lote.Validos)+lote.Rechazados != len(entradas) {
			t.Fatalf("%d admitted and %d refused of %d", len(lote.Validos), lote.Rechazados, len(entradas))
		}
		validos := map[int]Registro{}
		folios := map[Folio]bool{}
		for _, v := range lote.Validos {
			validos[v.Indice] = v.Registro
			if folios[v.Registro.Folio] {
				t.Errorf("the folio %q was admitted twice", v.Registro.Folio)
			}
			folios[v.Registro.Folio] = true
		}
		for i := range entradas {
			checkAlone(t, &entradas[i], i, validos[i], lote.Observaciones)
		}
	})
}

// checkAlone compares the verdict of a batch on a record with that on the
// record alone.
func checkAlone(t *rapid.T, e *Entrada, i int, inLote Registro, all []Observacion) {
	var own []Observacion
	repetido := false
	for _, o := range all {
		if o.Indice != i {
			continue
		}
		if o.Codigo == CodigoFolioRepetido {
			repetido = true
			continue
		}
		own = append(own, o)
	}
	alone, observaciones := validateOne(i, e, hoy)
	if strings.Join(observed(own), "|") != strings.Join(observed(observaciones), "|") {
		t.Errorf("in the batch %q, alone %q", observed(own), observed(observaciones))
	}
	if repetido {
		alone = Registro{}
	}
	if inLote != alone {
		t.Errorf("in the batch %+v, alone %+v", inLote, alone)
	}
}

func FuzzValidate(f *testing.F) {
	f.Add("A-1", curpDePrueba, "Toma de muestra", "2026-11-20", "NOMBRE", "1990-01-15", "CDMX", "H", "5512345678", "usuario@ejemplo.mx", "Calle 5", "01000")
	f.Add(" ", "TEST010101HDFABC01", "N° 5 & 7", "2026-02-30", "JUAN 2", "1899-01-01", "queretaro", "x", "+52 (55) 1234-5678", "ñ@b.mx", "½", "1")
	f.Add("a\x00", "\xff", "Jose\u0301", "2026-11-22", strings.Repeat("ñ", 51), "", "MARTE", "F", "1", "x", "\n", "٠١٠٠٠")
	f.Fuzz(func(t *testing.T, folio, curp, tipo, fecha, nombre, nacimiento, lugar, sexo, telefono, correo, calle, postal string) {
		e := Entrada{
			Folio: folio, CURP: curp, TipoEvento: tipo, FechaEvento: fecha, Nombre: nombre, FechaNacimiento: nacimiento,
			LugarNacimiento: lugar, SexoAsignado: sexo, Telefono: telefono, Correo: correo,
			DireccionEvento: manual.Direccion{Calle: calle}, Domicilio: manual.Direccion{Direccion: calle, CodigoPostal: postal},
		}
		r, observaciones := validateOne(7, &e, hoy)
		checkObservaciones(t, 7, r, observaciones)
		if r != (Registro{}) {
			checkRegistro(t, &r)
		}
	})
}
