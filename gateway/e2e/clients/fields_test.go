package clients

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"google.golang.org/genproto/googleapis/api/visibility"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/enlace-iis/enlace/gateway/e2e/harness"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

// TestFields_areListedByEveryClient holds the lists of a record's fields that are written by
// hand, in other languages, to the proto.
func TestFields_areListedByEveryClient(t *testing.T) {
	t.Parallel()
	root, err := harness.Repository()
	if err != nil {
		t.Fatal(err)
	}
	for _, client := range []string{
		"proto/examples/csharp/Enlace.cs",
		"proto/examples/javascript/enlace.mjs",
		"proto/examples/php/enlace.php",
		"proto/examples/python/enlace.py",
		"gateway/internal/consola/static/files/fields.js",
	} {
		source, err := os.ReadFile(filepath.Join(root, client))
		if err != nil {
			t.Fatal(err)
		}
		for _, field := range fieldsOf((&registrosv1.Registro{}).ProtoReflect().Descriptor()) {
			if !regexp.MustCompile(`["' /]` + field + `["' /\n]`).Match(source) {
				t.Errorf("%s does not know the field %s", client, field)
			}
		}
	}
}

// fieldsOf names the fields of a message that clients know of, and of those in it that are messages.
func fieldsOf(message protoreflect.MessageDescriptor) []string {
	var names []string
	fields := message.Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		if proto.HasExtension(field.Options(), visibility.E_FieldVisibility) {
			continue
		}
		names = append(names, string(field.Name()))
		if field.Message() != nil {
			names = append(names, fieldsOf(field.Message())...)
		}
	}
	return names
}
