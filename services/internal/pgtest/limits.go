package pgtest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/grpc-ecosystem/grpc-gateway/v2/protoc-gen-openapiv2/options"
	"github.com/jackc/pgx/v5"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// CheckLimits holds each constraint that bounds the length or the form of a text to the field
// of the protos that the text comes from; "" stands beside a constraint whose text is ours.
func (d Database) CheckLimits(tb testing.TB, fields map[string]protoreflect.FullName) {
	tb.Helper()
	bounds := d.bounds(tb)
	for name := range fields {
		if bounds[name] == "" {
			tb.Errorf("there is no %s", name)
		}
	}
	for name, definition := range bounds {
		field, known := fields[name]
		if !known {
			tb.Errorf("nobody says which field %s bounds: %s", name, definition)
			continue
		}
		for _, part := range wanted(tb, field) {
			if !strings.Contains(definition, part) {
				tb.Errorf("%s: %s, but of %s the proto says %s", name, definition, field, part)
			}
		}
	}
}

// bounds are the constraints that bound a text, by name.
func (d Database) bounds(tb testing.TB) map[string]string {
	tb.Helper()
	admin, err := pgx.Connect(tb.Context(), d.AdminURL)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = admin.Close(context.WithoutCancel(tb.Context())) }()
	rows, err := admin.Query(tb.Context(), `SELECT conname, definition
		FROM pg_constraint, pg_get_constraintdef(oid) AS definition
		WHERE contype = 'c' AND conrelid::regclass::text NOT LIKE 'river%' AND definition ~ '\m(char_)?length\(| ~ '`)
	if err != nil {
		tb.Fatal(err)
	}
	found := map[string]string{}
	var name, definition string
	_, err = pgx.ForEachRow(rows, []any{&name, &definition}, func() error {
		found[name] = definition
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return found
}

// wanted is what a constraint has in it for a field: the proto's lengths, or else its form.
func wanted(tb testing.TB, name protoreflect.FullName) []string {
	tb.Helper()
	if name == "" {
		return nil
	}
	field, err := protoregistry.GlobalFiles.FindDescriptorByName(name)
	if err != nil {
		tb.Fatal(err)
	}
	limits, _ := proto.GetExtension(field.Options(), options.E_Openapiv2Field).(*options.JSONSchema)
	if limits.GetMaxLength() == 0 {
		return []string{"~ '" + limits.GetPattern() + "'"}
	}
	return []string{fmt.Sprintf(">= %d)", limits.GetMinLength()), fmt.Sprintf("<= %d)", limits.GetMaxLength())}
}
