package inbound

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
)

// reporte is the body of an activation.
type reporte map[string]any

// llamada is the body of the manual's own sample call (lines 1090 to 1109), to the letter. Its CURP
// is not a real one: a service that looks at its check digit fails the platform's test.
const llamada = `{
"id": "A1B2C3D4E5F6-550e8400-e29b-41d4-a716-446655440000",
"curp": "TEST010101HDFABC01",
"nombre": "JUAN",
"primer_apellido": "PEREZ",
"segundo_apellido": "LOPEZ",
"fecha_nacimiento": "1990-01-01",
"fecha_desaparicion": "2024-12-15",
"lugar_nacimiento": "CDMX",
"sexo_asignado": "H",
"telefono": "5512345678",
"correo": "juan.perez@example.com",
"direccion": "CALLE FICTICIA 123, CENTRO",
"calle": "CALLE FICTICIA",
"numero": "123",
"colonia": "CENTRO",
"codigo_postal": "06000",
"municipio_o_alcaldia": "CUAUHTÉMOC",
"entidad_federativa": "CDMX"
}`

// muestra is the report of that call.
func muestra() reporte {
	var r reporte
	err := json.Unmarshal([]byte(llamada), &r)
	if err != nil {
		panic(err)
	}
	return r
}

// with gives a copy with a field changed.
func (r reporte) with(campo string, valor any) reporte {
	other := maps.Clone(r)
	other[campo] = valor
	return other
}

func (r reporte) without(campo string) reporte {
	other := maps.Clone(r)
	delete(other, campo)
	return other
}

// only leaves what is always there and gives all else one value, null or empty (§8.2,
// footnote 5).
func (r reporte) only(valor any) reporte {
	other := reporte{}
	for campo := range r {
		other[campo] = valor
	}
	other["id"], other["curp"] = r["id"], r["curp"]
	return other
}

func (r reporte) encode() []byte { return encode(map[string]any(r)) }

const uuid4 = "550e8400-e29b-41d4-a716-446655440000"

// aceptaciones are what section 5 and 1.6 say must be taken, the call of the manual first: as curl
// makes it, with the Content-Type of a form.
func aceptaciones() []Prueba {
	m := muestra()
	all := []Prueba{{"1.7", "acepta la llamada del manual, al pie de la letra", func(ctx context.Context, c *cliente) error {
		header := http.Header{"Accept": {"application/json"}, "Content-Type": {"application/x-www-form-urlencoded"}}
		r, err := c.do(ctx, solicitud{ruta: rutaPrueba, cuerpo: []byte(llamada), token: c.token, header: header})
		if err != nil {
			return err
		}
		return r.wantMessage("")
	}}}
	for _, each := range []struct {
		seccion, nombre string
		reporte         reporte
	}{
		{"1.6", "solo id y curp", reporte{"id": m["id"], "curp": m["curp"]}},
		{"1.6", "los demás datos nulos", m.only(nil)},
		{"1.6*", "los demás datos vacíos", m.only("")},
		{"2.1", "id de 73 caracteres con un FUB como UUID", m.with("id", uuid4+"-"+uuid4)},
		{"2.1", "id de 75 caracteres", m.with("id", strings.Repeat("A", 38)+"-"+uuid4)},
		{"2.1", "id cuyo FUB no es hexadecimal", m.with("id", "g7b5-"+uuid4)},
		{"2.1*", "id con otros signos en el FUB", m.with("id", "F_1/2.3:A#&'()-"+uuid4)},
		{"2.1*", "id con un UUID de otra versión y variante", m.with("id", "A1B2C3D4E5F6-550e8400-e29b-11d4-c716-446655440000")},
		{"2.2", "CURP sin estructura oficial", m.with("curp", "SA06EIMBDR5OVM72NY")},
		{"2.2", "CURP de persona no binaria", m.with("curp", "PEXA900115XDFRXN06")},
		{"2.3", "sexo X", m.with("sexo_asignado", "X")},
		{"2.3*", "sexo de otro texto", m.with("sexo_asignado", "F")},
		{"2.4", "lugar de nacimiento vacío", m.with("lugar_nacimiento", "")},
		{"2.4*", "FORANEO sin acento", m.with("lugar_nacimiento", "FORANEO")},
		{"2.4", "FORÁNEO con acento", m.with("lugar_nacimiento", "FORÁNEO")},
		{"2.4*", "lugar de nacimiento desconocido", m.with("lugar_nacimiento", "OTRO PLANETA")},
		{"S-08", "apóstrofo y guion en los nombres", m.with("nombre", "D'ALBA").with("primer_apellido", "APELLIDO-OTRO")},
		{"S-08", "signos de una dirección", m.with("direccion", "Calle 5 #10, int. 2 (esq. 7): 1/2")},
		{"S-08*", "porcentaje en el correo", m.with("correo", "a%b@example.mx")},
		{"S-33", "acentos y eñes", m.with("nombre", "MUÑOZ PEÑA ÁÉÍÓÚÜ")},
		{"S-08", "nombre de 50 caracteres", m.with("nombre", strings.Repeat("Ñ", 50))},
		{"1.6*", "un campo que no se conoce", m.with("campo_nuevo", "valor")},
	} {
		all = append(all, Prueba{each.seccion, "acepta " + each.nombre, func(ctx context.Context, c *cliente) error {
			r, err := c.prueba(ctx, each.reporte.encode())
			if err != nil {
				return err
			}
			return r.wantMessage("")
		}})
	}
	return append(all, tiposDeContenido()...)
}

