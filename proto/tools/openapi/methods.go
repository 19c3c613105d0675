package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"google.golang.org/protobuf/reflect/protoreflect"

	// Whose methods the documents are of.
	_ "github.com/enlace-iis/enlace/proto/gen/enlace/integracion/v1"
	opcionesv1 "github.com/enlace-iis/enlace/proto/gen/enlace/opciones/v1"
	_ "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/proto/opciones"
)

// A method is an RPC with routes.
type method struct{ opciones.Metodo }

// readMethods gives them in the order of the documents: that of the guide's sections, and
// within each as the protos have them, those of registros first.
func readMethods() ([]method, error) {
	all, err := opciones.Todos()
	if err != nil {
		return nil, err
	}
	var methods []method
	for _, each := range all {
		if each.Rule() != nil {
			methods = append(methods, method{each})
		}
	}
	slices.SortFunc(methods, func(a, b method) int {
		return cmp.Or(
			cmp.Compare(a.section(), b.section()),
			strings.Compare(b.Descriptor.ParentFile().Path(), a.Descriptor.ParentFile().Path()),
			cmp.Compare(a.Descriptor.Parent().Index(), b.Descriptor.Parent().Index()),
			cmp.Compare(a.Descriptor.Index(), b.Descriptor.Index()),
		)
	})
	return methods, nil
}

// section is the place of the method's section among all.
func (m method) section() int {
	var sections []string
	for _, each := range liveGroups {
		sections = append(sections, each.Tags...)
	}
	return slices.Index(sections, m.GetEtiqueta())
}

func (m method) name() string { return string(m.Descriptor.Name()) }

func (m method) hasBody() bool { return m.GetCuerpo() != opcionesv1.Cuerpo_CUERPO_UNSPECIFIED }

// isPlatform tells the methods whose errors have the form of the national platform's manual.
func (m method) isPlatform() bool { return m.GetCuerpo() == opcionesv1.Cuerpo_CUERPO_PLATAFORMA }

func (m method) takesKey() bool {
	return slices.Contains(m.Acceso.GetRoles(), opcionesv1.Rol_ROL_INSTITUCION)
}

func (m method) takesToken() bool { return !m.Acceso.GetPublico() && !m.takesKey() }

// hasETag tells the institutions' lists, which they poll.
func (m method) hasETag() bool { return m.IsList() && m.takesKey() }

func (m method) security() *openapi3.SecurityRequirements {
	switch {
	case m.takesKey():
		return &openapi3.SecurityRequirements{{"ApiKey": []string{}}}
	case m.takesToken():
		return &openapi3.SecurityRequirements{{"Token": []string{}}}
	default:
		return &openapi3.SecurityRequirements{}
	}
}

// body is the message that a client sends; nil where it sends none of ours.
func (m method) body() protoreflect.MessageDescriptor {
	input := m.Descriptor.Input()
	switch field := m.Rule().GetBody(); field {
	case "":
		return nil
	case "*":
		return input
	default:
		return input.Fields().ByName(protoreflect.Name(field)).Message()
	}
}
