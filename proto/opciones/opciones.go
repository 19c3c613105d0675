// Package opciones reads what the protos say of each method besides its messages and its
// route: who may call it, what it reads, how it answers, and whether it may be repeated. It is
// read from the descriptors once, at the start; nothing of it runs while requests are served.
package opciones

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	opcionesv1 "github.com/enlace-iis/enlace/proto/gen/enlace/opciones/v1"
)

// VersionContrato is that of the public contract. It changes with the contract and not with the
// programs.
const VersionContrato = "1.0.0"

// The most bytes that a body may have, decompressed (contract.md 2): one, and one of records.
const (
	MaxCuerpo     = 1 << 20
	MaxCuerpoLote = 16 << 20
)

// The most bytes that a message may have: one, one that lists other messages, and one of records,
// whose texts JSON may name more briefly.
const (
	MaxMensaje      = 64 << 10
	MaxMensajeLista = MaxCuerpo
	MaxMensajeLote  = 2 * MaxCuerpoLote
)

// Metodo is an RPC with what its proto says of it.
type Metodo struct {
	*opcionesv1.Metodo
	// RPC is the full method: "/enlace.registros.v1.RegistroService/SaveLote".
	RPC string
	// Acceso is who may call it: its own, or else its service's.
	Acceso *opcionesv1.Acceso
	// Exitos are the right answers, the usual one first; at least one.
	Exitos []*opcionesv1.Exito
	// Descriptor is the method itself.
	Descriptor protoreflect.MethodDescriptor
}

// Todos gives the methods of every service of ours that is linked into the program.
func Todos() ([]Metodo, error) {
	var all []Metodo
	var failed error
	protoregistry.GlobalFiles.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		for i := range file.Services().Len() {
			name := file.Services().Get(i).FullName()
			if !strings.HasPrefix(string(name), "enlace.") {
				continue
			}
			metodos, err := Metodos(string(name))
			failed = errors.Join(failed, err)
			all = append(all, metodos...)
		}
		return true
	})
	return all, failed
}

// Metodos gives the methods of a service, such as "enlace.registros.v1.RegistroService", in the
// order of its proto. It fails on a service that is not linked into the program, on a method
// that nobody may call, on one with a route that does not say whether it may be repeated, on one
// for operators that changes nothing and does not say whether it shows personal data, and on one
// for others that asks for a recent login.
func Metodos(service string) ([]Metodo, error) {
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(service))
	if err != nil {
		return nil, fmt.Errorf("find service %s: %w", service, err)
	}
	descriptor, ok := found.(protoreflect.ServiceDescriptor)
	if !ok {
		return nil, fmt.Errorf("find service %s: it is no service", service)
	}
	var all []Metodo
	for i := range descriptor.Methods().Len() {
		m := read(descriptor.Methods().Get(i))
		err = m.check()
		if err != nil {
			return nil, fmt.Errorf("read the options of %s: %w", m.RPC, err)
		}
		all = append(all, m)
	}
	return all, nil
}

func read(method protoreflect.MethodDescriptor) Metodo {
	service := method.Parent()
	said, _ := proto.GetExtension(method.Options(), opcionesv1.E_Metodo).(*opcionesv1.Metodo)
	general, _ := proto.GetExtension(service.Options(), opcionesv1.E_Acceso).(*opcionesv1.Acceso)
	m := Metodo{
		Metodo: said, RPC: fmt.Sprintf("/%s/%s", service.FullName(), method.Name()),
		Acceso: general, Exitos: said.GetExitos(), Descriptor: method,
	}
	if said.GetAcceso() != nil {
		m.Acceso = said.GetAcceso()
	}
	if len(m.Exitos) == 0 {
		m.Exitos = []*opcionesv1.Exito{{Http: http.StatusOK, Cuando: "Correcto."}}
	}
	return m
}

func (m Metodo) check() error {
	if !m.Acceso.GetPublico() && len(m.Acceso.GetRoles()) == 0 {
		return errors.New("the proto does not say who may call it")
	}
	if m.Rule() != nil && m.GetRepeticion() == nil {
		return errors.New("the proto does not say whether it may be repeated")
	}
	if m.forOperators() && m.GetUnaVez() == "" && m.GetLectura() == opcionesv1.Lectura_LECTURA_UNSPECIFIED {
		return errors.New("the proto does not say whether it shows an operator personal data")
	}
	if m.GetReciente() && !m.forOperators() {
		return errors.New("a recent login is asked of who has none: only operators do")
	}
	return nil
}

func (m Metodo) forOperators() bool {
	return slices.Contains(m.Acceso.GetRoles(), opcionesv1.Rol_ROL_OPERADOR)
}

// Rule is the method's HTTP rule; nil if it has no route.
func (m Metodo) Rule() *annotations.HttpRule {
	rule, _ := proto.GetExtension(m.Descriptor.Options(), annotations.E_Http).(*annotations.HttpRule)
	return rule
}

// MaxMensaje is the most bytes that the method's request may have.
func (m Metodo) MaxMensaje() int {
	switch {
	case m.GetMaximoRegistros() > 0:
		return MaxMensajeLote
	case lists(m.Descriptor.Input()):
		return MaxMensajeLista
	default:
		return MaxMensaje
	}
}

// lists reports whether a message has a list of messages in it, however deep.
func lists(message protoreflect.MessageDescriptor) bool {
	for i := range message.Fields().Len() {
		field := message.Fields().Get(i)
		if field.Message() != nil && (field.IsList() || lists(field.Message())) {
			return true
		}
	}
	return false
}

// IsList tells a method that streams a list, or a file.
func (m Metodo) IsList() bool {
	return m.Descriptor.IsStreamingServer()
}

// IsFile tells a method whose route answers with a file: bytes, of which the first message
// says the type and the name.
func (m Metodo) IsFile() bool {
	rule := m.Rule()
	if !m.IsList() || rule == nil {
		return false
	}
	content := m.Descriptor.Output().Fields().ByName(protoreflect.Name(rule.GetResponseBody()))
	return content != nil && content.Kind() == protoreflect.BytesKind
}
