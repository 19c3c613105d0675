package grpcapi

import (
	"slices"
	"strings"
	"testing"

	"github.com/grpc-ecosystem/grpc-gateway/v2/protoc-gen-openapiv2/options"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
)

// TestActivacion_limits holds that the domain admits of each field what the proto says: as many
// characters, the same values, and nothing for it only where it is not required.
func TestActivacion_limits(t *testing.T) {
	t.Parallel()
	fields := (&integracionv1.Activacion{}).ProtoReflect().Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		behavior, _ := proto.GetExtension(field.Options(), annotations.E_FieldBehavior).([]annotations.FieldBehavior)
		required := slices.Contains(behavior, annotations.FieldBehavior_REQUIRED)
		if admitted := admits(field, ""); admitted == required {
			t.Errorf("%s: the domain admits none: %t", field.Name(), admitted)
		}
		limits, _ := proto.GetExtension(field.Options(), options.E_Openapiv2Field).(*options.JSONSchema)
		for _, value := range limits.GetEnum() {
			if !admits(field, value) {
				t.Errorf("%s: the domain refuses %s", field.Name(), value)
			}
		}
		if len(limits.GetEnum()) > 0 && admits(field, "Z") {
			t.Errorf("%s: the domain admits any value", field.Name())
		}
		if most := int(limits.GetMaxLength()); most > 0 {
			checkLength(t, field, most)
		}
	}
}

// checkLength pads a value, which ends as it must, to the most characters and to one more.
func checkLength(t *testing.T, field protoreflect.FieldDescriptor, most int) {
	t.Helper()
	end := ""
	if field.Name() == "id" {
		end = "-" + sampleUUID
	}
	if !admits(field, strings.Repeat("A", most-len(end))+end) {
		t.Errorf("%s: the domain refuses %d characters", field.Name(), most)
	}
	if admits(field, strings.Repeat("A", most+1-len(end))+end) {
		t.Errorf("%s: the domain admits more than %d characters", field.Name(), most)
	}
}

const sampleUUID = "550e8400-e29b-41d4-a716-446655440000"

func admits(field protoreflect.FieldDescriptor, value string) bool {
	a := &integracionv1.Activacion{Id: sampleUUID, Curp: "TEST010101HDFABC01"}
	a.ProtoReflect().Set(field, protoreflect.ValueOfString(value))
	_, err := activacionOf(a).Validate()
	return err == nil
}
