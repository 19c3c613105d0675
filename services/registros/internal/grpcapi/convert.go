package grpcapi

import (
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

func entradasOf(received []*registrosv1.Registro) []registros.Entrada {
	entradas := make([]registros.Entrada, len(received))
	for i, r := range received {
		entradas[i] = registros.Entrada{
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
			entradas[i].Ilegibles = append(entradas[i].Ilegibles, registros.Ilegible{
				Campo: one.GetCampo(), Codigo: registros.Codigo(one.GetCodigo()), Omitidos: int(one.GetOmitidos()),
			})
		}
	}
	return entradas
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

func casoOf(c *registros.Caso) *registrosv1.Caso {
	p := &c.Reporte.Persona
	return &registrosv1.Caso{
		Id:                   c.ID.String(),
		ReporteId:            c.Reporte.ID,
		Curp:                 p.CURP,
		Nombre:               rpc.Optional(p.Nombre),
		PrimerApellido:       rpc.Optional(p.PrimerApellido),
		SegundoApellido:      rpc.Optional(p.SegundoApellido),
		FechaNacimiento:      rpc.Optional(p.FechaNacimiento.String()),
		LugarNacimiento:      rpc.Optional(string(p.LugarNacimiento)),
		SexoAsignado:         rpc.Optional(string(p.SexoAsignado)),
		FechaDesaparicion:    rpc.Optional(c.Reporte.FechaDesaparicion.String()),
		Estado:               string(c.Estado),
		Finalizacion:         string(c.Finalizacion),
		Coincidencias:        int32Of(c.Coincidencias),
		AbiertoEn:            rpc.Instant(c.AbiertoEn),
		BusquedaFinalizadaEn: rpc.OptionalInstant(c.FinalizadaEn),
		CerradoEn:            rpc.OptionalInstant(c.CerradoEn),
		ActualizadoEn:        rpc.Instant(c.ActualizadoEn),
	}
}

func coincidenciaOf(c *registros.Coincidencia) *registrosv1.Coincidencia {
	return &registrosv1.Coincidencia{
		Id:           c.ID.String(),
		CasoId:       c.CasoID.String(),
		ReporteId:    c.ReporteID,
		Curp:         c.Registro.CURP,
		Folio:        string(c.Registro.Folio),
		FaseBusqueda: c.Fase.String(),
		TipoEvento:   rpc.Optional(c.Registro.TipoEvento),
		FechaEvento:  rpc.Optional(c.Registro.FechaEvento.String()),
		Estado:       string(c.Estado),
		DetectadaEn:  rpc.Instant(c.DetectadaEn),
		NotificadaEn: rpc.OptionalInstant(c.NotificadaEn),
		Detalle:      rpc.Optional(c.Detalle),
	}
}
