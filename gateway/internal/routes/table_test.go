package routes

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/enlace-iis/enlace/gateway/internal/httperr"
	"github.com/enlace-iis/enlace/proto/jsonwire"
)

var update = flag.Bool("update", false, "rewrite the golden file")

func newTestTable(t *testing.T) *Table {
	t.Helper()
	table, err := NewTable(Config{}, Local{Pattern: "/health", Handler: http.NotFoundHandler()})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// TestTable_golden is the list of every public route. A difference here is a change of
// the contract: neither buf nor the compiler sees one in a google.api.http rule.
func TestTable_golden(t *testing.T) {
	var got bytes.Buffer
	for _, route := range newTestTable(t).All() {
		fmt.Fprintf(&got, "%-4s %-38s %-63s %d %-8s %-6s %-7s %s%s%s%s\n", route.Method, route.Pattern, orDash(route.RPC),
			route.Success, route.Style, accessName(route.Access), bodyName(route.Body), limitName(route),
			mark(route.List && !route.File, " list"), mark(route.File, " file"), mark(route.RefusesQuery, " no-query"))
	}
	path := filepath.Join("testdata", "routes.golden")
	if *update {
		err := os.WriteFile(path, got.Bytes(), 0o644)
		if err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Error(diff)
	}
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func mark(set bool, text string) string {
	if set {
		return text
	}
	return ""
}

func accessName(a Access) string {
	return []string{"open", "apikey", "bearer"}[a]
}

func bodyName(b Body) string {
	return []string{"-", "strict", "batch", "lenient", "ignored", "signed"}[b]
}

func limitName(route *Route) string {
	name := fmt.Sprintf("%dMiB", route.BodyLimit>>20)
	if route.MaxRegistros > 0 {
		name += fmt.Sprintf("/%d", route.MaxRegistros)
	}
	return name
}

// TestTable_everyMessageHasAJSONForm finds a message that the reader or writer would refuse
// when it is too late.
func TestTable_everyMessageHasAJSONForm(t *testing.T) {
	for _, route := range newTestTable(t).All() {
		if route.RPC == "" {
			continue
		}
		name := strings.ReplaceAll(strings.TrimPrefix(route.RPC, "/"), "/", ".")
		found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(name))
		if err != nil {
			t.Fatal(err)
		}
		method := found.(protoreflect.MethodDescriptor)
		messages := []protoreflect.MessageDescriptor{method.Input(), method.Output()}
		if route.Body == Signed {
			messages = messages[1:] // the request is not read here
		}
		if route.File {
			messages = messages[:1] // the answer is sent as it is
		}
		for _, descriptor := range messages {
			message, err := protoregistry.GlobalTypes.FindMessageByName(descriptor.FullName())
			if err != nil {
				t.Fatal(err)
			}
			err = jsonwire.Check(message.New().Interface())
			if err != nil {
				t.Errorf("%s: %v", route.RPC, err)
			}
		}
	}
}

// asked is what the mux finds for a path.
type asked struct {
	path       *Path // nil for none
	parameters map[string]string
}

// ask gives a function that asks the mux.
func ask(t *testing.T, table *Table) func(path string) asked {
	t.Helper()
	var last asked
	mux, err := table.NewMux(
		func(_ http.ResponseWriter, _ *http.Request, path *Path, parameters map[string]string) {
			last = asked{path, parameters}
		},
		func(http.ResponseWriter, *http.Request) { last = asked{} })
	if err != nil {
		t.Fatal(err)
	}
	return func(path string) asked {
		mux.ServeHTTP(nil, &http.Request{Method: AnyMethod, URL: &url.URL{Path: path}})
		return last
	}
}

func TestMux_findsThePath(t *testing.T) {
	tests := []struct {
		path      string
		pattern   string // "" for none
		parameter string
	}{
		{"/", "/", ""},
		{"/login", "/login", ""},
		{"/cliente/casos", "/cliente/casos", ""},
		{"/i/AAA010101AAA/login", "/i/{id_empresa}/login", "AAA010101AAA"},
		{"/i/A%26B010101AAA/login", "/i/{id_empresa}/login", "A&B010101AAA"},
		{"/i/%C3%91AA010101AAA/activar-reporte", "/i/{id_empresa}/activar-reporte", "ÑAA010101AAA"},

		{"", "", ""},
		{"*", "", ""},
		{"/login/", "", ""},
		{"//login", "", ""},
		{"/./login", "", ""},
		{"/x/../login", "", ""},
		{"/Login", "", ""},
		{"/%6Cogin", "", ""},
		{"/login%00", "", ""},
		{"/login%2F", "", ""},
		{"/login;a=b", "", ""},
		{"/cliente//casos", "", ""},
		{"/cliente%2Fcasos", "", ""},
		{"/i//login", "", ""},
		{"/i/login", "", ""},
		{"/i/./login", "", ""},
		{"/i/%2e%2e/login", "", ""},
		{"/i/a%2Fb/login", "", ""},
		{"/i/a%5Cb/login", "", ""},
		{"/i/a%00b/login", "", ""},
		{"/i/a%0Ab/login", "", ""},
		{"/i/%FF/login", "", ""},
		{"/i/%zz/login", "", ""},
		{"/i/" + strings.Repeat("A", 129) + "/login", "", ""},
		{"/i/AAA010101AAA/login/", "", ""},
		{"/i/AAA010101AAA/log%69n", "", ""},
		{"/webhooks/api-keys/AAA010101AAA", "/webhooks/api-keys/{id_empresa}", "AAA010101AAA"},
		{"/webhooks/api-keys/a:b", "/webhooks/api-keys/{id_empresa}", "a:b"},
		{"/webhooks/api-keys/eventos/revocar", "/webhooks/api-keys/{key_id}/revocar", "eventos"},
		{"/webhooks/api-keys/", "", ""},
		{"/webhooks/api-keys/a/b", "", ""},
		{"/cliente", "", ""},
		{"/webhooks", "", ""},
		{"/enlace.registros.v1.RegistroService/Ping", "", ""},
	}
	askFor := ask(t, newTestTable(t))
	for _, tt := range tests {
		got := askFor(tt.path)
		pattern := ""
		if got.path != nil {
			pattern = got.path.Pattern
		}
		parameter := got.parameters["id_empresa"] + got.parameters["key_id"]
		if pattern != tt.pattern || parameter != tt.parameter {
			t.Errorf("%q: got %q with %q, want %q with %q", tt.path, pattern, parameter, tt.pattern, tt.parameter)
		}
	}
}

// A literal path wins over a pattern, whichever was there first.
func TestMux_prefersALiteralPath(t *testing.T) {
	for _, patterns := range [][]string{{"/a/{x}", "/a/b"}, {"/a/b", "/a/{x}"}} {
		table, err := NewTable(Config{}, Local{Pattern: patterns[0]}, Local{Pattern: patterns[1]})
		if err != nil {
			t.Fatal(err)
		}
		if found := ask(t, table)("/a/b"); found.path.Pattern != "/a/b" {
			t.Errorf("%v: found %s", patterns, found.path.Pattern)
		}
	}
}

func TestPath_methods(t *testing.T) {
	askFor := ask(t, newTestTable(t))
	tests := []struct{ path, allow string }{
		{"/", "GET, HEAD"},
		{"/health", "GET, HEAD"},
		{"/cliente/casos", "GET, HEAD"},
		{"/login", "POST"},
		{"/cliente/registros", "POST"},
	}
	for _, tt := range tests {
		path := askFor(tt.path).path
		if path == nil || path.Allow() != tt.allow {
			t.Fatalf("%s: got %v, want %s", tt.path, path, tt.allow)
		}
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "FOO", ""} {
			allowed := method != "" && strings.Contains(tt.allow, method)
			if (path.Route(method) != nil) != allowed {
				t.Errorf("%s %s: got %v", method, tt.path, path.Route(method))
			}
		}
	}
}

func TestPath_styleIsThePlatforms(t *testing.T) {
	askFor := ask(t, newTestTable(t))
	for _, path := range []string{"/login", "/activar-reporte", "/activar-reporte-prueba", "/desactivar-reporte",
		"/i/X/login", "/i/X/activar-reporte", "/i/X/activar-reporte-prueba", "/i/X/desactivar-reporte"} {
		found := askFor(path).path
		if found == nil || found.Style != httperr.Platform {
			t.Errorf("%s: not in the manual's style", path)
		}
	}
}
