package plataforma

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// completa is a phase 2 notification with every field of §7.2.
const completa = `{
	"curp": "TEST010101HDFABC01",
	"nombre_completo": {"nombre": "NOMBRE", "primer_apellido": "D'APELLIDO", "segundo_apellido": "APELLIDO-ÑÚÜ"},
	"fecha_nacimiento": "2001-01-01",
	"lugar_nacimiento": "MICHOACÁN",
	"sexo_asignado": "X",
	"telefono": "+52550000000000",
	"correo": "correo.de+prueba@ejemplo.mx",
	"domicilio": {"direccion": "Calle #1, Int. 2 (A/B): 'x'-y", "calle": "CALLE", "numero": "1", "colonia": "COLONIA",
		"codigo_postal": "01000", "municipio_o_alcaldia": "MUNICIPIO", "entidad_federativa": "ENTIDAD"},
	"fotos": ["Y2lmcmFkYQ=="],
	"formato_fotos": "jpg",
	"huellas": {"rone": "Y2lmcmFkYQ==", "lpalm": "Y2lmcmFkYQ=="},
	"formato_huellas": "wsq",
	"id": "A1B2C3D4E5F6-550e8400-e29b-41d4-a716-446655440000",
	"institucion_id": "AAA010101AA1",
	"tipo_evento": "Toma de muestra",
	"fecha_evento": "2024-02-29",
	"descripcion_lugar_evento": "Sucursal 1",
	"direccion_evento": {"calle": "CALLE", "codigo_postal": ""},
	"fase_busqueda": "2"
}`

var camposEvento = []string{"tipo_evento", "fecha_evento", "descripcion_lugar_evento", "direccion_evento"}

// notificacion is the complete one with changes: a path with dots, and the value
// to put there or remove.
type cambios map[string]any

type ausente struct{}

func notificacion(t *testing.T, c cambios) map[string]any {
	t.Helper()
	var cuerpo map[string]any
	err := json.Unmarshal([]byte(completa), &cuerpo)
	if err != nil {
		t.Fatalf("read sample: %v", err)
	}
	for ruta, valor := range c {
		en := cuerpo
		pasos := strings.Split(ruta, ".")
		for _, paso := range pasos[:len(pasos)-1] {
			en = en[paso].(map[string]any)
		}
		ultimo := pasos[len(pasos)-1]
		if valor == (ausente{}) {
			delete(en, ultimo)
		} else {
			en[ultimo] = valor
		}
	}
	return cuerpo
}

// fase1 removes what phase 1 must not carry.
func fase1(c cambios) cambios {
	for _, nombre := range camposEvento {
		c[nombre] = ausente{}
	}
	c["fase_busqueda"] = "1"
	return c
}

func TestCoincidencia_accepts(t *testing.T) {
	const uuidFUB = "550e8400-e29b-41d4-a716-446655440000-6ba7b810-9dad-4d14-80b4-00c04fd430c8"
	tests := map[string]cambios{
		"every field":             {},
		"phase 1":                 fase1(cambios{}),
		"phase 3":                 {"fase_busqueda": "3"},
		"no optional field":       fase1(minimo()),
		"UUID-shaped FUB":         {"id": uuidFUB},
		"bare UUID":               {"id": fub[len(fub)-36:]},
		"upper-case UUID":         {"id": strings.ToUpper(fub)},
		"UUID of version 1":       {"id": "F-6ba7b810-9dad-11d1-80b4-00c04fd430c8"},
		"UUID of another variant": {"id": "F-550e8400-e29b-41d4-c716-446655440000"},
		"any sign in the FUB":     {"id": "F!#$&'()*+,./:;=?@[]^_`{|}~-" + fub[len(fub)-36:]},
		"75 characters of id":     {"id": strings.Repeat("F", 38) + "-" + fub[len(fub)-36:]},
		"FORÁNEO":                 {"lugar_nacimiento": "FORÁNEO"},
		"FORANEO":                 {"lugar_nacimiento": "FORANEO"},
		"DESCONOCIDO":             {"lugar_nacimiento": "DESCONOCIDO"},
		"random CURP":             {"curp": "SA06EIMBDR5OVM72NY"},
		"empty telefono":          {"telefono": ""},
		"empty address texts":     {"domicilio.calle": "", "domicilio.codigo_postal": ""},
		"accents count as one":    {"nombre_completo.nombre": strings.Repeat("Á", 50)},
		"500 characters of event": {"tipo_evento": strings.Repeat("Ñ", 500)},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			if errores := checkCoincidencia(notificacion(t, c), institucionA, Criterio{}); len(errores) > 0 {
				t.Errorf("refused: %v", errores)
			}
		})
	}
}

