package registrosclient

import (
	"context"

	"google.golang.org/protobuf/reflect/protoreflect"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/integracion/internal/seguimiento"
	"github.com/enlace-iis/enlace/services/internal/rpc"
)

// EachRegistro implements [seguimiento.CasosSeguidos].
func (o *Operacion) EachRegistro(ctx context.Context, sel seguimiento.Seleccion, yield func(total int, chunk []seguimiento.Registro) error) error {
	stream, err := o.client.FindConservados(ctx, &registrosv1.FindConservadosRequest{Seleccion: seleccionOf(sel)})
	if err != nil {
		return err
	}
	total := 0
	return eachChunk(stream, func(r *registrosv1.FindConservadosResponse) []*registrosv1.RegistroConservado {
		total = int(r.GetTotal())
		return r.GetRegistros()
	}, registroOf, func(chunk []seguimiento.Registro) error { return yield(total, chunk) })
}

func registroOf(kept *registrosv1.RegistroConservado) seguimiento.Registro {
	r := kept.GetRegistro()
	return seguimiento.Registro{
		Folio: r.GetFolio(), CURP: r.GetCurp(), TipoEvento: r.GetTipoEvento(), FechaEvento: r.GetFechaEvento(),
		Campos:   camposOf(r.ProtoReflect(), ""),
		CreadoEn: rpc.TimeOf(kept.GetCreadoEn()), ActualizadoEn: rpc.TimeOf(kept.GetActualizadoEn()),
		Notificadas: int(kept.GetNotificadas()),
	}
}

// requeridos are the fields that every record has.
var requeridos = map[protoreflect.Name]bool{"folio": true, "curp": true, "tipo_evento": true, "fecha_evento": true}

// camposOf are the other fields of a record that were given, in the order of the contract.
func camposOf(message protoreflect.Message, prefix string) []seguimiento.Campo {
	var all []seguimiento.Campo
	fields := message.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		switch {
		case !message.Has(field) || field.IsList() || prefix == "" && requeridos[field.Name()]:
		case field.Kind() == protoreflect.MessageKind:
			all = append(all, camposOf(message.Get(field).Message(), field.TextName()+"/")...)
		default:
			all = append(all, seguimiento.Campo{Campo: prefix + field.TextName(), Valor: message.Get(field).String()})
		}
	}
	return all
}

// DeleteRegistros implements [seguimiento.CasosSeguidos].
func (o *Operacion) DeleteRegistros(ctx context.Context, sel seguimiento.Seleccion, simular bool) (seguimiento.Borrado, error) {
	answer, err := o.client.DeleteConservados(ctx, &registrosv1.DeleteConservadosRequest{Seleccion: seleccionOf(sel), Simular: simular})
	return seguimiento.Borrado{
		CURP: answer.GetCurp(), Registros: int(answer.GetRegistros()), Coincidencias: answer.GetCoincidencias(),
	}, err
}

func seleccionOf(sel seguimiento.Seleccion) *registrosv1.Seleccion {
	wire := &registrosv1.Seleccion{EmpresaId: string(sel.EmpresaID)}
	if sel.CURP != "" {
		wire.De = &registrosv1.Seleccion_Curp{Curp: sel.CURP}
	} else {
		wire.De = &registrosv1.Seleccion_Folio{Folio: sel.Folio}
	}
	return wire
}
