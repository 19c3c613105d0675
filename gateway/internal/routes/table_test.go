package routes

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/enlace-iis/enlace/proto/jsonwire"
)

var update = flag.Bool("update", false, "rewrite the golden file")

func newTestTable(t *testing.T) *Table {
	t.Helper()
	table, err := NewTable(Local{Pattern: "/health", Handler: http.NotFoundHandler()})
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
			route.Exitos[0], route.Style, accessName(route.Access), bodyName(route.Body), limitName(route),
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