func minimo() cambios {
	c := cambios{}
	for _, campo := range camposCoincidencia {
		if !campo.obligatorio {
			c[campo.nombre] = ausente{}
		}
	}
	return c
}

func TestCoincidencia_refuses(t *testing.T) {
	uuid := fub[len(fub)-36:]
	tests := []struct {
		name string
		c    cambios
		want []string
	}{
		{"no curp", cambios{"curp": ausente{}}, []string{"'curp' es obligatorio"}},
		{"null curp", cambios{"curp": nil}, []string{"'curp' es obligatorio"}},
		{"empty curp", cambios{"curp": ""}, []string{"'curp' es obligatorio"}},
		{"number as curp", cambios{"curp": 1.0}, []string{"'curp' debe ser una cadena de texto"}},
		{"17 characters of curp", cambios{"curp": "TEST010101HDFABC0"}, []string{"'curp' debe tener entre 18 y 18 caracteres"}},
		{"19 characters of curp", cambios{"curp": "TEST010101HDFABC011"}, []string{"'curp' debe tener entre 18 y 18 caracteres"}},
		{"lower-case curp", cambios{"curp": "test010101hdfabc01"}, []string{"'curp' no cumple el formato requerido"}},

		{"nombre_completo as text", cambios{"nombre_completo": "NOMBRE"}, []string{"'nombre_completo' debe ser un objeto"}},
		{"flat nombre", cambios{"nombre": "NOMBRE"}, []string{"'nombre' no es un campo permitido"}},
		{"empty nombre", cambios{"nombre_completo.nombre": ""}, []string{"'nombre_completo.nombre' debe tener entre 1 y 50 caracteres"}},
		{"51 characters of nombre", cambios{"nombre_completo.nombre": strings.Repeat("A", 51)}, []string{"'nombre_completo.nombre' debe tener entre 1 y 50 caracteres"}},
		{"digit in nombre", cambios{"nombre_completo.nombre": "NOMBRE 2"}, []string{"'nombre_completo.nombre' no cumple el formato requerido"}},
		{"decomposed accent", cambios{"nombre_completo.nombre": "A\u0301"}, []string{"'nombre_completo.nombre' no cumple el formato requerido"}},
		{"null primer_apellido", cambios{"nombre_completo.primer_apellido": nil}, []string{"'nombre_completo.primer_apellido' debe ser una cadena de texto"}},
		{"empty primer_apellido", cambios{"nombre_completo.primer_apellido": ""}, []string{"'nombre_completo.primer_apellido' debe tener entre 1 y 50 caracteres"}},
		{"line break in segundo_apellido", cambios{"nombre_completo.segundo_apellido": "A\n"}, []string{"'nombre_completo.segundo_apellido' no cumple el formato requerido"}},
		{"unknown part of name", cambios{"nombre_completo.apodo": "A"}, []string{"'nombre_completo.apodo' no es un campo permitido"}},

		{"Mexican date", cambios{"fecha_nacimiento": "15-05-1990"}, []string{"'fecha_nacimiento' debe estar en formato YYYY-MM-DD"}},
		{"day that does not exist", cambios{"fecha_nacimiento": "2023-02-29"}, []string{"'fecha_nacimiento' debe estar en formato YYYY-MM-DD"}},
		{"instant as date", cambios{"fecha_nacimiento": "1990-05-15T00:00:00Z"}, []string{"'fecha_nacimiento' debe estar en formato YYYY-MM-DD"}},
		{"short date", cambios{"fecha_nacimiento": "1990-5-15"}, []string{"'fecha_nacimiento' debe estar en formato YYYY-MM-DD"}},
		{"empty date", cambios{"fecha_nacimiento": ""}, []string{"'fecha_nacimiento' debe estar en formato YYYY-MM-DD"}},
		{"number as date", cambios{"fecha_nacimiento": 19900515.0}, []string{"'fecha_nacimiento' debe ser una cadena de texto"}},

		{"no lugar", cambios{"lugar_nacimiento": ausente{}}, []string{"'lugar_nacimiento' es obligatorio"}},
		{"empty lugar", cambios{"lugar_nacimiento": ""}, []string{"'lugar_nacimiento' es obligatorio"}},
		{"code as lugar", cambios{"lugar_nacimiento": "DF"}, []string{"'lugar_nacimiento' no es un valor del catálogo"}},
		{"lugar without its accent", cambios{"lugar_nacimiento": "MICHOACAN"}, []string{"'lugar_nacimiento' no es un valor del catálogo"}},
		{"long lugar", cambios{"lugar_nacimiento": "MICHOACÁN DE OCAMPO, M"}, []string{"'lugar_nacimiento' debe tener entre 0 y 20 caracteres"}},
		{"list as lugar", cambios{"lugar_nacimiento": []any{}}, []string{"'lugar_nacimiento' debe ser una cadena de texto"}},

		{"sexo in words", cambios{"sexo_asignado": "HOMBRE"}, []string{"'sexo_asignado' debe tener entre 1 y 1 caracteres"}},
		{"unknown sexo", cambios{"sexo_asignado": "F"}, []string{"'sexo_asignado' no cumple el formato requerido"}},
		{"16 characters of telefono", cambios{"telefono": "+525500000000000"}, []string{"'telefono' debe tener entre 0 y 15 caracteres"}},
		{"hyphen in telefono", cambios{"telefono": "55-0000-0000"}, []string{"'telefono' no cumple el formato requerido"}},
		{"number as telefono", cambios{"telefono": 5500000000.0}, []string{"'telefono' debe ser una cadena de texto"}},
		{"51 characters of correo", cambios{"correo": strings.Repeat("a", 40) + "@ejemplo.mx"}, []string{"'correo' debe tener entre 0 y 50 caracteres"}},
		{"correo without domain", cambios{"correo": "correo@ejemplo"}, []string{"'correo' no cumple el formato requerido"}},
		{"empty correo", cambios{"correo": ""}, []string{"'correo' no cumple el formato requerido"}},

		{"domicilio as text", cambios{"domicilio": "CALLE 1"}, []string{"'domicilio' debe ser un objeto"}},
		{"501 characters of direccion", cambios{"domicilio.direccion": strings.Repeat("A", 501)}, []string{"'domicilio.direccion' debe tener entre 0 y 500 caracteres"}},
		{"degree sign in direccion", cambios{"domicilio.direccion": "N° 1"}, []string{"'domicilio.direccion' no cumple el formato requerido"}},
		{"ampersand in calle", cambios{"domicilio.calle": "A & B"}, []string{"'domicilio.calle' no cumple el formato requerido"}},
		{"51 characters of calle", cambios{"domicilio.calle": strings.Repeat("A", 51)}, []string{"'domicilio.calle' debe tener entre 0 y 50 caracteres"}},
		{"21 characters of numero", cambios{"domicilio.numero": strings.Repeat("1", 21)}, []string{"'domicilio.numero' debe tener entre 0 y 20 caracteres"}},
		{"number as numero", cambios{"domicilio.numero": 1.0}, []string{"'domicilio.numero' debe ser una cadena de texto"}},
		{"51 characters of colonia", cambios{"domicilio.colonia": strings.Repeat("A", 51)}, []string{"'domicilio.colonia' debe tener entre 0 y 50 caracteres"}},
		{"6 digits of codigo_postal", cambios{"domicilio.codigo_postal": "010000"}, []string{"'domicilio.codigo_postal' debe tener entre 0 y 5 caracteres"}},
		{"letters in codigo_postal", cambios{"domicilio.codigo_postal": "C.P. "}, []string{"'domicilio.codigo_postal' no cumple el formato requerido"}},
		{"101 characters of municipio", cambios{"domicilio.municipio_o_alcaldia": strings.Repeat("A", 101)}, []string{"'domicilio.municipio_o_alcaldia' debe tener entre 0 y 100 caracteres"}},
		{"41 characters of entidad", cambios{"domicilio.entidad_federativa": strings.Repeat("A", 41)}, []string{"'domicilio.entidad_federativa' debe tener entre 0 y 40 caracteres"}},
		{"unknown part of domicilio", cambios{"domicilio.pais": "MX"}, []string{"'domicilio.pais' no es un campo permitido"}},

		{"fotos as text", cambios{"fotos": "a"}, []string{"'fotos' debe ser un arreglo"}},
		{"no foto in fotos", cambios{"fotos": []any{}}, []string{"'fotos' debe omitirse cuando no hay ninguna"}},
		{"empty foto", cambios{"fotos": []any{"a", ""}}, []string{"'fotos[1]' debe ser una cadena de texto"}},
		{"21 characters of formato_fotos", cambios{"formato_fotos": strings.Repeat("j", 21)}, []string{"'formato_fotos' debe tener entre 0 y 20 caracteres"}},
		{"huellas as list", cambios{"huellas": []any{"a"}}, []string{"'huellas' debe ser un objeto"}},
		{"no huella in huellas", cambios{"huellas": map[string]any{}}, []string{"'huellas' debe omitirse cuando no hay ninguna"}},
		{"unknown finger", cambios{"huellas.rsix": "a"}, []string{"'huellas.rsix' no es un campo permitido"}},
		{"null finger", cambios{"huellas.rone": nil}, []string{"'huellas.rone' debe ser una cadena de texto"}},
		{"51 characters of formato_huellas", cambios{"formato_huellas": strings.Repeat("w", 51)}, []string{"'formato_huellas' debe tener entre 0 y 50 caracteres"}},

		{"no id", cambios{"id": ausente{}}, []string{"'id' es obligatorio"}},
		{"8 characters of id", cambios{"id": "TEST-001"}, []string{"'id' debe tener entre 36 y 75 caracteres"}},
		{"76 characters of id", cambios{"id": strings.Repeat("F", 39) + "-" + uuid}, []string{"'id' debe tener entre 36 y 75 caracteres"}},
		{"id whose tail is no UUID", cambios{"id": "TEST-002-A1B2C3D4E5F6-550e8400-e29b-41d4"}, []string{"'id' no cumple el formato requerido"}},
		{"percent in id", cambios{"id": "F%B-" + uuid}, []string{"'id' no cumple el formato requerido"}},
		{"quote in id", cambios{"id": `F"B-` + uuid}, []string{"'id' no cumple el formato requerido"}},
		{"brackets in id", cambios{"id": "<FUB>-" + uuid}, []string{"'id' no cumple el formato requerido"}},
		{"UUID without its hyphen", cambios{"id": "FUB" + uuid}, []string{"'id' no cumple el formato requerido"}},
		{"space in id", cambios{"id": "F B-" + uuid}, []string{"'id' no cumple el formato requerido"}},

		{"no institucion_id", cambios{"institucion_id": ausente{}}, []string{"'institucion_id' es obligatorio"}},
		{"lower-case institucion_id", cambios{"institucion_id": "aaa010101aa1"}, []string{"'institucion_id' no cumple el formato requerido"}},
		{"14 characters of institucion_id", cambios{"institucion_id": "AAAA010101AA12"}, []string{"'institucion_id' debe tener entre 4 y 13 caracteres"}},
		{"another's institucion_id", cambios{"institucion_id": institucionB}, []string{"'institucion_id' no corresponde al token"}},

		{"no fase", cambios{"fase_busqueda": ausente{}}, []string{"'fase_busqueda' es obligatorio"}},
		{"number as fase", cambios{"fase_busqueda": 2.0}, []string{"'fase_busqueda' debe ser una cadena de texto"}},
		{"fase 4", cambios{"fase_busqueda": "4"}, []string{"'fase_busqueda' no cumple el formato requerido"}},
		{"phase 1 with an event", cambios{"fase_busqueda": "1"}, []string{
			"'tipo_evento' no corresponde a la fase 1", "'fecha_evento' no corresponde a la fase 1",
			"'descripcion_lugar_evento' no corresponde a la fase 1", "'direccion_evento' no corresponde a la fase 1"}},
		{"phase 2 without an event", fase("2"), []string{"'tipo_evento' es obligatorio", "'fecha_evento' es obligatorio"}},
		{"phase 3 without an event", fase("3"), []string{"'tipo_evento' es obligatorio", "'fecha_evento' es obligatorio"}},
		{"phase 3 with an empty tipo_evento", cambios{"fase_busqueda": "3", "tipo_evento": ""}, []string{"'tipo_evento' es obligatorio"}},
		{"501 characters of tipo_evento", cambios{"tipo_evento": strings.Repeat("A", 501)}, []string{"'tipo_evento' debe tener entre 0 y 500 caracteres"}},
		{"underscore in tipo_evento", cambios{"tipo_evento": "toma_de_muestra"}, []string{"'tipo_evento' no cumple el formato requerido"}},
		{"fecha_evento with slashes", cambios{"fecha_evento": "2024/02/29"}, []string{"'fecha_evento' debe estar en formato YYYY-MM-DD"}},
		{"semicolon in descripcion", cambios{"descripcion_lugar_evento": "A; B"}, []string{"'descripcion_lugar_evento' no cumple el formato requerido"}},
		{"501 characters of descripcion", cambios{"descripcion_lugar_evento": strings.Repeat("A", 501)}, []string{"'descripcion_lugar_evento' debe tener entre 0 y 500 caracteres"}},
		{"tab in direccion_evento", cambios{"direccion_evento.calle": "A\tB"}, []string{"'direccion_evento.calle' no cumple el formato requerido"}},
		{"unknown part of direccion_evento", cambios{"direccion_evento.cp": "01000"}, []string{"'direccion_evento.cp' no es un campo permitido"}},

		{"unknown fields", cambios{"resultado": "a", "estudio": "b"}, []string{"'estudio' no es un campo permitido", "'resultado' no es un campo permitido"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := checkCoincidencia(notificacion(t, tt.c), institucionA, Criterio{})
			if !slices.Equal([]string(got), tt.want) {
				t.Errorf("errores = %q, want %q", got, tt.want)
			}
		})
	}
}

