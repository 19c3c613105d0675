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

// otherKeys are the text columns of tables of ours that are in an index, or are an id by their name, and
// do not compare byte by byte.
const otherKeys = `
SELECT count(*), array_remove(array_agg(CASE WHEN attcollation <> '"C"'::regcollation THEN relname || '.' || attname END), NULL)
FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname !~ '^(river|goose)_' AND attnum > 0 AND atttypid = 'text'::regtype
	AND (attname ~ '(^|_)id$' OR attname IN ('folio', 'curp')
		OR EXISTS (SELECT FROM pg_index i WHERE i.indrelid = attrelid AND a.attnum = ANY (i.indkey)))`

// CheckCollations tells of the keys that are text and do not compare byte by byte. A language's order costs
// two fifths of an insert, and changes with the C library, after which an index finds what it has no more.
func (d Database) CheckCollations(tb testing.TB) {
	tb.Helper()
	admin, err := pgx.Connect(tb.Context(), d.AdminURL)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = admin.Close(context.WithoutCancel(tb.Context())) }()
	var keys int
	var others []string
	err = admin.QueryRow(tb.Context(), otherKeys).Scan(&keys, &others)
	if err != nil || keys == 0 {
		tb.Fatalf("%d keys are text, %v", keys, err)
	}
	if len(others) > 0 {
		tb.Errorf(`not of COLLATE "C": %v`, others)
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
