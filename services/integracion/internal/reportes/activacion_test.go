package reportes

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
)

const (
	// sampleID and sampleCURP are the government's own test (pui.md 1.7): the CURP's check
	// digit is wrong, and it must be accepted.
	sampleID   = "A1B2C3D4E5F6-550e8400-e29b-41d4-a716-446655440000"
	sampleCURP = "TEST010101HDFABC01"
)

func newActivacion(change func(*Activacion)) Activacion {
	a := Activacion{ID: sampleID, CURP: sampleCURP}
	change(&a)
	return a
}

func TestActivacion_Validate_accepts(t *testing.T) {
	tests := map[string]func(*Activacion){
		"only id and curp": func(*Activacion) {},
		"id with a UUID as FUB": func(a *Activacion) {
			a.ID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301-550e8400-e29b-41d4-a716-446655440000"
		},
		"id with a UUID of version 1": func(a *Activacion) { a.ID = "A1B2C3D4E5F6-550e8400-e29b-11d4-c716-446655440000" },
		"id with any sign in its FUB": func(a *Activacion) { a.ID = "A/1_b.C:#&'()-550e8400-e29b-41d4-a716-446655440000" },
		"bare UUID as id":             func(a *Activacion) { a.ID = "550e8400-e29b-41d4-a716-446655440000" },
		"random letters as curp":      func(a *Activacion) { a.CURP = "SA06EIMBDR5OVM72NY" },
		"unknown birthplace":          func(a *Activacion) { a.LugarNacimiento = "ATLANTIDA" },
		"birthplace without accent":   func(a *Activacion) { a.LugarNacimiento = "FORANEO" },
		"birthplace with accent":      func(a *Activacion) { a.LugarNacimiento = "FORÁNEO" },
		"name of 50":                  func(a *Activacion) { a.Nombre = strings.Repeat("ñ", 50) },
		"apostrophe and hyphen":       func(a *Activacion) { a.PrimerApellido = "D'AB-CD" },
		"digits in a name":            func(a *Activacion) { a.Nombre = "NOMBRE 2" },
		"signs of an address":         func(a *Activacion) { a.Direccion = "CALLE 5 #3-A, (INT. 2) & / : °" },
		"percent in an e-mail":        func(a *Activacion) { a.Correo = "a%b@example.mx" },
		"odd telephone":               func(a *Activacion) { a.Telefono = "+52 55 1234 567" },
		"birth date of a leap year":   func(a *Activacion) { a.FechaNacimiento = "2000-02-29" },
		"disappearance in future":     func(a *Activacion) { a.FechaDesaparicion = "2999-01-01" },
		"words that look like SQL":    func(a *Activacion) { a.Nombre = "SELECT DROP TABLE" },
		"sex X":                       func(a *Activacion) { a.SexoAsignado = "X" },
		"only spaces":                 func(a *Activacion) { a.Nombre, a.FechaNacimiento, a.SexoAsignado = "  ", " ", " " },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			a := newActivacion(change)
			s, err := a.Validate()
			if err != nil {
				t.Fatalf("refused: %+v", fieldsOf(err))
			}
			if s.ReporteID != a.ID || s.Persona.CURP != a.CURP {
				t.Errorf("id or curp changed: %q, %q", s.ReporteID, s.Persona.CURP)
			}
		})
	}
}

