package pui

import (
	"github.com/enlace-iis/enlace/services/integracion/internal/cuentas"
	"github.com/enlace-iis/enlace/services/integracion/internal/entregas"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/salud"
)

// notificacion is the body of /notificar-coincidencia (pui.md 1.2). Every value is a
// string, and a field without one is absent; fotos and huellas always are, since
// institutions send none.
type notificacion struct {
	CURP                   string           `json:"curp"`
	NombreCompleto         nombreCompleto   `json:"nombre_completo,omitzero"`
	FechaNacimiento        string           `json:"fecha_nacimiento,omitzero"`
	LugarNacimiento        string           `json:"lugar_nacimiento"`
	SexoAsignado           string           `json:"sexo_asignado,omitzero"`
	Telefono               string           `json:"telefono,omitzero"`
	Correo                 string           `json:"correo,omitzero"`
	Domicilio              manual.Direccion `json:"domicilio,omitzero"`
	ID                     string           `json:"id"`
	InstitucionID          string           `json:"institucion_id"`
	TipoEvento             string           `json:"tipo_evento,omitzero"`
	FechaEvento            string           `json:"fecha_evento,omitzero"`
	DescripcionLugarEvento string           `json:"descripcion_lugar_evento,omitzero"`
	DireccionEvento        manual.Direccion `json:"direccion_evento,omitzero"`
	FaseBusqueda           string           `json:"fase_busqueda"`
}

type nombreCompleto struct {
	Nombre          string `json:"nombre,omitzero"`
	PrimerApellido  string `json:"primer_apellido,omitzero"`
	SegundoApellido string `json:"segundo_apellido,omitzero"`
}

// finalizacion is the body of /busqueda-finalizada (pui.md 1.3): no CURP, nothing else.
type finalizacion struct {
	ID            string `json:"id"`
	InstitucionID string `json:"institucion_id"`
}

// credenciales is the body of /login (pui.md 1.1).
type credenciales struct {
	InstitucionID string `json:"institucion_id"`
	Clave         string `json:"clave"`
}

// notificacionOf writes a match for the platform. Phase 1 tells of the person only
// (pui.md 3.1).
func notificacionOf(i cuentas.Institucion, c entregas.Coincidencia) notificacion {
	p := c.Persona.Notificable()
	n := notificacion{
		CURP:            p.CURP,
		NombreCompleto:  nombreCompleto{p.Nombre, p.PrimerApellido, p.SegundoApellido},
		FechaNacimiento: p.FechaNacimiento.String(),
		LugarNacimiento: string(p.LugarNacimiento),
		SexoAsignado:    string(p.SexoAsignado),
		Telefono:        p.Telefono,
		Correo:          p.Correo,
		Domicilio:       direccionOf(p.Domicilio),
		ID:              c.ReporteID,
		InstitucionID:   i.ID,
		FaseBusqueda:    c.Fase.String(),
	}
	if c.Fase == manual.FaseBasicos {
		return n
	}
	n.TipoEvento = tipoOf(i, c.Evento.Tipo)
	n.FechaEvento = c.Evento.Fecha.String()
	n.DescripcionLugarEvento = descripcionLugarOf(c.Evento.DescripcionLugar)
	n.DireccionEvento = direccionOf(c.Evento.Direccion)
	if n.DescripcionLugarEvento == "" && n.DireccionEvento.IsZero() {
		// The institution's own site (contract.md 4.1), as a whole: never half of each.
		n.DescripcionLugarEvento = descripcionLugarOf(i.Sitio.Descripcion)
		n.DireccionEvento = direccionOf(i.Sitio.Direccion)
	}
	return n
}

// tipoOf is the gate of contract.md 4.1 once more, since a record may be older than the list
// of today. Neither the match is lost nor a word of anybody's health told: that something
// took place, when and where, is what the search needs.
func tipoOf(i cuentas.Institucion, s string) string {
	told := manual.TransliterateTexto(s, manual.MaxTipoEvento)
	switch {
	case told != "" && told != manual.TipoEventoNeutro && !salud.InActo(told):
		return told
	case i.TipoEventoNeutro != "" && !salud.InActo(i.TipoEventoNeutro):
		return i.TipoEventoNeutro
	default:
		return manual.TipoEventoNeutro
	}
}

// descripcionLugarOf is the same for the place, of which the words are left out.
func descripcionLugarOf(s string) string {
	told := manual.TransliterateTexto(s, manual.MaxDescripcionLugarEvento)
	return salud.WithoutLugar(told)
}

// direccionOf is the same for an address.
func direccionOf(d manual.Direccion) manual.Direccion {
	d = d.Notificable()
	for _, part := range []*string{&d.Direccion, &d.Calle, &d.Numero, &d.Colonia, &d.MunicipioOAlcaldia} {
		*part = salud.WithoutDireccion(*part)
	}
	return d
}
