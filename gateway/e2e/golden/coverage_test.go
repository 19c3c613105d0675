package golden

import (
	"fmt"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	"github.com/enlace-iis/enlace/gateway/internal/routes"
	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
)

// publicTable is every route of the contract.
func publicTable(t *testing.T) *routes.Table {
	t.Helper()
	table, err := routes.NewTable(
		routes.Local{Pattern: "/health"}, routes.Local{Pattern: "/i/{id_empresa}/health"},
		routes.Local{Pattern: "/docs"}, routes.Local{Pattern: "/redoc"}, routes.Local{Pattern: "/openapi.json"},
		routes.Local{Pattern: "/errores/{codigo}"}, routes.Local{Pattern: "/consola"},
	)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// parameter is one of a pattern.
var parameter = regexp.MustCompile(`\{\w+\}`)

// routeOf is the route that a case asks; nil if there is none.
func (c *goldenCase) routeOf(table *routes.Table) *routes.Route {
	asked, _, _ := strings.Cut(c.Asked.Path, "?")
	for _, route := range table.All() {
		fits, err := path.Match(parameter.ReplaceAllString(route.Pattern, "*"), asked)
		if err == nil && fits && route.Method == c.Asked.Method {
			return route
		}
	}
	return nil
}

// Every route has a case that succeeds as documented, and one of a refusal.
func TestGolden_coversEveryRoute(t *testing.T) {
	table := publicTable(t)
	succeeds, refuses := map[*routes.Route]bool{}, map[*routes.Route]bool{}
	for _, c := range goldenCases(t) {
		route := c.routeOf(table)
		if route == nil {
			continue
		}
		succeeds[route] = succeeds[route] || c.expect.Status == route.Exitos[0]
		refuses[route] = refuses[route] || c.expect.Status >= 400
	}
	for _, route := range table.All() {
		if !succeeds[route] {
			t.Errorf("no case of %s %s is answered with %d", route.Method, route.Pattern, route.Exitos[0])
		}
		if !refuses[route] && route.Access != routes.Open {
			t.Errorf("no case of %s %s is refused", route.Method, route.Pattern)
		}
	}
}

// Every codigo has a case.
func TestGolden_coversEveryCodigo(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range goldenCases(t) {
		body, _ := c.expect.Body.(map[string]any)
		codigo, _ := body["codigo"].(string)
		seen[codigo] = true
	}
	for number, name := range erroresv1.Motivo_name {
		codigo := strings.ToLower(strings.TrimPrefix(name, "MOTIVO_"))
		if number != 0 && !seen[codigo] {
			t.Errorf("no case is answered with %s", codigo)
		}
	}
}

// Every rule of contract.md 4.1 is broken in a case: each field has one of each of its
// kinds of error and warning.
func TestGolden_coversEveryRuleOfARegistro(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range goldenCases(t) {
		body, _ := c.expect.Body.(map[string]any)
		observaciones, _ := body["observaciones"].([]any)
		for _, each := range observaciones {
			o, _ := each.(map[string]any)
			puntero, _ := o["puntero"].(string)
			segments := strings.SplitN(puntero, "/", 4)
			seen[fmt.Sprintf("%s %s", segments[len(segments)-1], o["codigo"])] = true
		}
	}
	for _, rule := range rulesOfARegistro() {
		if !seen[rule] {
			t.Errorf("no case breaks the rule %q", rule)
		}
	}
}

// rulesOfARegistro lists "field codigo" for the table of contract.md 4.1.
func rulesOfARegistro() []string {
	rules := []string{
		"folio requerido", "folio longitud", "folio caracter_no_permitido", "folio folio_repetido",
		"curp requerido", "curp formato", "curp caracter_no_permitido", "curp curp_estructura", "curp curp_digito_verificador",
		"tipo_evento requerido", "tipo_evento longitud", "tipo_evento caracter_no_permitido", "tipo_evento dato_de_salud",
		"tipo_evento texto_no_admitido_por_la_plataforma",
		"fecha_evento requerido", "fecha_evento fecha_invalida", "fecha_evento fecha_futura", "fecha_evento fecha_anterior_a_1900",
		"descripcion_lugar_evento dato_de_salud", "descripcion_lugar_evento sin_lugar",
		"fecha_nacimiento campo_descartado", "fecha_nacimiento curp_fecha_nacimiento",
		"lugar_nacimiento campo_descartado", "lugar_nacimiento no_coincide_con_curp",
		"sexo_asignado campo_descartado", "sexo_asignado no_coincide_con_curp", "telefono campo_descartado", "correo campo_descartado",
		"tipo_evento utf8", "telefono campo_repetido", "nombre tipo_incorrecto", "domicilio/pais campo_desconocido",
	}
	for _, text := range []string{"descripcion_lugar_evento", "nombre", "primer_apellido", "segundo_apellido"} {
		rules = append(rules, textRules(text)...)
	}
	for _, direccion := range []string{"direccion_evento", "domicilio"} {
		for _, text := range []string{"direccion", "calle", "numero", "colonia", "municipio_o_alcaldia"} {
			rules = append(rules, textRules(direccion+"/"+text)...)
		}
		rules = append(rules, direccion+"/codigo_postal campo_descartado", direccion+"/entidad_federativa campo_descartado")
	}
	return rules
}

func textRules(field string) []string {
	return []string{field + " campo_descartado", field + " texto_no_admitido_por_la_plataforma"}
}

// Every path answers every verb: those it has, or that another pattern has which fits it too, or
// 405 with what is allowed.
func TestRoutes_everyVerbOfEveryPath(t *testing.T) {
	t.Parallel()
	table := publicTable(t)
	patterns := map[string]bool{}
	for _, route := range table.All() {
		patterns[route.Pattern] = true
	}
	// An own address is one only if it is somebody's.
	own := system.NewInstitucion(t).ID
	verbs := []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "INVENTADO", "get"}
	for pattern := range patterns {
		path := strings.NewReplacer("/i/{id_empresa}", "/i/"+own, "{id_empresa}", "X", "{key_id}", "X", "{codigo}", "interno", "{usuario}", "X", "{reporte_id}", "X", "{coincidencia_id}", "X", "{id_lote}", "X").Replace(pattern)
		allow := allowedAt(table, path)
		for _, verb := range verbs {
			checkVerb(t, verb, path, allow)
			answered := plainCall(t, verb, path+"/").Status
			if path != "/" && answered != http.StatusNotFound {
				t.Errorf("%s %s/ answers %d, want 404", verb, path, answered)
			}
		}
	}
}

