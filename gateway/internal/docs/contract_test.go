package docs

import (
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/enlace-iis/enlace/gateway/internal/routes"
	"github.com/enlace-iis/enlace/proto/errores"
	erroresv1 "github.com/enlace-iis/enlace/proto/gen/enlace/errores/v1"
	_ "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1" // its descriptors
	_ "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"   // its descriptors
)

// TestDocument_routes finds a route of the protos that the document lacks, and the reverse.
func TestDocument_routes(t *testing.T) {
	want := []string{"get /health", "get /i/{id_empresa}/health", "get /docs", "get /redoc", "get /consola", "get /openapi.json", "get /errores/{codigo}"}
	protoregistry.GlobalFiles.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		if strings.HasPrefix(string(file.Package()), "enlace.") {
			want = append(want, routesOf(file)...)
		}
		return true
	})
	var got []string
	for path, item := range readDocument(t, Config{PublicURL: "https://api.example.mx"}).Paths {
		for method := range item {
			got = append(got, method+" "+path)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func routesOf(file protoreflect.FileDescriptor) []string {
	var found []string
	for i := range file.Services().Len() {
		methods := file.Services().Get(i).Methods()
		for j := range methods.Len() {
			rule, _ := proto.GetExtension(methods.Get(j).Options(), annotations.E_Http).(*annotations.HttpRule)
			if rule == nil {
				continue
			}
			for _, each := range append(rule.GetAdditionalBindings(), rule) {
				if each.GetGet() != "" {
					found = append(found, "get "+each.GetGet())
				}
				if each.GetPost() != "" {
					found = append(found, "post "+each.GetPost())
				}
				if each.GetDelete() != "" {
					found = append(found, "delete "+each.GetDelete())
				}
			}
		}
	}
	return found
}

// TestDocument_agreesWithTheTable compares what the document says of each route with what
// the gateway does.
func TestDocument_agreesWithTheTable(t *testing.T) {
	table, err := routes.NewTable()
	if err != nil {
		t.Fatal(err)
	}
	document := readDocument(t, Config{PublicURL: "https://api.example.mx"})
	for _, route := range table.All() {
		said := document.Paths[route.Pattern][strings.ToLower(route.Method)]
		if _, ok := said.Responses[strconv.Itoa(route.Exitos[0])]; !ok {
			t.Errorf("%s: %d is not documented", route.Pattern, route.Exitos[0])
		}
		if got := accessOf(said); got != route.Access {
			t.Errorf("%s: documented access is %v, not %v", route.Pattern, got, route.Access)
		}
		if (said.RequestBody != nil) != (route.Body != routes.NoBody) {
			t.Errorf("%s: the document and the route differ on whether there is a body", route.Pattern)
		}
		if route.MaxRegistros > 0 && document.maxRegistros(said) != route.MaxRegistros-1 {
			t.Errorf("%s: documented limit is %d records", route.Pattern, document.maxRegistros(said))
		}
		if _, has := said.Responses["304"]; has && !route.List {
			t.Errorf("%s: 304 is documented, but it is no list", route.Pattern)
		}
		if document.isPlatform(said) != (route.Style == routes.Platform) {
			t.Errorf("%s: the document has another form of errors", route.Pattern)
		}
	}
}

func accessOf(o operation) routes.Access {
	if len(o.Security) == 0 {
		return routes.Open
	}
	if _, ok := o.Security[0]["ApiKey"]; ok {
		return routes.APIKey
	}
	return routes.Bearer
}

func (d openapi) maxRegistros(o operation) int {
	body := d.Components.Schemas[last(o.RequestBody.Content["application/json"].Schema.Ref)]
	envelope := body.OneOf[0]
	return d.Components.Schemas[last(envelope.Ref)].Properties["registros"].MaxItems
}

func (d openapi) isPlatform(o operation) bool {
	return strings.HasPrefix(last(o.Responses["429"].Ref), "Plataforma")
}

// last is the name at the end of a reference.
func last(ref string) string {
	return ref[strings.LastIndex(ref, "/")+1:]
}

// TestDocument_errors holds the documented errors against what the gateway writes.
func TestDocument_errors(t *testing.T) {
	document := readDocument(t, Config{PublicURL: "https://api.example.mx", RootPath: "/enlace"})
	section := sectionOf(t, document, "Errores")
	for _, codigo := range errores.Motivos() {
		if !strings.Contains(section, "\n## "+errores.Codigo(codigo)+"\n") {
			t.Errorf("%v has no section in the guide", codigo)
		}
		if codigo == errores.MetodoNoPermitido {
			continue // no route answers it: it is the answer where there is none
		}
		written := write(t, "https://api.example.mx/enlace", routes.Problem, codigo)
		example := document.exampleOf(t, codigo)
		for _, member := range []string{"type", "title", "status", "codigo"} {
			if example[member] != written[member] {
				t.Errorf("%v: %s is documented as %v and written as %v", codigo, member, example[member], written[member])
			}
		}
	}
}

func TestDocument_errorShapes(t *testing.T) {
	schemas := readDocument(t, Config{PublicURL: "https://api.example.mx"}).Components.Schemas
	problem := write(t, "", routes.Problem, errores.JSONInvalido)
	entry := problem["errores"].([]any)[0].(map[string]any)
	for name, written := range map[string]map[string]any{
		"Problema":          problem,
		"ErrorDePlataforma": write(t, "", routes.Platform, errores.JSONInvalido),
		"ErrorDeCampo":      entry,
	} {
		documented := schemas[name]
		for member := range written {
			if _, ok := documented.Properties[member]; !ok {
				t.Errorf("%s: %s is not documented", name, member)
			}
		}
		for _, member := range documented.Required {
			if _, ok := written[member]; !ok {
				t.Errorf("%s: %s is documented and not written", name, member)
			}
		}
	}
	var want []any
	for _, codigo := range errores.Motivos() {
		want = append(want, errores.Codigo(codigo))
	}
	if diff := cmp.Diff(want, schemas["Problema"].Properties["codigo"].Enum); diff != "" {
		t.Error(diff)
	}
}

func write(t *testing.T, base string, style routes.Style, motivo errores.Motivo) map[string]any {
	t.Helper()
	recorder := httptest.NewRecorder()
	refusal := routes.NewError(motivo, "detalle")
	refusal.Errores = []*erroresv1.ErrorDeCampo{{Puntero: "/registros", Byte: new(int64)}}
	routes.WriteError(recorder, base, routes.About{Style: style, Instance: "/", RequestID: "1"}, refusal)
	return object(t, recorder.Body.Bytes())
}

// exampleOf is the first example of an error on the routes of institutions and operators.
func (d openapi) exampleOf(t *testing.T, motivo errores.Motivo) map[string]any {
	t.Helper()
	for _, response := range d.Components.Responses {
		example, ok := response.Content["application/problem+json"].Examples[errores.Codigo(motivo)]
		if ok {
			return object(t, example.Value)
		}
	}
	t.Fatalf("%v has no example", motivo)
	return nil
}

func object(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var members map[string]any
	err := json.Unmarshal(text, &members)
	if err != nil {
		t.Fatal(err)
	}
	return members
}

func sectionOf(t *testing.T, document openapi, tag string) string {
	t.Helper()
	for _, each := range document.Tags {
		if each.Name == tag {
			return each.Description
		}
	}
	t.Fatalf("there is no section %s", tag)
	return ""
}
