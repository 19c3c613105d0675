package opciones_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/grpc-ecosystem/grpc-gateway/v2/protoc-gen-openapiv2/options"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/enlace-iis/enlace/proto/errores"
	accesov1 "github.com/enlace-iis/enlace/proto/gen/enlace/acceso/v1"
	integracionv1 "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	opcionesv1 "github.com/enlace-iis/enlace/proto/gen/enlace/opciones/v1"
	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/proto/opciones"
)

func TestMetodos_ofEveryService(t *testing.T) {
	t.Parallel()
	for _, service := range []string{
		accesov1.AccesoService_ServiceDesc.ServiceName,
		registrosv1.RegistroService_ServiceDesc.ServiceName, registrosv1.CasoService_ServiceDesc.ServiceName,
		registrosv1.BusquedaService_ServiceDesc.ServiceName, registrosv1.CapturaService_ServiceDesc.ServiceName,
		registrosv1.OperacionService_ServiceDesc.ServiceName,
		integracionv1.SesionService_ServiceDesc.ServiceName, integracionv1.InicioService_ServiceDesc.ServiceName,
		integracionv1.ReporteService_ServiceDesc.ServiceName, integracionv1.AvisoService_ServiceDesc.ServiceName,
		integracionv1.ApiKeyService_ServiceDesc.ServiceName, integracionv1.EventoService_ServiceDesc.ServiceName,
		integracionv1.CredencialService_ServiceDesc.ServiceName, integracionv1.EntregaService_ServiceDesc.ServiceName,
	} {
		metodos, err := opciones.Metodos(service)
		if err != nil || len(metodos) == 0 {
			t.Errorf("%s: %d methods, %v", service, len(metodos), err)
		}
	}
}

// contract.md, sections 1, 4.2 and 5, for one method of each kind.
func TestMetodos_sayWhatTheContractSays(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		service, rpc string
		acceso       string
		cuerpo       opcionesv1.Cuerpo
		maximo       int32
		exito        int32
		repetible    bool
	}{
		{registrosv1.RegistroService_ServiceDesc.ServiceName, registrosv1.RegistroService_SaveLote_FullMethodName,
			"roles:ROL_INSTITUCION ambito:AMBITO_CLIENTE", opcionesv1.Cuerpo_CUERPO_LOTE, 5000, 200, false},
		{registrosv1.RegistroService_ServiceDesc.ServiceName, registrosv1.RegistroService_SaveRegistros_FullMethodName,
			"roles:ROL_INSTITUCION ambito:AMBITO_CLIENTE", opcionesv1.Cuerpo_CUERPO_LOTE, 5000, 201, false},
		{integracionv1.SesionService_ServiceDesc.ServiceName, integracionv1.SesionService_Login_FullMethodName,
			"publico:true", opcionesv1.Cuerpo_CUERPO_PLATAFORMA, 0, 200, false},
		{integracionv1.ApiKeyService_ServiceDesc.ServiceName, integracionv1.ApiKeyService_ListApiKeys_FullMethodName,
			"roles:ROL_OPERADOR", opcionesv1.Cuerpo_CUERPO_UNSPECIFIED, 0, 200, true},
	} {
		m := metodo(t, tt.service, tt.rpc)
		if !proto.Equal(m.Acceso, acceso(t, tt.acceso)) || m.GetCuerpo() != tt.cuerpo || m.GetMaximoRegistros() != tt.maximo ||
			m.Exitos[0].GetHttp() != tt.exito || m.GetRepetible() != tt.repetible {
			t.Errorf("%s: the proto says %v and %v", tt.rpc, m.Acceso, m.Metodo)
		}
	}
}

// What an operator reads of a person, beyond what they asked with, is declared; who makes a method
// cannot forget its line in the Bitácora.
func TestMetodos_declareWhatTheyShowOperators(t *testing.T) {
	t.Parallel()
	all, err := opciones.Todos()
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, m := range all {
		if !slices.Contains(m.Acceso.GetRoles(), opcionesv1.Rol_ROL_OPERADOR) {
			continue
		}
		asked++
		shows := fieldsOf(m.Descriptor.Output(), map[protoreflect.FullName]bool{})
		shows = slices.DeleteFunc(shows, func(name protoreflect.Name) bool { return m.Descriptor.Input().Fields().ByName(name) != nil })
		for _, personal := range []protoreflect.Name{"curp", "curp_huella", "folio", "reporte_id", "defectos"} {
			if slices.Contains(shows, personal) && m.GetLectura() != opcionesv1.Lectura_LECTURA_DE_PERSONAS {
				t.Errorf("%s shows %s and is %s", m.RPC, personal, m.GetLectura())
			}
		}
		if m.GetUnaVez() == "" && m.GetLectura() == opcionesv1.Lectura_LECTURA_UNSPECIFIED {
			t.Errorf("%s does not say what it shows", m.RPC)
		}
	}
	if asked < 30 {
		t.Errorf("%d methods for operators", asked)
	}
}

