package registros

import (
	"slices"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/services/internal/manual"
)

// Each rule, at its bound and just past it.
func TestValidate_rules(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*Entrada)
		want   []string
	}{
		{"folio missing", func(e *Entrada) { e.Folio = " " }, []string{"requerido /registros/3/folio"}},
		{"folio of 1", func(e *Entrada) { e.Folio = "1" }, nil},
		{"folio of 64", func(e *Entrada) { e.Folio = strings.Repeat("ñ", 64) }, nil},
		{"folio of 65", func(e *Entrada) { e.Folio = strings.Repeat("ñ", 65) }, []string{"longitud /registros/3/folio"}},
		{"folio with signs", func(e *Entrada) { e.Folio = `A/1;"°&<日>` }, nil},
		{"folio with NUL", func(e *Entrada) { e.Folio = "A\x001" }, []string{"caracter_no_permitido /registros/3/folio"}},
		{"folio too long with a tab", func(e *Entrada) { e.Folio = "\tA\t" + strings.Repeat("1", 64) },
			[]string{"caracter_no_permitido /registros/3/folio"}},
		{"folio not UTF-8", func(e *Entrada) { e.Folio = "A\xff" }, []string{"caracter_no_permitido /registros/3/folio"}},

		{"curp missing", func(e *Entrada) { e.CURP = "" }, []string{"requerido /registros/3/curp"}},
		{"curp of 17", func(e *Entrada) { e.CURP = curpDePrueba[:17] }, []string{"formato /registros/3/curp"}},
		{"curp of 19", func(e *Entrada) { e.CURP = curpDePrueba + "1" }, []string{"formato /registros/3/curp"}},
		{"curp with Ñ", func(e *Entrada) { e.CURP = "PEÑA900115HDFRXN06" }, []string{"formato /registros/3/curp"}},
		{"curp with a line break", func(e *Entrada) { e.CURP = "PEXA900115\nHDFRXN06" }, []string{"caracter_no_permitido /registros/3/curp"}},
		{"curp with its structure in doubt", func(e *Entrada) { e.CURP = "TEST010101HDFABC01" }, []string{"curp_estructura /registros/3/curp"}},
		{"curp at random", func(e *Entrada) { e.CURP = "SA06EIMBDR5OVM72NY" }, []string{"curp_estructura /registros/3/curp"}},
		{"curp of 30 February", func(e *Entrada) { e.CURP = "PEXA900230HDFRXN00" }, []string{"curp_estructura /registros/3/curp"}},
		{"curp with its digit in doubt", func(e *Entrada) { e.CURP = "XEXX010101HNEXXXA0" }, []string{"curp_digito_verificador /registros/3/curp"}},

		{"tipo_evento missing", func(e *Entrada) { e.TipoEvento = "\n" }, []string{"requerido /registros/3/tipo_evento"}},
		{"tipo_evento of 500", func(e *Entrada) { e.TipoEvento = strings.Repeat("é", 500) }, nil},
		{"tipo_evento of 501", func(e *Entrada) { e.TipoEvento = strings.Repeat("é", 501) }, []string{"longitud /registros/3/tipo_evento"}},
		{"tipo_evento with a tab", func(e *Entrada) { e.TipoEvento = "Toma\tde muestra" }, []string{"caracter_no_permitido /registros/3/tipo_evento"}},
		{"tipo_evento with &", func(e *Entrada) { e.TipoEvento = "Toma & entrega" },
			[]string{"texto_no_admitido_por_la_plataforma /registros/3/tipo_evento"}},

		{"tipo_evento of signs", func(e *Entrada) { e.TipoEvento = "---" }, []string{"texto_no_admitido_por_la_plataforma /registros/3/tipo_evento"}},
		{"tipo_evento of a study", func(e *Entrada) { e.TipoEvento = "Prueba V.I.H." }, []string{"dato_de_salud /registros/3/tipo_evento"}},
		{"tipo_evento of a result, in characters of its own", func(e *Entrada) { e.TipoEvento = "Resultado ｐositivo" },
			[]string{"dato_de_salud /registros/3/tipo_evento"}},
		{"descripcion of a diagnosis", func(e *Entrada) { e.DescripcionLugarEvento = "Clínica contra el cáncer & otros" },
			[]string{"dato_de_salud /registros/3/descripcion_lugar_evento"}},
		{"descripcion of nothing else", func(e *Entrada) { e.DescripcionLugarEvento = "VIH" },
			[]string{"dato_de_salud /registros/3/descripcion_lugar_evento", "sin_lugar /registros/3/descripcion_lugar_evento"}},
		{"address of a diagnosis", func(e *Entrada) {
			e.DireccionEvento.Calle, e.Domicilio.Direccion = "Calle 5, Pabellón de VIH", "Plaza Cáncer"
		},
			[]string{"dato_de_salud /registros/3/direccion_evento/calle", "dato_de_salud /registros/3/domicilio/direccion"}},
		{"what is not looked at", func(e *Entrada) {
			e.Folio, e.PrimerApellido, e.DireccionEvento.Calle = "VIH-1", "GOTA", "Calle Mercurio"
		}, nil},

		{"fecha_evento missing", func(e *Entrada) { e.FechaEvento = "" }, []string{"requerido /registros/3/fecha_evento"}},
		{"fecha_evento today", func(e *Entrada) { e.FechaEvento = "2026-11-21" }, nil},
		{"fecha_evento tomorrow", func(e *Entrada) { e.FechaEvento = "2026-11-22" }, []string{"fecha_futura /registros/3/fecha_evento"}},
		{"fecha_evento in 1900", func(e *Entrada) { e.FechaEvento = "1900-01-01" }, nil},
		{"fecha_evento in 1899", func(e *Entrada) { e.FechaEvento = "1899-12-31" }, []string{"fecha_anterior_a_1900 /registros/3/fecha_evento"}},
		{"fecha_evento of 30 February", func(e *Entrada) { e.FechaEvento = "2026-02-30" }, []string{"fecha_invalida /registros/3/fecha_evento"}},
		{"fecha_evento backwards", func(e *Entrada) { e.FechaEvento = "20-11-2026" }, []string{"fecha_invalida /registros/3/fecha_evento"}},
		{"fecha_evento with an hour", func(e *Entrada) { e.FechaEvento = "2026-11-20T10:00:00Z" }, nil},
		{"fecha_evento of this evening", func(e *Entrada) { e.FechaEvento = "2026-11-22T05:59:59Z" }, nil},
		{"fecha_evento of the next night", func(e *Entrada) { e.FechaEvento = "2026-11-22T06:00:00Z" }, []string{"fecha_futura /registros/3/fecha_evento"}},
		{"fecha_evento with an hour that is none", func(e *Entrada) { e.FechaEvento = "2026-11-20T1:00:00Z" },
			[]string{"fecha_invalida /registros/3/fecha_evento"}},
		{"fecha_evento with an hour of its own", func(e *Entrada) { e.FechaEvento = "2026-11-21 23:59" }, nil},
		{"fecha_evento with NUL", func(e *Entrada) { e.FechaEvento = "2026-11-2\x00" }, []string{"caracter_no_permitido /registros/3/fecha_evento"}},

		{"descripcion of 500", func(e *Entrada) { e.DescripcionLugarEvento = strings.Repeat("a", 500) }, nil},
		{"descripcion of 501", func(e *Entrada) { e.DescripcionLugarEvento = strings.Repeat("a", 501) },
			[]string{"campo_descartado /registros/3/descripcion_lugar_evento", "sin_lugar /registros/3/descripcion_lugar_evento"}},
		{"descripcion of signs", func(e *Entrada) { e.DescripcionLugarEvento = "-- ' --" },
			[]string{"campo_descartado /registros/3/descripcion_lugar_evento", "sin_lugar /registros/3/descripcion_lugar_evento"}},
		{"no place", func(e *Entrada) { e.DescripcionLugarEvento = "" }, []string{"sin_lugar /registros/3/descripcion_lugar_evento"}},
		{"an address is a place", func(e *Entrada) { e.DescripcionLugarEvento, e.DireccionEvento.EntidadFederativa = "", "PUEBLA" }, nil},

		{"a house without a number is no place", func(e *Entrada) {
			e.DescripcionLugarEvento, e.DireccionEvento.Numero, e.DireccionEvento.Direccion = "", "S/N", "s/n"
		}, []string{"sin_lugar /registros/3/descripcion_lugar_evento"}},

		{"nombre of signs", func(e *Entrada) { e.Nombre, e.SegundoApellido = "-- ' --", "#" },
			[]string{"campo_descartado /registros/3/nombre", "campo_descartado /registros/3/segundo_apellido"}},
		{"nombre of 50", func(e *Entrada) { e.Nombre = strings.Repeat("Á", 50) }, nil},
		{"nombre of 51", func(e *Entrada) { e.Nombre = strings.Repeat("Á", 51) }, []string{"campo_descartado /registros/3/nombre"}},
		{"nombre of 50 after composing", func(e *Entrada) { e.Nombre = strings.Repeat("A\u0301", 50) }, nil},
		{"nombre with hyphen and apostrophe", func(e *Entrada) { e.Nombre = "ANA-D'Ó" }, nil},
		{"nombre with a digit", func(e *Entrada) { e.Nombre = "NOMBRE 2" }, []string{"texto_no_admitido_por_la_plataforma /registros/3/nombre"}},
		{"nombre with DEL", func(e *Entrada) { e.Nombre = "NOM\x7fBRE" }, []string{"campo_descartado /registros/3/nombre"}},
		{"apellidos of 51", func(e *Entrada) {
			e.PrimerApellido, e.SegundoApellido = strings.Repeat("x", 51), strings.Repeat("y", 51)
		}, []string{"campo_descartado /registros/3/primer_apellido", "campo_descartado /registros/3/segundo_apellido"}},

		{"fecha_nacimiento today", func(e *Entrada) { e.CURP, e.FechaNacimiento = "SA06EIMBDR5OVM72NY", "2026-11-21" },
			[]string{"curp_estructura /registros/3/curp"}},
		{"fecha_nacimiento tomorrow", func(e *Entrada) { e.FechaNacimiento = "2026-11-22" },
			[]string{"curp_fecha_nacimiento /registros/3/fecha_nacimiento"}},
		{"fecha_nacimiento before all calendars", func(e *Entrada) { e.CURP, e.FechaNacimiento = "SA06EIMBDR5OVM72NY", "0001-01-01" },
			[]string{"curp_estructura /registros/3/curp"}},
		{"fecha_nacimiento in 1899", func(e *Entrada) { e.FechaNacimiento = "1899-12-31" },
			[]string{"curp_fecha_nacimiento /registros/3/fecha_nacimiento"}},
		{"fecha_nacimiento with an hour", func(e *Entrada) { e.FechaNacimiento = "1990-01-15T00:00:00.000Z" }, nil},
		{"fecha_nacimiento not a date", func(e *Entrada) { e.FechaNacimiento = "1990" }, []string{"campo_descartado /registros/3/fecha_nacimiento"}},
		{"fecha_nacimiento against the curp", func(e *Entrada) { e.FechaNacimiento = "1990-01-16" },
			[]string{"curp_fecha_nacimiento /registros/3/fecha_nacimiento"}},

		{"lugar without accent", func(e *Entrada) { e.CURP, e.LugarNacimiento = "LOXM851203MQTPXR00", "queretaro" }, nil},
		{"lugar outside the list", func(e *Entrada) { e.LugarNacimiento = "MARTE" }, []string{"campo_descartado /registros/3/lugar_nacimiento"}},
		{"lugar with a line break", func(e *Entrada) { e.LugarNacimiento = "BAJA\nCALIFORNIA" }, []string{"campo_descartado /registros/3/lugar_nacimiento"}},
		{"lugar by another name", func(e *Entrada) { e.LugarNacimiento = "Distrito Federal" }, nil},
		{"lugar against the curp", func(e *Entrada) { e.LugarNacimiento = "PUEBLA" }, []string{"no_coincide_con_curp /registros/3/lugar_nacimiento"}},
		{"lugar given as unknown", func(e *Entrada) { e.LugarNacimiento = "DESCONOCIDO" }, nil},

		{"sexo outside the list", func(e *Entrada) { e.SexoAsignado = "MASC" }, []string{"campo_descartado /registros/3/sexo_asignado"}},
		{"sexo in another way", func(e *Entrada) { e.SexoAsignado = "Masculino" }, nil},
		{"sexo in another way, against the curp", func(e *Entrada) { e.SexoAsignado = "F" }, []string{"no_coincide_con_curp /registros/3/sexo_asignado"}},
		{"sexo against the curp", func(e *Entrada) { e.SexoAsignado = "m" }, []string{"no_coincide_con_curp /registros/3/sexo_asignado"}},
		{"sexo with a doubtful curp", func(e *Entrada) { e.CURP, e.SexoAsignado = "TEST010101HDFABC01", "M" },
			[]string{"curp_estructura /registros/3/curp"}},
		{"sexo with a curp that tells nothing", func(e *Entrada) { e.CURP, e.SexoAsignado = "SA06EIMBDR5OVM72NY", "M" },
			[]string{"curp_estructura /registros/3/curp"}},

		{"telefono of 8", func(e *Entrada) { e.Telefono = "12345678" }, nil},
		{"telefono of 15", func(e *Entrada) { e.Telefono = "+123456789012345" }, nil},
		{"telefono of 7", func(e *Entrada) { e.Telefono = "1234567" }, []string{"campo_descartado /registros/3/telefono"}},
		{"telefono of 16", func(e *Entrada) { e.Telefono = "1234567890123456" }, []string{"campo_descartado /registros/3/telefono"}},
		{"telefono with a letter", func(e *Entrada) { e.Telefono = "5512345678x" }, []string{"campo_descartado /registros/3/telefono"}},
		{"telefono with a tab", func(e *Entrada) { e.Telefono = "55\t12345678" }, []string{"campo_descartado /registros/3/telefono"}},

		{"correo of 50", func(e *Entrada) { e.Correo = strings.Repeat("a", 45) + "@b.mx" }, nil},
		{"correo of 51", func(e *Entrada) { e.Correo = strings.Repeat("a", 46) + "@b.mx" }, []string{"campo_descartado /registros/3/correo"}},
		{"correo with two dots", func(e *Entrada) { e.Correo = "usuario@ejemplo..mx" }, nil},
		{"correo of 254", func(e *Entrada) { e.Correo = strings.Repeat("a", 249) + "@b.mx" }, []string{"campo_descartado /registros/3/correo"}},
		{"correo of 255", func(e *Entrada) { e.Correo = strings.Repeat("a", 250) + "@b.mx" }, []string{"campo_descartado /registros/3/correo"}},
		{"correo with ñ", func(e *Entrada) { e.Correo = "niño@ejemplo.mx" }, []string{"campo_descartado /registros/3/correo"}},
		{"correo without a dot", func(e *Entrada) { e.Correo = "usuario@localhost" }, []string{"campo_descartado /registros/3/correo"}},
		{"correo without @", func(e *Entrada) { e.Correo = "ejemplo.mx" }, []string{"campo_descartado /registros/3/correo"}},
		{"correo with NUL", func(e *Entrada) { e.Correo = "a\x00b@ejemplo.mx" }, []string{"campo_descartado /registros/3/correo"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := newEntrada(tt.change)
			r, observaciones := validateOne(3, &e, hoy)
			if got := observed(observaciones); !slices.Equal(got, tt.want) {
				t.Errorf("observed %q, want %q", got, tt.want)
			}
			checkObservaciones(t, 3, r, observaciones)
		})
	}
}