// allowedAt are the methods of all patterns that fit a path.
func allowedAt(table *routes.Table, asked string) []string {
	var allow []string
	for _, route := range table.All() {
		fits, err := path.Match(parameter.ReplaceAllString(route.Pattern, "*"), asked)
		if err != nil || !fits {
			continue
		}
		allow = append(allow, route.Method)
		if route.Method == http.MethodGet {
			allow = append(allow, http.MethodHead)
		}
	}
	slices.Sort(allow)
	return allow
}

func checkVerb(t *testing.T, verb, path string, allow []string) {
	t.Helper()
	got := plainCall(t, verb, path)
	checkEveryAnswer(t, got)
	if slices.Contains(allow, verb) {
		if got.Status == http.StatusMethodNotAllowed {
			t.Errorf("%s %s answers 405", verb, path)
		}
		return
	}
	if got.Status != http.StatusMethodNotAllowed || got.Header.Get("Allow") != strings.Join(allow, ", ") {
		t.Errorf("%s %s answers %d, Allow: %q; want 405 and %q", verb, path, got.Status, got.Header.Get("Allow"), allow)
	}
	if verb == http.MethodHead {
		return
	}
	if codigo := members(t, got.Body)["codigo"]; codigo != "metodo_no_permitido" {
		t.Errorf("%s %s: codigo %v", verb, path, codigo)
	}
}

func plainCall(t *testing.T, verb, path string) harness.Answer {
	t.Helper()
	return step{Method: verb, Path: path}.do(t, &institucion{Institucion: &harness.Institucion{BaseURL: system.Addresses().BaseURL}}, nil)
}