// tiposDeContenido send what must be taken under other names than JSON's, and under none.
func tiposDeContenido() []Prueba {
	var all []Prueba
	for nombre, header := range map[string]http.Header{
		"sin Content-Type":            {},
		"con charset en Content-Type": {"Content-Type": {"application/json; charset=utf-8"}},
	} {
		all = append(all, Prueba{"1.7", "acepta la muestra " + nombre, func(ctx context.Context, c *cliente) error {
			r, err := c.do(ctx, solicitud{ruta: rutaPrueba, cuerpo: muestra().encode(), token: c.token, header: header, sinTipo: true})
			if err != nil {
				return err
			}
			return r.wantMessage("")
		}})
	}
	return all
}

// rechazos are the bodies that must be 400 (section 5, 1.6, S-07, S-08). The manual prints no
// expression for what comes in; the alphabet of a CURP and of a FUB is our reading.
func rechazos() []Prueba {
	m := muestra()
	var all []Prueba
	for _, each := range []struct {
		seccion, nombre string
		reporte         reporte
	}{
		{"1.6", "sin id", m.without("id")},
		{"1.6", "id nulo", m.with("id", nil)},
		{"1.6", "sin curp", m.without("curp")},
		{"1.6", "curp vacía", m.with("curp", "")},
		{"5", "curp de 17", m.with("curp", "TEST010101HDFABC0")},
		{"5", "curp de 19", m.with("curp", "TEST010101HDFABC012")},
		{"5*", "curp en minúsculas", m.with("curp", "test010101hdfabc01")},
		{"5", "id de 8", m.with("id", "A1B2C3D4")},
		{"5", "id de 40", m.with("id", "TEST-002-A1B2C3D4E5F6-550e8400-e29b-41d4")},
		{"5", "id de 76", m.with("id", strings.Repeat("A", 39)+"-"+uuid4)},
		{"5", "id que no termina en un UUID", m.with("id", "A1B2C3D4E5F6-550e8400-e29b-41d4-a716-44665544000g")},
		{"2.1*", "id con un espacio en el FUB", m.with("id", "F 1-"+uuid4)},
		{"2.1", "id con marcas en el FUB", m.with("id", "<F1>-"+uuid4)},
		{"5", "fecha al revés", m.with("fecha_desaparicion", "15-05-1990")},
		{"1.6", "fecha que no existe", m.with("fecha_nacimiento", "2023-02-30")},
		{"S-07", "número por curp", m.with("curp", 123456789012345678)},
		{"S-07", "número por teléfono", m.with("telefono", 5555555555)},
		{"S-07", "lista por nombre", m.with("nombre", []string{"NOMBRE"})},
		{"S-07", "objeto por nombre", m.with("nombre", map[string]string{"a": "b"})},
		{"S-07", "verdadero por nombre", m.with("nombre", true)},
		{"1.6", "nombre de 51", m.with("nombre", strings.Repeat("A", 51))},
		{"1.6", "dirección de 501", m.with("direccion", strings.Repeat("A", 501))},
		{"1.6", "código postal de 6", m.with("codigo_postal", "060000")},
		{"1.6", "teléfono de 16", m.with("telefono", "5555555555555555")},
		{"1.6", "correo de 51", m.with("correo", strings.Repeat("a", 42)+"@abcde.mx")},
		{"S-08", "<script> en el nombre", m.with("nombre", "<script>")},
		{"S-08", "comillas en el nombre", m.with("nombre", `NOM"BRE`)},
		{"S-08", "carácter de control", m.with("nombre", "NOM\u0007BRE")},
		{"S-09", "carácter NUL", m.with("nombre", "NOM\u0000BRE")},
	} {
		all = append(all, Prueba{each.seccion, "rechaza " + each.nombre, refused(each.reporte.encode(), http.StatusBadRequest)})
	}
	return all
}

