package grpcapi

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/grpc-ecosystem/grpc-gateway/v2/protoc-gen-openapiv2/options"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/enlace-iis/enlace/proto/errores"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/eventos"
	"github.com/enlace-iis/enlace/services/integracion/internal/reportes"
	"github.com/enlace-iis/enlace/services/integracion/internal/seguimiento"
	"github.com/enlace-iis/enlace/services/integracion/internal/tokens"
	"github.com/enlace-iis/enlace/services/internal/auth"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/tenant"
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
		limits := limitsOf(field)
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

// limitsOf is what the proto says that a field may have in it.
func limitsOf(field protoreflect.FieldDescriptor) *options.JSONSchema {
	limits, _ := proto.GetExtension(field.Options(), options.E_Openapiv2Field).(*options.JSONSchema)
	return limits
}

func limitsIn(message proto.Message, field protoreflect.Name) *options.JSONSchema {
	return limitsOf(message.ProtoReflect().Descriptor().Fields().ByName(field))
}

// TestDomain_limits is the same for what operators and events give: of any length the domain
// takes what the proto lets through, and no more.
func TestDomain_limits(t *testing.T) {
	t.Parallel()
	var all accepting
	usuarios := cuentas.Usuarios{Store: all, Hasher: all}
	empresas := cuentas.Empresas{Store: all, Hasher: all, Caja: all}
	keys := cuentas.ApiKeys{Empresas: all, Now: time.Now}
	received := eventos.Eventos{Store: all, Huellas: all}
	clave := cuentas.Secreto("una clave que sirve")
	for _, tt := range []struct {
		message proto.Message
		field   protoreflect.Name
		give    func(value string) error
	}{
		{&integracionv1.CreateUsuarioRequest{}, "usuario", func(value string) error {
			_, err := usuarios.Create(t.Context(), value, clave)
			return err
		}},
		{&integracionv1.CreateUsuarioRequest{}, "clave", func(value string) error {
			_, err := usuarios.Create(t.Context(), "operadora", cuentas.Secreto(value))
			return err
		}},
		{&integracionv1.ClaveNueva{}, "clave", func(value string) error {
			_, err := usuarios.ChangeClave(t.Context(), "operadora", cuentas.Secreto(value))
			return err
		}},
		{&integracionv1.ClaveEntrada{}, "clave", func(value string) error {
			_, err := empresas.SetClaveEntrada(t.Context(), "LAB010101AB1", cuentas.Secreto(value))
			return err
		}},
		{&integracionv1.Salida{}, "clave", func(value string) error {
			_, err := empresas.SetClaveSalida(t.Context(), "LAB010101AB1", "https://plataforma.example.mx/api", cuentas.Secreto(value))
			return err
		}},
		{&integracionv1.IssueApiKeyRequest{}, "nombre", func(value string) error {
			_, err := keys.Issue(t.Context(), cuentas.NuevaApiKey{EmpresaID: "LAB010101AB1", Nombre: value, Ambitos: []auth.Ambito{auth.AmbitoCliente}})
			return err
		}},
		{&integracionv1.EventoFirmado{}, "id", func(value string) error {
			_, err := received.Receive(t.Context(), "LAB010101AB1", eventos.Firma{ID: value}, eventos.EventoFirmado{ID: value})
			return err
		}},
	} {
		limits := limitsIn(tt.message, tt.field)
		for n := 1; n < 300; n++ {
			value := ("A1." + strings.Repeat("a", n))[:n]
			if admitted := !errs.Is(tt.give(value), errores.Validacion); admitted != lets(limits, value) {
				t.Errorf("%T.%s: the domain admits %d characters: %t", tt.message, tt.field, n, admitted)
			}
		}
	}
}

// lets tells whether limits let a value through.
func lets(limits *options.JSONSchema, value string) bool {
	n := uint64(utf8.RuneCountInString(value))
	return n >= limits.GetMinLength() && (limits.GetMaxLength() == 0 || n <= limits.GetMaxLength()) &&
		regexp.MustCompile(limits.GetPattern()).MatchString(value)
}

