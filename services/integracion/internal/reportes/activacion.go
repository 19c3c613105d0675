package reportes

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
)

// Activacion is what the platform sends to activate a Reporte, as it came (manual §8.2).
// Absent, null and empty are the same. Only the manual's own expressions and S-08 of
// pui.md 4.3 refuse one: an activation must not be lost to a rule of ours. An entry of the
// platform's list has the same fields and FechaRegistro (§7.4).
type Activacion struct {
	ID                 string
	CURP               string
	Nombre             string
	PrimerApellido     string
	SegundoApellido    string
	FechaNacimiento    string
	FechaDesaparicion  string
	LugarNacimiento    string
	SexoAsignado       string
	Telefono           string
	Correo             string
	Direccion          string
	Calle              string
	Numero             string
	Colonia            string
	CodigoPostal       string
	MunicipioOAlcaldia string
	EntidadFederativa  string
	FechaRegistro      string
}

// Solicitud is a valid Activacion.
type Solicitud struct {
	ReporteID         string // byte for byte as it came
	FechaDesaparicion manual.Fecha
	FechaRegistro     manual.Fecha // zero but in a list's entry
	Persona           manual.Persona
	// Descartados names the optional fields that could not be read and were left out.
	Descartados []string
}

// CompleteRepetida takes over what a list says of the same id and person once more, and s lacks.
func (s *Solicitud) CompleteRepetida(more Solicitud) {
	if s.Persona.CURP != more.Persona.CURP {
		return
	}
	if s.FechaDesaparicion.IsZero() {
		s.FechaDesaparicion = more.FechaDesaparicion
	}
	if s.FechaRegistro.IsZero() {
		s.FechaRegistro = more.FechaRegistro
	}
	more.Persona.Complete(s.Persona)
	s.Persona = more.Persona
}

// Limits of §8.2 that the notification has not (manual.MaxNombre and so on).
const (
	maxLugarNacimiento = 20
	maxCodigoPostal    = 5
)

// Validate reads an Activacion, or refuses it with everything that is wrong.
func (a Activacion) Validate() (Solicitud, error) {
	return a.read(&validador{})
}

// ValidateListado reads an entry of the platform's list. Only its id and its CURP can be
// refused: the platform reads no answer, so a refused entry is a person who is not searched for.
func (a Activacion) ValidateListado() (Solicitud, error) {
	return a.read(&validador{soloClaves: true})
}

func (a Activacion) read(v *validador) (Solicitud, error) {
	s := Solicitud{
		ReporteID:         v.reporteID(a.ID),
		FechaDesaparicion: v.fecha("fecha_desaparicion", a.FechaDesaparicion),
		FechaRegistro:     v.fecha("fecha_registro", a.FechaRegistro),
		Persona: manual.Persona{
			CURP:            v.curp(a.CURP),
			Nombre:          v.texto("nombre", a.Nombre, manual.MaxNombre),
			PrimerApellido:  v.texto("primer_apellido", a.PrimerApellido, manual.MaxNombre),
			SegundoApellido: v.texto("segundo_apellido", a.SegundoApellido, manual.MaxNombre),
			FechaNacimiento: v.fecha("fecha_nacimiento", a.FechaNacimiento),
			LugarNacimiento: v.lugar(a.LugarNacimiento),
			SexoAsignado:    v.sexo(a.SexoAsignado),
			Telefono:        v.texto("telefono", a.Telefono, manual.MaxTelefono),
			Correo:          v.correo(a.Correo),
			Domicilio: manual.Direccion{
				Direccion:          v.texto("direccion", a.Direccion, manual.MaxDireccion),
				Calle:              v.texto("calle", a.Calle, manual.MaxCalle),
				Numero:             v.texto("numero", a.Numero, manual.MaxNumero),
				Colonia:            v.texto("colonia", a.Colonia, manual.MaxColonia),
				CodigoPostal:       v.texto("codigo_postal", a.CodigoPostal, maxCodigoPostal),
				MunicipioOAlcaldia: v.texto("municipio_o_alcaldia", a.MunicipioOAlcaldia, manual.MaxMunicipioOAlcaldia),
				EntidadFederativa:  v.texto("entidad_federativa", a.EntidadFederativa, manual.MaxEntidadFederativa),
			},
		},
	}
	s.Descartados = v.descartados
	return s, v.refusal()
}

// validateReporteID checks the one field of a deactivation (manual §8.4).
func validateReporteID(id string) error {
	v := &validador{}
	v.reporteID(id)
	return v.refusal()
}