func TestActivacion_Validate_refuses(t *testing.T) {
	tests := []struct {
		name    string
		change  func(*Activacion)
		campo   string
		codigo  string
		mensaje string
	}{
		{"no id", func(a *Activacion) { a.ID = "" }, "id", errores.Requerido, "'id' es obligatorio"},
		{"id of 8", func(a *Activacion) { a.ID = "12345678" }, "id", errores.Longitud, "'id' debe tener entre 36 y 75 caracteres"},
		{"id of 76", func(a *Activacion) { a.ID = strings.Repeat("A", 39) + "-550e8400-e29b-41d4-a716-446655440000" }, "id", errores.Longitud, "'id' debe tener entre 36 y 75 caracteres"},
		{"id of 40", func(a *Activacion) { a.ID = "TEST-002-A1B2C3D4E5F6-550e8400-e29b-41d4" }, "id", errores.Formato, "'id' debe tener la forma <FUB>-<UUID>"},
		{"id whose tail is no UUID", func(a *Activacion) { a.ID = "A1B2C3D4E5F6-550e8400-e29b-41d4-a716-44665544000g" }, "id", errores.Formato, "'id' debe tener la forma <FUB>-<UUID>"},
		{"id with a space", func(a *Activacion) { a.ID = " " + sampleID }, "id", errores.Formato, "'id' debe tener la forma <FUB>-<UUID>"},
		{"no curp", func(a *Activacion) { a.CURP = "" }, "curp", errores.Requerido, "'curp' es obligatorio"},
		{"curp of 17", func(a *Activacion) { a.CURP = sampleCURP[:17] }, "curp", errores.Longitud, "'curp' debe tener 18 caracteres"},
		{"curp of 19", func(a *Activacion) { a.CURP = sampleCURP + "0" }, "curp", errores.Longitud, "'curp' debe tener 18 caracteres"},
		{"lower-case curp", func(a *Activacion) { a.CURP = strings.ToLower(sampleCURP) }, "curp", errores.Formato, "'curp' solo admite letras mayúsculas y dígitos"},
		{"name of 51", func(a *Activacion) { a.Nombre = strings.Repeat("A", 51) }, "nombre", errores.Longitud, "'nombre' debe tener entre 0 y 50 caracteres"},
		{"script", func(a *Activacion) { a.Nombre = "<script>" }, "nombre", errores.CaracterNoPermitido, "'nombre' contiene caracteres no permitidos"},
		{"quote", func(a *Activacion) { a.SegundoApellido = `A"B` }, "segundo_apellido", errores.CaracterNoPermitido, "'segundo_apellido' contiene caracteres no permitidos"},
		{"percent in a street", func(a *Activacion) { a.Calle = "A%B" }, "calle", errores.CaracterNoPermitido, "'calle' contiene caracteres no permitidos"},
		{"quote in an e-mail", func(a *Activacion) { a.Correo = `"a"@example.mx` }, "correo", errores.CaracterNoPermitido, "'correo' contiene caracteres no permitidos"},
		{"line break", func(a *Activacion) { a.Colonia = "A\nB" }, "colonia", errores.CaracterNoPermitido, "'colonia' contiene caracteres no permitidos"},
		{"NUL", func(a *Activacion) { a.Numero = "1\x002" }, "numero", errores.CaracterNoPermitido, "'numero' contiene caracteres no permitidos"},
		{"date of another form", func(a *Activacion) { a.FechaDesaparicion = "15-05-1990" }, "fecha_desaparicion", errores.FechaInvalida, "'fecha_desaparicion' debe estar en formato YYYY-MM-DD"},
		{"day that does not exist", func(a *Activacion) { a.FechaNacimiento = "2001-02-29" }, "fecha_nacimiento", errores.FechaInvalida, "'fecha_nacimiento' debe estar en formato YYYY-MM-DD"},
		{"birthplace of 21", func(a *Activacion) { a.LugarNacimiento = strings.Repeat("A", 21) }, "lugar_nacimiento", errores.Longitud, "'lugar_nacimiento' debe tener entre 0 y 20 caracteres"},
		{"telephone of 16", func(a *Activacion) { a.Telefono = strings.Repeat("1", 16) }, "telefono", errores.Longitud, "'telefono' debe tener entre 0 y 15 caracteres"},
		{"e-mail of 51", func(a *Activacion) { a.Correo = strings.Repeat("a", 51) }, "correo", errores.Longitud, "'correo' debe tener entre 0 y 50 caracteres"},
		{"postal code of 6", func(a *Activacion) { a.CodigoPostal = "123456" }, "codigo_postal", errores.Longitud, "'codigo_postal' debe tener entre 0 y 5 caracteres"},
		{"address of 501", func(a *Activacion) { a.Direccion = strings.Repeat("A", 501) }, "direccion", errores.Longitud, "'direccion' debe tener entre 0 y 500 caracteres"},
		{"municipality of 101", func(a *Activacion) { a.MunicipioOAlcaldia = strings.Repeat("A", 101) }, "municipio_o_alcaldia", errores.Longitud, "'municipio_o_alcaldia' debe tener entre 0 y 100 caracteres"},
		{"state of 41", func(a *Activacion) { a.EntidadFederativa = strings.Repeat("A", 41) }, "entidad_federativa", errores.Longitud, "'entidad_federativa' debe tener entre 0 y 40 caracteres"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := newActivacion(tt.change).Validate()
			if !errs.Is(err, errores.Validacion) {
				t.Fatalf("error = %v, want Validacion", err)
			}
			want := errs.Field{Indice: errs.SinIndice, Puntero: "/" + tt.campo, Codigo: tt.codigo, Mensaje: tt.mensaje}
			if got := fieldsOf(err); !slices.Equal(got, []errs.Field{want}) {
				t.Errorf("fields = %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestActivacion_Validate_namesEverythingAtOnce(t *testing.T) {
	_, err := Activacion{Nombre: "<", SexoAsignado: "Z", FechaNacimiento: "ayer"}.Validate()
	var places []string
	for _, field := range fieldsOf(err) {
		places = append(places, field.Puntero)
	}
	slices.Sort(places)
	want := []string{"/curp", "/fecha_nacimiento", "/id", "/nombre"}
	if !slices.Equal(places, want) {
		t.Errorf("places = %v, want %v", places, want)
	}
}

// The manual prints no expression for the sex (m:992), so no text of it refuses an activation.
func TestActivacion_Validate_leavesOutAnUnreadableSex(t *testing.T) {
	for _, sexo := range []string{"h", "HOMBRE", "Z", "MX", "<script>", strings.Repeat("H", 1000), "\x00"} {
		s, err := newActivacion(func(a *Activacion) { a.SexoAsignado = sexo }).Validate()
		if err != nil || s.Persona.SexoAsignado != "" || !slices.Equal(s.Descartados, []string{"sexo_asignado"}) {
			t.Errorf("%.10q: got %q, left out %v, %v", sexo, s.Persona.SexoAsignado, s.Descartados, err)
		}
	}
}

// Only the id and the CURP of a list's entry can be refused.
func TestActivacion_ValidateListado(t *testing.T) {
	odd := Activacion{
		ID: sampleID, CURP: sampleCURP, Nombre: `MA. "LUPITA"`, PrimerApellido: strings.Repeat("A", 51), SegundoApellido: "BUENO",
		FechaNacimiento: "1990", FechaDesaparicion: "15/05/2020", FechaRegistro: "ayer", LugarNacimiento: strings.Repeat("A", 21),
		SexoAsignado: "HOMBRE", Telefono: strings.Repeat("1", 16), Correo: "<", Direccion: "%", Calle: "A\nB", Numero: "\x00", Colonia: "<>",
		CodigoPostal: "123456", MunicipioOAlcaldia: "%", EntidadFederativa: strings.Repeat("A", 41),
	}
	s, err := odd.ValidateListado()
	want := Solicitud{ReporteID: sampleID, Persona: manual.Persona{CURP: sampleCURP, SegundoApellido: "BUENO"}}
	if err != nil || s.ReporteID != want.ReporteID || s.Persona != want.Persona || s.FechaDesaparicion != want.FechaDesaparicion || s.FechaRegistro != want.FechaRegistro {
		t.Errorf("got %+v, %v; want %+v", s, err, want)
	}
	if len(s.Descartados) != 16 || slices.Contains(s.Descartados, "segundo_apellido") {
		t.Errorf("left out %d fields: %v", len(s.Descartados), s.Descartados)
	}
	instants := Activacion{ID: sampleID, CURP: sampleCURP, FechaDesaparicion: "2025-01-01T00:00:00", FechaRegistro: "2025-01-02T03:00:00Z"}
	s, err = instants.ValidateListado()
	if err != nil || s.FechaDesaparicion.String() != "2025-01-01" || s.FechaRegistro.String() != "2025-01-01" || s.Descartados != nil {
		t.Errorf("of instants got %+v, %v", s, err)
	}
	odd.ID, odd.CURP = "x", "x"
	_, err = odd.ValidateListado()
	if defectos := DefectosOf(err); !slices.Equal(defectos, []string{"id longitud", "curp longitud"}) {
		t.Errorf("refused for %v, want the id and the CURP alone", defectos)
	}
	good := Activacion{ID: sampleID, CURP: sampleCURP, FechaRegistro: "2003-04-20", FechaDesaparicion: "1995-11-22", SexoAsignado: "M"}
	s, err = good.ValidateListado()
	if err != nil || s.FechaRegistro.String() != "2003-04-20" || s.FechaDesaparicion.String() != "1995-11-22" || s.Persona.SexoAsignado != "M" || s.Descartados != nil {
		t.Errorf("got %+v, %v", s, err)
	}
}

func TestActivacion_Validate_birthplace(t *testing.T) {
	tests := []struct {
		name  string
		curp  string
		lugar string
		want  manual.Lugar
	}{
		{"given", "HEGG560427MVZRRL04", "jalisco", "JALISCO"},
		{"absent, told by the CURP", "HEGG560427MVZRRL04", "", "VERACRUZ"},
		{"not on the list", "HEGG560427MVZRRL04", "ATLANTIDA", "VERACRUZ"},
		{"unknown on the list", "HEGG560427MVZRRL04", "DESCONOCIDO", "VERACRUZ"},
		{"told by nobody", "SA06EIMBDR5OVM72NY", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := newActivacion(func(a *Activacion) { a.CURP, a.LugarNacimiento = tt.curp, tt.lugar }).Validate()
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Persona.LugarConocido(); got != tt.want {
				t.Errorf("birthplace = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestReporte_Complete(t *testing.T) {
	desaparicion, _ := manual.ParseFecha("2024-05-06")
	base := func() Reporte {
		return Reporte{Persona: manual.Persona{
			CURP: sampleCURP, Nombre: "NOMBRE", Domicilio: manual.Direccion{Calle: "CALLE", Numero: "1"},
		}}
	}
	tests := []struct {
		name    string
		s       Solicitud
		want    func(*Reporte)
		changed bool
	}{
		{"nothing given", Solicitud{Persona: manual.Persona{CURP: sampleCURP}}, func(*Reporte) {}, false},
		{"the same again", Solicitud{Persona: base().Persona}, func(*Reporte) {}, false},
		{"the missing date", Solicitud{FechaDesaparicion: desaparicion}, func(r *Reporte) { r.FechaDesaparicion = desaparicion }, true},
		{"a correction", Solicitud{Persona: manual.Persona{Nombre: "OTRO"}}, func(r *Reporte) { r.Persona.Nombre = "OTRO" }, true},
		{"an address as a whole", Solicitud{Persona: manual.Persona{Domicilio: manual.Direccion{Calle: "OTRA"}}}, func(r *Reporte) { r.Persona.Domicilio = manual.Direccion{Calle: "OTRA"} }, true},
		{"another CURP", Solicitud{Persona: manual.Persona{CURP: "HEGG560427MVZRRL04"}}, func(*Reporte) {}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, want := base(), base()
			tt.want(&want)
			changed := got.Complete(tt.s)
			if got != want || changed != tt.changed {
				t.Errorf("got %+v, %v\nwant %+v, %v", got, changed, want, tt.changed)
			}
		})
	}
}

// A list adds what is missing and corrects nothing.
func TestReporte_CompleteListado(t *testing.T) {
	given, other := manual.MustParseFecha("2024-05-06"), manual.MustParseFecha("2020-01-02")
	tests := []struct {
		name    string
		r, s    Reporte // of s the date and the person
		want    Reporte
		changed bool
	}{
		{"nothing given", Reporte{FechaDesaparicion: given}, Reporte{}, Reporte{FechaDesaparicion: given}, false},
		{"the missing date", Reporte{}, Reporte{FechaDesaparicion: other}, Reporte{FechaDesaparicion: other}, true},
		{"another date", Reporte{FechaDesaparicion: given}, Reporte{FechaDesaparicion: other}, Reporte{FechaDesaparicion: given}, false},
		{"a missing name", Reporte{}, Reporte{Persona: manual.Persona{Nombre: "A"}}, Reporte{Persona: manual.Persona{Nombre: "A"}}, true},
		{"another name and a missing one", Reporte{Persona: manual.Persona{Nombre: "A"}}, Reporte{Persona: manual.Persona{Nombre: "B", PrimerApellido: "C"}},
			Reporte{Persona: manual.Persona{Nombre: "A", PrimerApellido: "C"}}, true},
		{"an address beside", Reporte{Persona: manual.Persona{Domicilio: manual.Direccion{Calle: "A"}}}, Reporte{Persona: manual.Persona{Nombre: "B"}},
			Reporte{Persona: manual.Persona{Nombre: "B", Domicilio: manual.Direccion{Calle: "A"}}}, true},
	}
	for _, tt := range tests {
		got := tt.r
		changed := got.CompleteListado(Solicitud{FechaDesaparicion: tt.s.FechaDesaparicion, Persona: tt.s.Persona})
		if got != tt.want || changed != tt.changed {
			t.Errorf("%s: got %+v, %t; want %+v, %t", tt.name, got, changed, tt.want, tt.changed)
		}
	}
}

// Without a disappearance date the day of the request takes its place (m:267-269); it is the day
// on which the platform registered the report, if only its list told of it.
func TestReporte_SolicitadoEn(t *testing.T) {
	activado := time.Date(2026, 6, 16, 5, 30, 0, 0, time.UTC) // 15 June in Mexico City
	day := func(dia string) time.Time { return manual.MustParseFecha(dia).Inicio() }
	for _, tt := range []struct {
		name, desaparicion, registro string
		want                         time.Time
	}{
		{"an activation", "", "", activado},
		{"listed, registered the day before", "", "2026-06-14", day("2026-06-14")},
		{"listed, registered on the day", "", "2026-06-15", activado},
		{"listed, registered in the future", "", "2026-06-16", activado},
		{"listed, registered twelve years ago", "", "2014-06-15", day("2014-06-15")},
		{"listed, registered longer ago", "", "2003-04-20", day("2014-06-15")},
		{"listed with its disappearance date", "1995-11-22", "2003-04-20", activado},
	} {
		r := Reporte{ActivadoEn: activado}
		if tt.desaparicion != "" {
			r.FechaDesaparicion = manual.MustParseFecha(tt.desaparicion)
		}
		if tt.registro != "" {
			r.FechaRegistro = manual.MustParseFecha(tt.registro)
		}
		if got := r.SolicitadoEn(); !got.Equal(tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

// What was asked for is told apart by its id, else by what came as id and CURP, else by its request.
func TestNewSinAbrir(t *testing.T) {
	referencias := map[string]string{}
	for _, tt := range []struct{ id, curp, request, reporteID string }{
		{sampleID, "", "1", sampleID}, {"corto", sampleCURP, "1", ""}, {"corto", "X", "1", ""}, {"", sampleCURP, "1", ""}, {"", "", "1", ""}, {"", "", "2", ""},
	} {
		s := NewSinAbrir(SinAbrirActivacion, tt.id, tt.curp, tt.request, nil)
		if before, twice := referencias[s.Referencia]; twice || s.ReporteID != tt.reporteID {
			t.Errorf("%+v: got id %q and what %s has", tt, s.ReporteID, before)
		}
		referencias[s.Referencia] = tt.id + " " + tt.curp
	}
	for _, other := range []string{"X", sampleCURP} {
		if s := NewSinAbrir(SinAbrirListado, sampleID, other, "3", nil); referencias[s.Referencia] == "" {
			t.Errorf("an id with the CURP %s is another one", other)
		}
	}
}

func fieldsOf(err error) []errs.Field {
	refusal, _ := errors.AsType[*errs.Error](err)
	if refusal == nil {
		return nil
	}
	return refusal.Fields
}