// What changes something for an operator is decided here: whether a token is enough, or the login
// has to be a recent one (contract.md, section 9).
func TestMetodos_declareWhichAskForARecentLogin(t *testing.T) {
	t.Parallel()
	decided := map[string]bool{
		"IssueApiKey": true, "RotateApiKey": true, "RevokeApiKey": false,
		"CreateEmpresas": true, "SetClaveEntrada": true, "SetClaveSalida": true,
		"ChangeEmpresa": false, "SuspendEmpresa": false, "ResumeEmpresa": false, "PauseEntregas": false, "ResumeEntregas": false, "EndCarga": false,
		"ResealSecretos": false,
		"CreateUsuario":  true, "RemoveUsuario": true, "ChangeClave": true, "RevokeTokens": true, "RemoveSegundoFactor": true,
		"BeginSegundoFactor": true, "ConfirmSegundoFactor": true, "CloseSesion": false,
		"DeleteRegistros": true, "FindRegistros": false, "FindPersona": false, "ReviewSinAbrir": false,
		"SearchReporteAgain": false, "SearchReportesAgain": false, "RetryFin": false, "SkipFin": false,
		"RetryHallazgo": false, "RetryHallazgos": false, "SkipHallazgo": false, "ResyncReportes": false, "ResendReportes": false,
	}
	all, err := opciones.Todos()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		name := string(m.Descriptor.Name())
		changes := slices.Contains(m.Acceso.GetRoles(), opcionesv1.Rol_ROL_OPERADOR) && m.GetUnaVez() != ""
		want, known := decided[name]
		switch {
		case changes && !known:
			t.Errorf("%s changes something, and nothing says whether it asks for a recent login", m.RPC)
		case changes && m.GetReciente() != want, !changes && m.GetReciente():
			t.Errorf("%s: got reciente %v, want %v", m.RPC, m.GetReciente(), want)
		}
		if changes {
			delete(decided, name)
		}
	}
	if len(decided) > 0 {
		t.Errorf("no such methods: %v", decided)
	}
}

// fieldsOf are the names of all fields of a message, to its depth.
func fieldsOf(message protoreflect.MessageDescriptor, known map[protoreflect.FullName]bool) (names []protoreflect.Name) {
	if known[message.FullName()] {
		return nil
	}
	known[message.FullName()] = true
	for i := range message.Fields().Len() {
		field := message.Fields().Get(i)
		names = append(names, field.Name())
		if field.Message() != nil {
			names = append(names, fieldsOf(field.Message(), known)...)
		}
	}
	return names
}

// What clients read of the limits is what holds.
func TestCausas_sayTheLimits(t *testing.T) {
	t.Parallel()
	most := func(rpc string) int32 {
		return metodo(t, registrosv1.RegistroService_ServiceDesc.ServiceName, rpc).GetMaximoRegistros()
	}
	for motivo, sentence := range map[errores.Motivo]string{
		errores.CuerpoDemasiadoGrande: fmt.Sprintf("pasa de %d MiB en `/cliente/registros*` o de %d MiB en", opciones.MaxCuerpoLote>>20, opciones.MaxCuerpo>>20),
		errores.LoteExcedido:          fmt.Sprintf("%d en `/cliente/registros`, `validar` y `lote`", most(registrosv1.RegistroService_SaveRegistros_FullMethodName)),
		errores.Validacion:            fmt.Sprintf("hasta %d, con `indice`", errores.MaxObservaciones),
	} {
		if said := errores.Causa(motivo) + errores.Cura(motivo); !strings.Contains(said, sentence) {
			t.Errorf("%s says %q, not %q", motivo, said, sentence)
		}
	}
	for _, message := range []proto.Message{&registrosv1.ValidateRegistrosResponse{}, &registrosv1.SaveRegistrosResponse{}, &registrosv1.SaveLoteResponse{}} {
		field := message.ProtoReflect().Descriptor().Fields().ByName("observaciones")
		limits, _ := proto.GetExtension(field.Options(), options.E_Openapiv2Field).(*options.JSONSchema)
		if limits.GetMaxItems() != errores.MaxObservaciones {
			t.Errorf("%s: %d, not %d", field.FullName(), limits.GetMaxItems(), errores.MaxObservaciones)
		}
	}
}

func metodo(t *testing.T, service, rpc string) opciones.Metodo {
	t.Helper()
	metodos, err := opciones.Metodos(service)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range metodos {
		if m.RPC == rpc {
			return m
		}
	}
	t.Fatalf("there is no %s", rpc)
	return opciones.Metodo{}
}

func acceso(t *testing.T, text string) *opcionesv1.Acceso {
	t.Helper()
	var a opcionesv1.Acceso
	err := prototext.Unmarshal([]byte(text), &a)
	if err != nil {
		t.Fatal(err)
	}
	return &a
}