func refused(cuerpo []byte, statuses ...int) func(context.Context, *cliente) error {
	return func(ctx context.Context, c *cliente) error {
		r, err := c.prueba(ctx, cuerpo)
		if err != nil {
			return err
		}
		return r.wantRefusal(statuses...)
	}
}

// malformados are S-09 and S-10: what is no proper body is the sender's fault, never an
// error of the service.
func malformados() []Prueba {
	m := muestra().encode()
	all := []Prueba{
		{"S-10", "cuerpo vacío", refused(nil, 400, 422)},
		{"S-10", "lista en la raíz", refused(append(append([]byte("["), m...), ']'), 400, 422)},
		{"S-10", "texto en la raíz", refused([]byte(`"texto"`), 400, 422)},
		{"S-10", "número en la raíz", refused([]byte(`1`), 400, 422)},
		{"S-10", "null en la raíz", refused([]byte(`null`), 400, 422)},
		{"S-09", "JSON cortado", refused(m[:len(m)/2], 400, 422)},
		{"S-09", "datos después del JSON", refused(append(bytes.Clone(m), " {}"...), 400, 422)},
		{"S-09", "anidado a gran profundidad", refused([]byte(strings.Repeat("[", 100_000)), 400, 413, 422)},
		{"S-09*", "un megabyte y más", refused(append(bytes.Repeat([]byte(" "), 1<<20), m...), 400, 413, 422)},
		{"S-33", "UTF-8 inválido", refused(bytes.Replace(m, []byte("JUAN"), []byte("JU\xffAN"), 1), 400, 422)},
		{"S-33", "UTF-16", refused([]byte("\xff\xfe{\x00}\x00"), 400, 422)},
	}
	for _, texto := range []string{`X'; DROP TABLE reportes; --`, `{"$gt": ""}`, `*)(uid=*))(|(uid=*`, `../../../../etc/passwd`} {
		all = append(all, Prueba{"S-11", "inyección tratada como dato: " + texto, func(ctx context.Context, c *cliente) error {
			r, err := c.prueba(ctx, muestra().with("direccion", texto).encode())
			if err != nil {
				return err
			}
			return r.want(http.StatusOK, http.StatusBadRequest)
		}})
	}
	return all
}