// accepting takes whatever the domain hands on, so that what is refused was refused by a rule.
type accepting struct {
	cuentas.UsuarioStore
	cuentas.EmpresaStore
	cuentas.Hasher
	cuentas.Caja
}

func (accepting) CreateUsuario(context.Context, cuentas.Usuario) error            { return nil }
func (accepting) SetClave(context.Context, string, string) error                  { return nil }
func (accepting) Hash(cuentas.Secreto) string                                     { return "" }
func (accepting) Fingerprint(cuentas.Secreto) []byte                              { return nil }
func (accepting) Huella(string, string) []byte                                    { return nil }
func (accepting) SetClaveEntrada(context.Context, tenant.EmpresaID, []byte) error { return nil }

func (accepting) Seal(cuentas.Secreto, string) (cuentas.Sellado, error) {
	return cuentas.Sellado{}, nil
}

func (accepting) SetSalida(context.Context, tenant.EmpresaID, string, cuentas.Sellado) (cuentas.Empresa, error) {
	return cuentas.Empresa{}, nil
}

// GetEmpresa ends the issue of a key, whose name was read by then.
func (accepting) GetEmpresa(context.Context, tenant.EmpresaID) (cuentas.Empresa, error) {
	return cuentas.Empresa{}, errs.New(errores.NoEncontrado, "")
}

func (accepting) AcceptEvento(_ context.Context, e eventos.EventoAceptado, _ func(context.Context) error) (eventos.EventoAceptado, bool, error) {
	return e, true, nil
}

// TestDomain_words holds the domain to the lists of values and of rows that the proto gives.
func TestDomain_words(t *testing.T) {
	t.Parallel()
	if most := limitsIn(&integracionv1.ListAvisosResponse{}, "reportes").GetMaxItems(); most != reportes.MaxAvisos {
		t.Errorf("%d avisos are given, the proto says %d", reportes.MaxAvisos, most)
	}
	if most := limitsIn(&integracionv1.CreateEmpresasRequest{}, "empresas").GetMaxItems(); most != cuentas.MaxAltas {
		t.Errorf("%d institutions are created at once, the proto says %d", cuentas.MaxAltas, most)
	}
	for _, message := range []proto.Message{&integracionv1.HallazgoSeguido{}, &registrosv1.Coincidencia{}} {
		if enum := limitsIn(message, "estado").GetEnum(); !slices.Equal(enum, seguimiento.EstadosHallazgo) {
			t.Errorf("the states of a match are %v, %T says %v", seguimiento.EstadosHallazgo, message, enum)
		}
	}
}

// TestDocuments_say holds the documents to what only their sentences say.
func TestDocuments_say(t *testing.T) {
	t.Parallel()
	const root = "../../../../"
	spanish := map[time.Duration]string{time.Hour: "una hora"}[tokens.Life]
	english := map[time.Duration]string{time.Hour: "one hour"}[tokens.Life]
	for file, sentences := range map[string][]string{
		"gateway/internal/docs/openapi.json": {
			"por un token que vive " + spanish + `"`,
			"o a un operador. Vive " + spanish + ".",
			fmt.Sprintf("con más de %.0f minutos de diferencia", eventos.Tolerancia.Minutes()),
			fmt.Sprintf("muestran a lo más %d.", reportes.MaxAvisosPrueba),
			fmt.Sprintf("Dentro de cuántos días; vacío: %d.", cuentas.UsualDias),
		},
		"docs/contract.md": {
			"a JWT that lives " + english + ".",
			fmt.Sprintf("more than %.0f minutes old event is 401", eventos.Tolerancia.Minutes()),
		},
	} {
		text, err := os.ReadFile(root + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, sentence := range sentences {
			if !strings.Contains(string(text), sentence) {
				t.Errorf("%s does not say %q", file, sentence)
			}
		}
	}
}
