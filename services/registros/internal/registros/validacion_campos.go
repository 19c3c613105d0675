package registros

import (
	"unicode/utf8"

	"github.com/enlace-iis/enlace/services/internal/manual"
)

// A rule takes a field as received and gives its value, or the zero value when
// the field was not given or is refused. An optional field that is absent,
// null or blank was not given (contract.md 2).

// eventoMinimo is the earliest day of an event (contract.md 4.1).
var eventoMinimo = manual.MustParseFecha("1900-01-01")

func (v *validador) given(f *campo, crudo string) (string, bool) {
	s := manual.NormalizeTexto(crudo)
	if s == "" && f.obligatorio && !v.isIlegible(f.nombre) {
		v.observe(f, CodigoRequerido)
	}
	return s, s != ""
}

// refuse tells the rule that a value breaks, unless the cause can be named
// better: a control character, which is often not to be seen.
func (v *validador) refuse(f *campo, s string, c Codigo) {
	if manual.HasControl(s) {
		c = CodigoCaracterNoPermitido
	}
	v.observe(f, c)
}

// bounded applies the two rules of every text: its length in characters, and
// no control character.
func (v *validador) bounded(f *campo, s string) bool {
	antes := v.errores
	if manual.HasControl(s) {
		v.observe(f, CodigoCaracterNoPermitido)
	}
	if utf8.RuneCountInString(s) > f.maximo {
		v.observe(f, CodigoLongitud)
	}
	return v.errores == antes
}

// validateFolio also notes the folio, so that the observations of the record
// carry it. An invalid one is not noted: it may be anything.
func (v *validador) validateFolio(crudo string) Folio {
	s, ok := v.given(&campoFolio, crudo)
	if !ok || !v.bounded(&campoFolio, s) {
		return ""
	}
	v.folio = Folio(s)
	v.checkRepetido()
	return v.folio
}

// checkRepetido refuses a folio that an earlier record of the batch has,
// whether or not that one was admitted: the verdict on a record must not
// change when another one is mended.
func (v *validador) checkRepetido() {
	primero, repetido := v.primeros[v.folio]
	if !repetido {
		v.primeros[v.folio] = v.indice
		return
	}
	v.tell(&campoFolio, CodigoFolioRepetido, func() string { return mensajeFolioRepetido(primero) })
}

// validateCURP stores the CURP and gives what it tells, for the fields that
// may disagree with it. A structure that is not official makes its check digit
// meaningless, so that only one doubt is told.
func (v *validador) validateCURP(crudo string, r *Registro) manual.CURP {
	s, ok := v.given(&campoCURP, manual.NormalizeCURP(crudo))
	if !ok {
		return manual.CURP{}
	}
	if !manual.IsCURP(s) {
		v.refuse(&campoCURP, s, CodigoFormato)
		return manual.CURP{}
	}
	r.CURP = s
	leida := manual.ReadCURP(s)
	switch {
	case !leida.Oficial:
		v.observe(&campoCURP, CodigoCURPEstructura)
	case !leida.Digito:
		v.observe(&campoCURP, CodigoCURPDigitoVerificador)
	}
	return leida
}

// texto admits any text within its bounds. What the platform's expression
// accepts needs no further look, since its bounds are the same.
func (v *validador) texto(f *campo, crudo string) string {
	s, ok := v.given(f, crudo)
	if !ok || manual.IsTexto(s, f.maximo) {
		return s
	}
	return v.textoDudoso(f, s)
}

// nombre is texto with the narrower expression of names.
func (v *validador) nombre(f *campo, crudo string) string {
	s, ok := v.given(f, crudo)
	if !ok || manual.IsNombre(s) {
		return s
	}
	return v.textoDudoso(f, s)
}

func (v *validador) textoDudoso(f *campo, s string) string {
	if !v.bounded(f, s) {
		return ""
	}
	v.observe(f, CodigoTextoNoAdmitido)
	return s
}

// fecha bounds no day: a birth that cannot be is doubted beside the CURP, and no record is
// lost for it.
func (v *validador) fecha(f *campo, crudo string) manual.Fecha {
	s, ok := v.given(f, crudo)
	if !ok {
		return manual.Fecha{}
	}
	fecha, ok := manual.ParseFecha(s)
	if !ok {
		v.refuse(f, s, CodigoFechaInvalida)
	}
	return fecha
}

func (v *validador) fechaEvento(crudo string) manual.Fecha {
	fecha := v.fecha(&campoFechaEvento, crudo)
	switch {
	case fecha.IsZero():
	case fecha.After(v.hoy):
		v.observe(&campoFechaEvento, CodigoFechaFutura)
	case fecha.Before(eventoMinimo):
		v.observe(&campoFechaEvento, CodigoFechaAnteriorA1900)
	default:
		return fecha
	}
	return manual.Fecha{}
}

func (v *validador) lugar(crudo string) manual.Lugar {
	s, ok := v.given(&campoLugarNacimiento, crudo)
	if !ok {
		return ""
	}
	lugar, ok := manual.ParseLugar(s)
	if !ok {
		v.refuse(&campoLugarNacimiento, s, CodigoValorNoAdmitido)
	}
	return lugar
}

func (v *validador) sexo(crudo string) manual.Sexo {
	s, ok := v.given(&campoSexoAsignado, crudo)
	if !ok {
		return ""
	}
	sexo, ok := manual.ParseSexo(s)
	if !ok {
		v.refuse(&campoSexoAsignado, s, CodigoValorNoAdmitido)
	}
	return sexo
}

func (v *validador) telefono(crudo string) string {
	s, ok := v.given(&campoTelefono, crudo)
	if !ok {
		return ""
	}
	telefono, ok := manual.NormalizeTelefono(s)
	if !ok {
		v.refuse(&campoTelefono, s, CodigoFormato)
	}
	return telefono
}

func (v *validador) correo(crudo string) string {
	s, ok := v.given(&campoCorreo, crudo)
	if !ok || !v.bounded(&campoCorreo, s) {
		return ""
	}
	if !manual.IsCorreo(s) {
		v.observe(&campoCorreo, CodigoFormato)
		return ""
	}
	if !manual.IsCorreoNotificable(s) {
		v.observe(&campoCorreo, CodigoCorreoNoNotificable)
	}
	return s
}

func (v *validador) codigoPostal(crudo string) string {
	s, ok := v.given(&campoCodigoPostal, crudo)
	if !ok || manual.IsCodigoPostal(s) {
		return s
	}
	v.refuse(&campoCodigoPostal, s, CodigoFormato)
	return ""
}

// The record's own fields are compared with what its CURP tells, where both
// tell something.

func (v *validador) compareFechaNacimiento(fecha manual.Fecha, curp manual.CURP) {
	if !fecha.IsZero() && !curp.FechaNacimiento.IsZero() && fecha != curp.FechaNacimiento {
		v.observe(&campoFechaNacimiento, CodigoCURPFechaNacimiento)
	}
}

func (v *validador) compareLugar(lugar manual.Lugar, curp manual.CURP) {
	if isLugarConocido(lugar) && isLugarConocido(curp.Lugar) && lugar != curp.Lugar {
		v.observe(&campoLugarNacimiento, CodigoCURPLugarNacimiento)
	}
}

func isLugarConocido(lugar manual.Lugar) bool {
	return lugar != "" && lugar != manual.LugarDesconocido
}

func (v *validador) compareSexo(sexo manual.Sexo, curp manual.CURP) {
	if sexo != "" && curp.Sexo != "" && sexo != curp.Sexo {
		v.observe(&campoSexoAsignado, CodigoCURPSexo)
	}
}
