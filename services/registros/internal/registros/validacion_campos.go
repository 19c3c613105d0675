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
	if f.obligatorio {
		if s == "" && !v.isIlegible(f.nombre) {
			v.refuse(f, CodigoRequerido)
		}
		return s, s != ""
	}
	return s, s != "" && !f.meansNothing(s)
}

// refuse tells the rule that a value breaks. It costs the record its place only where the
// field is required: a person is not missed for a bad telephone number.
func (v *validador) refuse(f *campo, c Codigo) {
	if f.obligatorio {
		v.tell(f, c, GravedadError, func() string { return c.mensaje(f) })
		return
	}
	v.discard(f, CodigoCampoDescartado, c)
}

// discard tells that the record is kept without a field, and which rule is to blame.
func (v *validador) discard(f *campo, c, rule Codigo) {
	v.tell(f, c, GravedadAdvertencia, func() string { return rule.mensaje(f) + " El registro se guarda sin este campo." })
}

// refuseForm is refuse for a value that is not what the field takes, unless the cause can
// be named better: a control character, which is often not to be seen.
func (v *validador) refuseForm(f *campo, s string, c Codigo) {
	if manual.HasControl(s) {
		c = CodigoCaracterNoPermitido
	}
	v.refuse(f, c)
}

// bounded applies the rules of every text: no control character, its length in characters,
// and, where it may be left out, that it is not of signs alone.
func (v *validador) bounded(f *campo, s string) bool {
	switch {
	case manual.HasControl(s):
		v.refuse(f, CodigoCaracterNoPermitido)
	case utf8.RuneCountInString(s) > f.maximo:
		v.refuse(f, CodigoLongitud)
	case !f.obligatorio && !manual.HasWord(s):
		v.refuse(f, CodigoFormato)
	default:
		return true
	}
	return false
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
	v.tell(&campoFolio, CodigoFolioRepetido, GravedadError, func() string { return mensajeFolioRepetido(primero) })
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
		v.refuseForm(&campoCURP, s, CodigoFormato)
		return manual.CURP{}
	}
	r.CURP = s
	leida := manual.ReadCURP(s)
	switch {
	case !leida.Oficial:
		v.warn(&campoCURP, CodigoCURPEstructura)
	case !leida.Digito:
		v.warn(&campoCURP, CodigoCURPDigitoVerificador)
	}
	return leida
}

// texto admits any text within its bounds. What the platform's expression accepts needs no
// further look, since its bounds are the same, unless it is of signs alone.
func (v *validador) texto(f *campo, crudo string) string {
	s, ok := v.given(f, crudo)
	if !ok {
		return ""
	}
	notificado := s
	if !manual.IsTexto(s, f.maximo) || !manual.HasWord(s) {
		if !v.bounded(f, s) {
			return ""
		}
		notificado = manual.TransliterateTexto(s, f.maximo)
	}
	if v.namesHealth(f, s) || notificado != s && v.namesHealth(f, notificado) {
		return v.cleared(f, s)
	}
	if notificado != s {
		v.warnTransliterated(f, notificado)
	}
	return s
}

// nombre is texto with the narrower expression of names.
func (v *validador) nombre(f *campo, crudo string) string {
	s, ok := v.given(f, crudo)
	switch {
	case !ok:
		return ""
	case manual.IsNombre(s) && manual.HasWord(s):
		return s
	case !v.bounded(f, s):
		return ""
	}
	v.warnTransliterated(f, manual.TransliterateNombre(s, f.maximo))
	return s
}

// warnTransliterated says what becomes of a text that the platform does not take as it is.
func (v *validador) warnTransliterated(f *campo, notified string) {
	v.tell(f, CodigoTextoNoAdmitido, GravedadAdvertencia, func() string { return mensajeTransliterado(f, notified) })
}

// fechaNacimiento bounds no day: a birth that cannot be is doubted beside the CURP.
func (v *validador) fechaNacimiento(crudo string, curp manual.CURP) manual.Fecha {
	s, ok := v.given(&campoFechaNacimiento, crudo)
	if !ok {
		return manual.Fecha{}
	}
	fecha, ok := manual.ParseDia(s)
	if !ok {
		v.refuseForm(&campoFechaNacimiento, s, CodigoFechaInvalida)
		return manual.Fecha{}
	}
	if !curp.FechaNacimiento.IsZero() && fecha != curp.FechaNacimiento {
		v.warn(&campoFechaNacimiento, CodigoCURPFechaNacimiento)
	}
	return fecha
}

