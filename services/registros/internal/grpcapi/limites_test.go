package grpcapi

import (
	"slices"
	"strings"
	"testing"

	"github.com/grpc-ecosystem/grpc-gateway/v2/protoc-gen-openapiv2/options"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// TestRegistro_limits holds that the domain admits of each field what the proto says: as many
// characters, the same values, and nothing for it only where it is not required.
func TestRegistro_limits(t *testing.T) {
	t.Parallel()
	for field := range fieldsOf(&registrosv1.Registro{}) {
		checkField(t, "/registros/0/", field, func(r *registrosv1.Registro) proto.Message { return r })
	}
	for field := range fieldsOf(&registrosv1.Direccion{}) {
		checkField(t, "/registros/0/domicilio/", field, func(r *registrosv1.Registro) proto.Message { return r.GetDomicilio() })
	}
}

// TestRegistro_limits_lugares holds that the proto lists every birthplace that the domain knows.
func TestRegistro_limits_lugares(t *testing.T) {
	t.Parallel()
	listed := limitsOf((&registrosv1.Registro{}).ProtoReflect().Descriptor().Fields().ByName("lugar_nacimiento")).GetEnum()
	for first := 'A'; first <= 'Z'; first++ {
		for second := 'A'; second <= 'Z'; second++ {
			lugar, known := manual.LugarOfCodigo(string([]rune{first, second}))
			if known && !slices.Contains(listed, string(lugar)) {
				t.Errorf("the proto does not list %s", lugar)
			}
		}
	}
}

func checkField(t *testing.T, place string, field protoreflect.FieldDescriptor, of func(*registrosv1.Registro) proto.Message) {
	t.Helper()
	told := func(value string) string {
		r := &registrosv1.Registro{
			Folio: "A-1", Curp: "ABCDEFGHIJKLMNOPQR", TipoEvento: "Cita", FechaEvento: "2025-05-05",
			DescripcionLugarEvento: "Sucursal", Domicilio: &registrosv1.Direccion{},
		}
		of(r).ProtoReflect().Set(field, protoreflect.ValueOfString(value))
		return complaint(r, place+string(field.Name()))
	}
	required := slices.Contains(extension[[]annotations.FieldBehavior](field, annotations.E_FieldBehavior), annotations.FieldBehavior_REQUIRED)
	if got := told("") == "requerido"; got != required {
		t.Errorf("%s: the domain requires it: %t, the proto: %t", field.FullName(), got, required)
	}
	limits := limitsOf(field)
	for _, value := range limits.GetEnum() {
		if got := told(value); got != "" {
			t.Errorf("%s: the domain says %s of %s", field.FullName(), got, value)
		}
	}
	if len(limits.GetEnum()) > 0 && told("ATLANTIDA") == "" {
		t.Errorf("%s: the domain admits any value", field.FullName())
	}
	// Of a correo the documents tell more than is kept: a longer one only is left out.
	if most := int(limits.GetMaxLength()); most > 0 && limits.GetFormat() != "email" {
		longest := strings.Repeat("ñ", most)
		if field.Name() == "entidad_federativa" { // one of the 32 besides
			longest = "San" + strings.Repeat(" ", most-len("SanLuisPotosi")-1) + "Luis Potosi"
		}
		if got := told(longest); got != "" && got != "texto_no_admitido_por_la_plataforma" {
			t.Errorf("%s: the domain says %s of %d characters", field.FullName(), got, most)
		}
		if told(strings.Repeat("ñ", most+1)) == "" {
			t.Errorf("%s: the domain admits more than %d characters", field.FullName(), most)
		}
	}
}

// complaint is the rule that the domain says a field breaks; "" if none.
func complaint(r *registrosv1.Registro, place string) string {
	lote := registros.ValidateLote(entradasOf([]*registrosv1.Registro{r}), 1, manual.MustParseFecha("2026-01-01"), false)
	for _, each := range lote.Observaciones {
		if each.Puntero == place && !strings.HasPrefix(string(each.Codigo), "curp_") {
			return string(each.Codigo)
		}
	}
	return ""
}

// fieldsOf gives the texts of a message.
func fieldsOf(message proto.Message) func(func(protoreflect.FieldDescriptor) bool) {
	fields := message.ProtoReflect().Descriptor().Fields()
	return func(yield func(protoreflect.FieldDescriptor) bool) {
		for i := range fields.Len() {
			if fields.Get(i).Kind() == protoreflect.StringKind && !yield(fields.Get(i)) {
				return
			}
		}
	}
}

func limitsOf(field protoreflect.FieldDescriptor) *options.JSONSchema {
	return extension[*options.JSONSchema](field, options.E_Openapiv2Field)
}

func extension[T any](field protoreflect.FieldDescriptor, kind protoreflect.ExtensionType) T {
	said, _ := proto.GetExtension(field.Options(), kind).(T)
	return said
}