// validador collects what is wrong, field by field, in the words of the manual.
type validador struct {
	fields []errs.Field
	// soloClaves: nothing but the id and the CURP is refused, the rest is left out.
	soloClaves  bool
	descartados []string
}

func (v *validador) refusal() error {
	if len(v.fields) == 0 {
		return nil
	}
	return errs.SolicitudInvalida(v.fields...)
}

func (v *validador) refuse(campo, codigo, problema string) {
	if v.soloClaves && campo != campoID && campo != campoCURP {
		v.discard(campo)
		return
	}
	v.fields = append(v.fields, errs.CampoManual(campo, codigo, problema))
}

func (v *validador) discard(campo string) {
	if !slices.Contains(v.descartados, campo) {
		v.descartados = append(v.descartados, campo)
	}
}

// The two fields that are always present (manual §6, step 3).
const (
	campoID   = "id"
	campoCURP = "curp"
)

// reporteID neither trims nor changes the id: it is echoed to the platform.
func (v *validador) reporteID(s string) string {
	switch {
	case s == "":
		v.refuse(campoID, errores.Requerido, "es obligatorio")
	case len(s) < manual.MinSearchID || len(s) > manual.MaxSearchID:
		v.refuse(campoID, errores.Longitud, between(manual.MinSearchID, manual.MaxSearchID))
	case !manual.IsSearchID(s):
		v.refuse(campoID, errores.Formato, "debe tener la forma <FUB>-<UUID>")
	}
	return s
}

// curp holds the manual's length and alphabet only: the government's own test sends a CURP
// whose check digit is wrong (pui.md 1.7).
func (v *validador) curp(s string) string {
	switch {
	case s == "":
		v.refuse(campoCURP, errores.Requerido, "es obligatorio")
	case utf8.RuneCountInString(s) != manual.LenCURP:
		v.refuse(campoCURP, errores.Longitud, "debe tener "+strconv.Itoa(manual.LenCURP)+" caracteres")
	case !manual.IsCURP(s):
		v.refuse(campoCURP, errores.Formato, "solo admite letras mayúsculas y dígitos")
	}
	return s
}

// texto refuses control characters and what S-08 lists, less what names and addresses need.
func (v *validador) texto(campo, s string, maximo int) string {
	return v.textoSin(campo, s, maximo, `<>"%`)
}

// correo may have a %: the manual's own expression takes it.
func (v *validador) correo(s string) string {
	return v.textoSin("correo", s, manual.MaxCorreo, `<>"`)
}

func (v *validador) textoSin(campo, s string, maximo int, prohibidos string) string {
	s = manual.NormalizeTexto(s)
	tooLong, forbidden := utf8.RuneCountInString(s) > maximo, manual.HasControl(s) || strings.ContainsAny(s, prohibidos)
	if tooLong {
		v.refuse(campo, errores.Longitud, between(0, maximo))
	}
	if forbidden {
		v.refuse(campo, errores.CaracterNoPermitido, "contiene caracteres no permitidos")
	}
	if tooLong || forbidden {
		return ""
	}
	return s
}

func (v *validador) fecha(campo, s string) manual.Fecha {
	s = strings.TrimSpace(s)
	if s == "" {
		return manual.Fecha{}
	}
	fecha, ok := manual.ParseFecha(s)
	if v.soloClaves && !ok {
		// Without its date a search has no phase 2: an instant says the day.
		fecha, ok = manual.ParseFechaHora(s)
	}
	if !ok {
		v.refuse(campo, errores.FechaInvalida, "debe estar en formato YYYY-MM-DD")
	}
	return fecha
}

// lugar leaves out a place that is not on the list, and one that is not known: who needs a
// place takes the CURP's (pui.md 2.4).
func (v *validador) lugar(s string) manual.Lugar {
	s = v.texto("lugar_nacimiento", s, maxLugarNacimiento)
	lugar, known := manual.ParseLugar(s)
	if !known || lugar == manual.LugarDesconocido {
		return ""
	}
	return lugar
}

// sexo leaves out a text that is none of the three. The manual prints no expression for it
// (§8.2, m:992-997), and the CURP says the sex too.
func (v *validador) sexo(s string) manual.Sexo {
	sexo := manual.Sexo(strings.TrimSpace(s))
	switch sexo {
	case "", manual.SexoHombre, manual.SexoMujer, manual.SexoOtro:
		return sexo
	}
	v.discard("sexo_asignado")
	return ""
}

func between(minimo, maximo int) string {
	return "debe tener entre " + strconv.Itoa(minimo) + " y " + strconv.Itoa(maximo) + " caracteres"
}