func (v *validador) fechaEvento(crudo string) manual.Fecha {
	s, ok := v.given(&campoFechaEvento, crudo)
	if !ok {
		return manual.Fecha{}
	}
	fecha, ok := manual.ParseFechaHora(s)
	switch {
	case !ok:
		v.refuseForm(&campoFechaEvento, s, CodigoFechaInvalida)
	case fecha.After(v.hoy):
		v.refuse(&campoFechaEvento, CodigoFechaFutura)
	case fecha.Before(eventoMinimo):
		v.refuse(&campoFechaEvento, CodigoFechaAnteriorA1900)
	}
	return fecha
}

// lugar keeps a birthplace that the CURP does not contradict. Without one LugarOf tells the
// CURP's, so what is kept and what is told never differ from it.
func (v *validador) lugar(crudo string, curp manual.CURP) manual.Lugar {
	s, ok := v.given(&campoLugarNacimiento, crudo)
	if !ok {
		return ""
	}
	lugar, ok := manual.ParseLugar(s)
	switch {
	case !ok:
		v.refuseForm(&campoLugarNacimiento, s, CodigoFormato)
	case lugar == curp.LugarOf(lugar):
		return lugar
	case lugar != manual.LugarDesconocido:
		v.discard(&campoLugarNacimiento, CodigoNoCoincideConCURP, CodigoNoCoincideConCURP)
	}
	return ""
}

// sexo is the same for the sex.
func (v *validador) sexo(crudo string, curp manual.CURP) manual.Sexo {
	s, ok := v.given(&campoSexoAsignado, crudo)
	if !ok {
		return ""
	}
	sexo, ok := manual.ParseSexo(s)
	switch {
	case !ok:
		v.refuseForm(&campoSexoAsignado, s, CodigoFormato)
	case sexo == curp.SexoOf(sexo):
		return sexo
	default:
		v.discard(&campoSexoAsignado, CodigoNoCoincideConCURP, CodigoNoCoincideConCURP)
	}
	return ""
}

func (v *validador) telefono(crudo string) string {
	s, ok := v.given(&campoTelefono, crudo)
	if !ok {
		return ""
	}
	telefono, ok := manual.NormalizeTelefono(s)
	if !ok {
		v.refuseForm(&campoTelefono, s, CodigoFormato)
	}
	return telefono
}

func (v *validador) correo(crudo string) string {
	s, ok := v.given(&campoCorreo, crudo)
	switch {
	case !ok:
		return ""
	case manual.IsCorreo(s):
		return s
	}
	v.refuseForm(&campoCorreo, s, CodigoFormato)
	return ""
}

// codigoPostal gives four digits back the zero that spreadsheets take from them.
func (v *validador) codigoPostal(crudo string) string {
	s, ok := v.given(&campoCodigoPostal, crudo)
	switch {
	case !ok:
		return ""
	case manual.IsCodigoPostal(s):
		return s
	case manual.IsCodigoPostal("0" + s):
		return "0" + s
	}
	v.refuseForm(&campoCodigoPostal, s, CodigoFormato)
	return ""
}

// entidad keeps one of the 32 as it was written: a column of something else must not reach the
// platform as a state.
func (v *validador) entidad(crudo string) string {
	f := &campoEntidadFederativa
	s, ok := v.given(f, crudo)
	if !ok {
		return ""
	}
	known := sano{campo: f, texto: s}
	switch {
	case v.isSano(known):
	case !v.bounded(f, s):
		return ""
	case !manual.IsEntidad(s):
		v.refuse(f, CodigoFormato)
		return ""
	default:
		v.remember(known)
	}
	return s
}

// checkLugarEvento warns of an event of which nobody will know where it was.
func (v *validador) checkLugarEvento(r *Registro) {
	f := &campoDescripcionLugarEvento
	if !v.tieneSitio && r.DescripcionLugarEvento == "" && r.DireccionEvento.IsZero() && !v.isIlegible(f.nombre) {
		v.warn(f, CodigoSinLugar)
	}
}
