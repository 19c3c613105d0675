package consola

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/grpc-ecosystem/grpc-gateway/v2/protoc-gen-openapiv2/options"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
)

func limitsOf(message proto.Message, field protoreflect.Name) *options.JSONSchema {
	said := message.ProtoReflect().Descriptor().Fields().ByName(field)
	limits, _ := proto.GetExtension(said.Options(), options.E_Openapiv2Field).(*options.JSONSchema)
	return limits
}

// length is a length in a pattern: "{1,64}", "{18}".
var length = regexp.MustCompile(`\{(?:(\d+),)?(\d+)\}`)

// TestRoutes_limits holds what the console's fields take, and the days it draws, to the protos.
func TestRoutes_limits(t *testing.T) {
	curp := length.FindStringSubmatch(limitsOf(&integracionv1.FindPersonaRequest{}, "curp").GetPattern())[2]
	usuario := limitsOf(&integracionv1.CreateUsuarioRequest{}, "usuario").GetPattern()
	served := serve(t)
	for file, wanted := range map[string]string{
		"persona.js":  "minlength: " + curp + ", maxlength: " + curp,
		"usuarios.js": "maxlength: " + length.FindStringSubmatch(usuario)[2] + `, pattern: "` + strings.Trim(strings.ReplaceAll(usuario, "-]", `\\-]`), "^$"),
		"llaves.js":   fmt.Sprintf("maxlength: %d }", limitsOf(&integracionv1.IssueApiKeyRequest{}, "nombre").GetMaxLength()),
		"cifras.js":   fmt.Sprintf("const DAYS = %d;", limitsOf(&integracionv1.ListCifrasResponse{}, "dias").GetMaxItems()),
	} {
		if !strings.Contains(served["/consola/operador/"+file].Body.String(), wanted) {
			t.Errorf("%s lacks %s", file, wanted)
		}
	}
}

// shown are the states that the console counts: figure("Casos", …, ["en_busqueda", …].
var shown = regexp.MustCompile(`figure\("(\w+)", .*"estado", \[([^]]*)\]`)

// TestRoutes_states holds the states that the console counts to those that the protos name.
func TestRoutes_states(t *testing.T) {
	served := serve(t)
	counted := map[string][]string{}
	for _, found := range shown.FindAllStringSubmatch(served["/consola/institucion/inicio.js"].Body.String(), -1) {
		counted[found[1]] = strings.Split(strings.ReplaceAll(found[2], `"`, ""), ", ")
	}
	for title, message := range map[string]proto.Message{"Casos": &registrosv1.Caso{}, "Coincidencias": &registrosv1.Coincidencia{}} {
		states := limitsOf(message, "estado").GetEnum()
		for _, state := range states {
			if !strings.Contains(served["/consola/lib/states.js"].Body.String(), "\n  "+state+": [") {
				t.Errorf("the console has no words for %s", state)
			}
		}
		if slices.Sort(counted[title]); !slices.Equal(counted[title], slices.Sorted(slices.Values(states))) {
			t.Errorf("%s: the console counts %v, the protos name %v", title, counted[title], states)
		}
	}
}

// TestRoutes_pendientes holds the words for what needs somebody to the proto.
func TestRoutes_pendientes(t *testing.T) {
	served := serve(t)["/consola/operador/resumen.js"].Body.String()
	for _, tipo := range limitsOf(&integracionv1.Pendiente{}, "tipo").GetEnum() {
		if !strings.Contains(served, "\n  "+tipo+": [") {
			t.Errorf("the console has no words for %s", tipo)
		}
	}
}
