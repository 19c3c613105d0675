package cuentas

import (
	"fmt"
	"unicode/utf8"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/salud"
)

// Sitio is where an institution attends: the place of an event that does not say its own.
type Sitio struct {
	Descripcion string           `json:"descripcion,omitzero"`
	Direccion   manual.Direccion `json:"direccion,omitzero"`
}

// IsZero tells that there is none.
func (s Sitio) IsZero() bool { return s == Sitio{} }

// read normalises a site and tells what is wrong with it. It is told with every event that
// lacks its own place, so it is held to the platform's alphabet here, where somebody reads the
// answer, and to the gate of contract.md 4.1.
func (s *Sitio) read(at string) []errs.Field {
	var fields []errs.Field
	d := &s.Direccion
	for _, campo := range []struct {
		nombre string
		valor  *string
		maximo int
	}{
		{"/descripcion", &s.Descripcion, manual.MaxDescripcionLugarEvento},
		{"/direccion", &d.Direccion, manual.MaxDireccion},
		{"/calle", &d.Calle, manual.MaxCalle},
		{"/numero", &d.Numero, manual.MaxNumero},
		{"/colonia", &d.Colonia, manual.MaxColonia},
		{"/municipio_o_alcaldia", &d.MunicipioOAlcaldia, manual.MaxMunicipioOAlcaldia},
		{"/entidad_federativa", &d.EntidadFederativa, manual.MaxEntidadFederativa},
	} {
		*campo.valor = manual.NormalizeTexto(*campo.valor)
		switch {
		case utf8.RuneCountInString(*campo.valor) > campo.maximo:
			fields = append(fields, errs.Campo(at+campo.nombre, errores.Longitud, fmt.Sprintf("Este campo admite hasta %d caracteres.", campo.maximo)))
		case !manual.IsTexto(*campo.valor, campo.maximo):
			fields = append(fields, errs.Campo(at+campo.nombre, "texto_no_admitido_por_la_plataforma",
				"La plataforma solo admite letras, dígitos, espacios y los signos . , # ' / : ( ) -"))
		case campo.nombre != "/descripcion" && salud.InDireccion(*campo.valor):
			fields = append(fields, errs.Campo(at+campo.nombre, "dato_de_salud", "Describa el lugar sin nombrar estudios ni padecimientos."))
		}
	}
	d.CodigoPostal = manual.NormalizeTexto(d.CodigoPostal)
	if d.CodigoPostal != "" && !manual.IsCodigoPostal(d.CodigoPostal) {
		fields = append(fields, errs.Campo(at+"/codigo_postal", errores.Formato, "El código postal tiene cinco dígitos."))
	}
	if d.EntidadFederativa != "" && !manual.IsEntidad(d.EntidadFederativa) {
		fields = append(fields, errs.Campo(at+"/entidad_federativa", errores.ValorNoAdmitido, "La entidad federativa debe ser una de las 32."))
	}
	if salud.InLugar(s.Descripcion) {
		fields = append(fields, errs.Campo(at+"/descripcion", "dato_de_salud", "Describa el lugar sin nombrar estudios ni padecimientos."))
	}
	return fields
}