// fase is a phase without any event.
func fase(n string) cambios {
	c := fase1(cambios{})
	c["fase_busqueda"] = n
	return c
}

func TestFinalizada_refuses(t *testing.T) {
	tests := []struct {
		name   string
		cuerpo map[string]any
		want   []string
	}{
		{"nothing", map[string]any{}, []string{"'id' es obligatorio", "'institucion_id' es obligatorio"}},
		{"misshapen id", map[string]any{"id": strings.Repeat("x", 40), "institucion_id": institucionA}, []string{"'id' no cumple el formato requerido"}},
		{"a CURP besides", map[string]any{"id": fub, "institucion_id": institucionA, "curp": "TEST010101HDFABC01"}, []string{"'curp' no es un campo permitido"}},
		{"another's institucion_id", map[string]any{"id": fub, "institucion_id": institucionB}, []string{"'institucion_id' no corresponde al token"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := checkFinalizada(tt.cuerpo, institucionA)
			if !slices.Equal([]string(got), tt.want) {
				t.Errorf("errores = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLogin_refuses(t *testing.T) {
	tests := []struct {
		name   string
		cuerpo map[string]any
		want   []string
	}{
		{"nothing", map[string]any{}, []string{"'institucion_id' es obligatorio", "'clave' es obligatorio"}},
		{"lower-case id", map[string]any{"institucion_id": "aaaa", "clave": "c"}, []string{"'institucion_id' no cumple el formato requerido"}},
		{"51 characters of clave", map[string]any{"institucion_id": institucionA, "clave": strings.Repeat("c", 51)}, []string{"'clave' debe tener entre 1 y 50 caracteres"}},
		{"usuario besides", map[string]any{"institucion_id": institucionA, "clave": "c", "usuario": "PUI"}, []string{"'usuario' no es un campo permitido"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := checkObject("", tt.cuerpo, camposLogin)
			if !slices.Equal([]string(got), tt.want) {
				t.Errorf("errores = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestCriterio(t *testing.T) {
	sinLugar := cambios{"descripcion_lugar_evento": ausente{}, "direccion_evento": ausente{}}
	tests := []struct {
		name     string
		criterio Criterio
		c        cambios
		want     []string
	}{
		{"both spellings", Criterio{}, cambios{"lugar_nacimiento": "FORANEO"}, nil},
		{"the one that is taken", Criterio{Foraneo: "FORANEO"}, cambios{"lugar_nacimiento": "FORANEO"}, nil},
		{"the other one", Criterio{Foraneo: "FORANEO"}, cambios{"lugar_nacimiento": "FORÁNEO"}, []string{"'lugar_nacimiento' no es un valor del catálogo"}},
		{"another place", Criterio{Foraneo: "FORANEO"}, cambios{"lugar_nacimiento": "CDMX"}, nil},
		{"no place of the event", Criterio{}, sinLugar, nil},
		{"no place of the event, strictly", Criterio{Estricto: true}, sinLugar, []string{"'descripcion_lugar_evento' es obligatorio", "'direccion_evento' es obligatorio"}},
		{"empty ones, strictly", Criterio{Estricto: true}, cambios{"descripcion_lugar_evento": "", "direccion_evento": map[string]any{"direccion": ""}}, nil},
		{"phase 1, strictly", Criterio{Estricto: true}, fase1(cambios{}), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := checkCoincidencia(notificacion(t, tt.c), institucionA, tt.criterio)
			if !slices.Equal([]string(got), tt.want) {
				t.Errorf("errores = %q, want %q", got, tt.want)
			}
		})
	}
	p, _ := newPlataforma(t)
	if err := p.SetCriterio(Criterio{Foraneo: "Foráneo"}); err == nil || p.Criterio() != (Criterio{}) {
		t.Errorf("a spelling that the manual does not have: %v, %+v", err, p.Criterio())
	}
}
