package grpcapi

import (
	"iter"

	registrosv1 "github.com/enlace-iis/enlace/proto/gen/enlace/registros/v1"
	"github.com/enlace-iis/enlace/services/internal/rpc"
	"github.com/enlace-iis/enlace/services/registros/internal/registros"
)

// int32Of narrows a count of at most a few thousand records and what there is to tell of them, or of one Caso's matches.
func int32Of(n int) int32 {
	return int32(n)
}

func mapped[T, U any](all []T, of func(*T) U) []U {
	out := make([]U, len(all))
	for i := range all {
		out[i] = of(&all[i])
	}
	return out
}

// entradasOf gives the records one at a time: all of a batch take as much memory as its messages.
func entradasOf(received []*registrosv1.Registro) iter.Seq[registros.Entrada] {
	return func(yield func(registros.Entrada) bool) {
		for _, r := range received {
			if !yield(entradaOf(r)) {
				return
			}
		}
	}
}

func entradaOf(r *registrosv1.Registro) registros.Entrada {
	e := registros.Entrada{
		Folio:                  r.GetFolio(),
		CURP:                   r.GetCurp(),
		TipoEvento:             r.GetTipoEvento(),
		FechaEvento:            r.GetFechaEvento(),
		DescripcionLugarEvento: r.GetDescripcionLugarEvento(),
		DireccionEvento:        rpc.DireccionOf(r.GetDireccionEvento()),
		Nombre:                 r.GetNombre(),
		PrimerApellido:         r.GetPrimerApellido(),
		SegundoApellido:        r.GetSegundoApellido(),
		FechaNacimiento:        r.GetFechaNacimiento(),
		LugarNacimiento:        r.GetLugarNacimiento(),
		SexoAsignado:           r.GetSexoAsignado(),
		Telefono:               r.GetTelefono(),
		Correo:                 r.GetCorreo(),
		Domicilio:              rpc.DireccionOf(r.GetDomicilio()),
	}
	for _, one := range r.GetIlegibles() {
		e.Ilegibles = append(e.Ilegibles, registros.Ilegible{
			Campo: one.GetCampo(), Codigo: registros.Codigo(one.GetCodigo()), Omitidos: int(one.GetOmitidos()),
		})
	}
	return e
}

func observacionesOf(all []registros.Observacion) []*registrosv1.Observacion {
	return mapped(all, func(o *registros.Observacion) *registrosv1.Observacion {
		return &registrosv1.Observacion{
			Indice:   int32Of(o.Indice),
			Folio:    rpc.Optional(string(o.Folio)),
			Gravedad: string(o.Gravedad),
			Puntero:  o.Puntero,
			Codigo:   string(o.Codigo),
			Mensaje:  o.Mensaje,
		}
	})
}

func conteoOf(c *registros.Conteo) *registrosv1.Conteo {
	return &registrosv1.Conteo{
		Gravedad: string(c.Gravedad), Codigo: string(c.Codigo), Campo: c.Campo, Total: int32Of(c.Total),
	}
}

func resultadosOf(validos []registros.RegistroValido, each []registros.RegistroGuardado) []*registrosv1.ResultadoRegistro {
	out := make([]*registrosv1.ResultadoRegistro, len(validos))
	for i := range validos {
		out[i] = &registrosv1.ResultadoRegistro{
			Indice:    int32Of(validos[i].Indice),
			Folio:     string(validos[i].Registro.Folio),
			Id:        each[i].ID,
			Resultado: string(each[i].Cambio),
		}
	}
	return out
}

// filled makes a function that turns a chunk of a list into messages, which are the same for each
// chunk: gRPC encodes a message before SendMsg returns, and nothing that listens here keeps one.
func filled[T, M any](fill func(*M, *T)) func(chunk []T) []*M {
	var made []M
	var all []*M
	return func(chunk []T) []*M {
		if len(chunk) > len(made) {
			made = make([]M, len(chunk))
			all = make([]*M, len(chunk))
			for i := range made {
				all[i] = &made[i]
			}
		}
		for i := range chunk {
			fill(all[i], &chunk[i])
		}
		return all[:len(chunk)]
	}
}

// given is absent for what was not given, and else the text where it is.
func given(text *string) *string {
	if *text == "" {
		return nil
	}
	return text
}

func fillCaso(m *registrosv1.Caso, c *registros.Caso) {
	p := &c.Reporte.Persona
	m.Id = c.ID.String()
	m.ReporteId = c.Reporte.ID
	m.Curp = p.CURP
	m.Nombre = given(&p.Nombre)
	m.PrimerApellido = given(&p.PrimerApellido)
	m.SegundoApellido = given(&p.SegundoApellido)
	m.FechaNacimiento = rpc.Optional(p.FechaNacimiento.String())
	m.LugarNacimiento = given((*string)(&p.LugarNacimiento))
	m.SexoAsignado = given((*string)(&p.SexoAsignado))
	m.FechaDesaparicion = rpc.Optional(c.Reporte.FechaDesaparicion.String())
	m.Estado = string(c.Estado)
	m.Finalizacion = string(c.Finalizacion)
	m.Coincidencias = int32Of(c.Coincidencias)
	m.AbiertoEn = rpc.Instant(c.AbiertoEn)
	m.BusquedaFinalizadaEn = rpc.OptionalInstant(c.FinalizadaEn)
	m.CerradoEn = rpc.OptionalInstant(c.CerradoEn)
	m.ActualizadoEn = rpc.Instant(c.ActualizadoEn)
}

func fillCoincidencia(m *registrosv1.Coincidencia, c *registros.Coincidencia) {
	m.Id = c.ID.String()
	m.CasoId = c.CasoID.String()
	m.ReporteId = c.ReporteID
	m.Curp = c.Registro.CURP
	m.Folio = string(c.Registro.Folio)
	m.FaseBusqueda = c.Fase.String()
	m.TipoEvento = given(&c.Registro.TipoEvento)
	m.FechaEvento = rpc.Optional(c.Registro.FechaEvento.String())
	m.Estado = string(c.Estado)
	m.DetectadaEn = rpc.Instant(c.DetectadaEn)
	m.NotificadaEn = rpc.OptionalInstant(c.NotificadaEn)
	m.Detalle = given(&c.Detalle)
}