func TestValidate_addresses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*manual.Direccion)
		want   []string
	}{
		{"at the bounds", func(d *manual.Direccion) {
			*d = manual.Direccion{
				Direccion: strings.Repeat("ñ", 500), Calle: strings.Repeat("ñ", 50), Numero: strings.Repeat("1", 20),
				Colonia: strings.Repeat("ñ", 50), CodigoPostal: "00000", MunicipioOAlcaldia: strings.Repeat("ñ", 100),
				EntidadFederativa: "Veracruz" + strings.Repeat(" ", 6) + "de Ignacio de la Llave",
			}
		}, nil},
		{"past the bounds", func(d *manual.Direccion) {
			*d = manual.Direccion{
				Direccion: strings.Repeat("ñ", 501), Calle: strings.Repeat("ñ", 51), Numero: strings.Repeat("1", 21),
				Colonia: strings.Repeat("ñ", 51), CodigoPostal: "123456", MunicipioOAlcaldia: strings.Repeat("ñ", 101),
				EntidadFederativa: strings.Repeat("ñ", 41),
			}
		}, []string{
			"campo_descartado direccion", "campo_descartado calle", "campo_descartado numero", "campo_descartado colonia", "campo_descartado codigo_postal",
			"campo_descartado municipio_o_alcaldia", "campo_descartado entidad_federativa",
		}},
		{"an entity", func(d *manual.Direccion) { d.EntidadFederativa = " Edo. de Méx. " }, nil},
		{"no entity", func(d *manual.Direccion) { d.Calle, d.EntidadFederativa = "Calle 5", "Entregado" }, []string{"campo_descartado entidad_federativa"}},
		{"abroad is no entity", func(d *manual.Direccion) { d.Calle, d.EntidadFederativa = "Calle 5", "Extranjero" }, []string{"campo_descartado entidad_federativa"}},
		{"postal code of 4", func(d *manual.Direccion) { d.CodigoPostal = "1000" }, nil},
		{"postal code of 3", func(d *manual.Direccion) { d.CodigoPostal = "600" }, []string{"campo_descartado codigo_postal"}},
		{"no number", func(d *manual.Direccion) { d.Numero, d.Direccion, d.Calle = "S/N", "s/n", "Calle 5" }, nil},
		{"signs alone", func(d *manual.Direccion) { d.Numero = "#" }, []string{"campo_descartado numero"}},
		{"signs", func(d *manual.Direccion) { d.Calle = "Calle 5 N° 3 & 4" }, []string{"texto_no_admitido_por_la_plataforma calle"}},
		{"line break", func(d *manual.Direccion) { d.Direccion = "Calle 5\nColonia" }, []string{"campo_descartado direccion"}},
	}
	for _, tt := range tests {
		for _, nombre := range []string{"direccion_evento", "domicilio"} {
			e := newEntrada(func(e *Entrada) {
				if nombre == "domicilio" {
					tt.change(&e.Domicilio)
					return
				}
				tt.change(&e.DireccionEvento)
			})
			var want []string
			for _, w := range tt.want {
				want = append(want, strings.Replace(w, " ", " /registros/0/"+nombre+"/", 1))
			}
			r, observaciones := validateOne(0, &e, hoy)
			if got := observed(observaciones); !slices.Equal(got, want) {
				t.Errorf("%s, %s: observed %q, want %q", tt.name, nombre, got, want)
			}
			checkObservaciones(t, 0, r, observaciones)
		}
	}
}
