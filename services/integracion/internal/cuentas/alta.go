package cuentas

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/enlace-iis/enlace/proto/errores"
	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
	"github.com/enlace-iis/enlace/services/internal/salud"
	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// NuevaEmpresa is an institution to be added, with the fingerprint of the clave that the
// platform is to use towards it; nil: none yet.
type NuevaEmpresa struct {
	Empresa
	HuellaClave []byte
	// SinCarga: it has no earlier records to load, and is searched from the start.
	SinCarga bool
}

// Alta is an institution that was added, with the clave that is shown once.
type Alta struct {
	Empresa
	Clave Secreto
}

// MaxAltas is how many institutions a request creates: each costs an argon2id.
const MaxAltas = 100

// Create adds institutions, all or none, and makes up a clave for each. An empty InstitucionID
// means the RFC itself. Told to simulate, it checks everything, adds nothing and makes up no
// clave.
func (s *Empresas) Create(ctx context.Context, empresas []NuevaEmpresa, simular bool) ([]Alta, error) {
	nuevas, err := s.readAltas(empresas)
	if err != nil {
		return nil, err
	}
	altas := make([]Alta, len(nuevas))
	for i := range nuevas {
		if !simular {
			altas[i].Clave = NewClave()
			nuevas[i].HuellaClave = s.Hasher.Fingerprint(altas[i].Clave)
		}
	}
	created, err := s.Store.CreateEmpresas(ctx, nuevas, simular)
	if err != nil {
		return nil, err
	}
	for i := range created {
		altas[i].Empresa = created[i]
	}
	return altas, nil
}

// readAltas checks all institutions, so that all that is wrong is told at once.
func (s *Empresas) readAltas(empresas []NuevaEmpresa) ([]NuevaEmpresa, error) {
	if len(empresas) == 0 || len(empresas) > MaxAltas {
		return nil, errs.New(errores.Validacion, fmt.Sprintf("Indique de 1 a %d instituciones.", MaxAltas)).
			WithFields(errs.Campo("/empresas", errores.Longitud, fmt.Sprintf("La lista debe tener de 1 a %d instituciones.", MaxAltas)))
	}
	nuevas := make([]NuevaEmpresa, len(empresas))
	seen := map[tenant.EmpresaID]int{}
	var wrong []errs.Field
	for i, n := range empresas {
		at := "/empresas/" + strconv.Itoa(i)
		e, fields := s.readAlta(n.Empresa, at)
		first, twice := seen[e.ID]
		if twice {
			fields = append(fields, errs.Campo(at+"/id_empresa", errores.Repetido, fmt.Sprintf("El RFC ya está en la institución %d de la lista.", first+1)))
		} else {
			seen[e.ID] = i
		}
		nuevas[i] = NuevaEmpresa{Empresa: e, SinCarga: n.SinCarga}
		wrong = append(wrong, fields...)
	}
	if len(wrong) > 0 {
		return nil, errs.New(errores.Validacion, "Los datos no son válidos; no se dio de alta ninguna institución.").WithFields(wrong...)
	}
	return nuevas, nil
}

func (s *Empresas) readAlta(e Empresa, at string) (Empresa, []errs.Field) {
	e.ID = tenant.EmpresaID(strings.TrimSpace(string(e.ID)))
	e.Nombre = manual.NormalizeTexto(e.Nombre)
	var fields []errs.Field
	switch {
	case !manual.IsRFC(string(e.ID)):
		fields = append(fields, errs.Campo(at+"/id_empresa", errores.Formato, "El id de la institución debe ser su RFC con homoclave, en mayúsculas."))
	case e.InstitucionID == "" && !manual.IsInstitucionID(string(e.ID)):
		fields = append(fields, errs.Campo(at+"/institucion_id", errores.Requerido, "El RFC tiene & o Ñ: indique el institucion_id como lo muestra el portal de la plataforma."))
	case e.InstitucionID == "":
		e.InstitucionID = string(e.ID)
	}
	if e.Nombre == "" {
		fields = append(fields, errs.Campo(at+"/nombre", errores.Requerido, "Indique el nombre de la institución."))
	}
	return e, append(fields, s.readDatos(&e, at)...)
}

// maxNombreEmpresa is the constraint empresas_nombre_check.
const maxNombreEmpresa = 200

// readDatos checks and normalises what of an institution was given.
func (s *Empresas) readDatos(e *Empresa, at string) []errs.Field {
	var fields []errs.Field
	if utf8.RuneCountInString(e.Nombre) > maxNombreEmpresa || manual.HasControl(e.Nombre) {
		fields = append(fields, errs.Campo(at+"/nombre", errores.Longitud,
			fmt.Sprintf("El nombre debe tener entre 1 y %d caracteres, sin caracteres de control.", maxNombreEmpresa)))
	}
	// An RFC with & or Ñ cannot serve as one (pui.md 2.5).
	if e.InstitucionID != "" && !manual.IsInstitucionID(e.InstitucionID) {
		fields = append(fields, errs.Campo(at+"/institucion_id", errores.Formato,
			"El institucion_id debe tener de 4 a 13 letras mayúsculas o dígitos, como lo muestra el portal de la plataforma."))
	}
	if e.PUIURL != "" {
		url, err := normalizeURL(e.PUIURL, s.AllowHTTP)
		if err != nil {
			fields = append(fields, errs.Campo(at+"/pui_url", errores.Formato, messageOf(err)))
		}
		e.PUIURL = url
	}
	e.TipoEventoNeutro = manual.NormalizeTexto(e.TipoEventoNeutro)
	fields = append(fields, readTipoEventoNeutro(e.TipoEventoNeutro, at+"/tipo_evento_neutro")...)
	return append(fields, e.Sitio.read(at+"/sitio")...)
}

// readTipoEventoNeutro holds the text to what it is told for: the platform takes it as it is, and
// it passes the gate.
func readTipoEventoNeutro(s, at string) []errs.Field {
	switch {
	case s == "":
		return nil
	case !manual.IsTexto(s, manual.MaxTipoEvento) || !manual.HasWord(s):
		return []errs.Field{errs.Campo(at, errores.Formato,
			fmt.Sprintf("El acto neutro debe tener letras o cifras, hasta %d caracteres, de los que admite la plataforma: letras, dígitos, espacios y . , # ' / : ( ) -", manual.MaxTipoEvento))}
	case salud.InActo(s):
		return []errs.Field{errs.Campo(at, "dato_de_salud", "El acto neutro no puede nombrar un estudio, un resultado ni un diagnóstico.")}
	}
	return nil
}

// messageOf is what a client may read of a refusal.
func messageOf(err error) string {
	var refusal *errs.Error
	if errors.As(err, &refusal) {
		return refusal.Message
	}
	return ""
}

// CambioEmpresa is what changes of an institution; what is zero stays as it is.
type CambioEmpresa struct {
	Nombre        string
	InstitucionID string
	PUIURL        string
	Sitio         Sitio
	// QuitarSitio takes the site away.
	QuitarSitio      bool
	TipoEventoNeutro string
}

// Campos names what changes, for the Bitácora.
func (c CambioEmpresa) Campos() []string {
	var campos []string
	for _, each := range []struct {
		nombre string
		given  bool
	}{
		{"nombre", c.Nombre != ""}, {"institucion_id", c.InstitucionID != ""}, {"pui_url", c.PUIURL != ""},
		{"sitio", c.QuitarSitio || !c.Sitio.IsZero()}, {"tipo_evento_neutro", c.TipoEventoNeutro != ""},
	} {
		if each.given {
			campos = append(campos, each.nombre)
		}
	}
	return campos
}

// Change changes what is given of an institution. What is sent from then on says the new
// institucion_id; what the platform refused under the old one stays refused until it is tried
// again (see Seguimiento).
func (s *Empresas) Change(ctx context.Context, id tenant.EmpresaID, c CambioEmpresa) (Empresa, error) {
	e := Empresa{
		Nombre: manual.NormalizeTexto(c.Nombre), InstitucionID: c.InstitucionID, PUIURL: c.PUIURL, Sitio: c.Sitio, TipoEventoNeutro: c.TipoEventoNeutro,
	}
	fields := s.readDatos(&e, "")
	if c.QuitarSitio && !c.Sitio.IsZero() {
		fields = append(fields, errs.Campo("/quitar_sitio", errores.ValorNoAdmitido, "Dé un sitio o quítelo, no ambas cosas."))
	}
	c.Nombre, c.InstitucionID, c.PUIURL, c.Sitio, c.TipoEventoNeutro = e.Nombre, e.InstitucionID, e.PUIURL, e.Sitio, e.TipoEventoNeutro
	if len(fields) == 0 && len(c.Campos()) == 0 {
		fields = append(fields, errs.Campo("", errores.Requerido, "Indique qué cambia: nombre, institucion_id, pui_url, sitio o tipo_evento_neutro."))
	}
	if len(fields) > 0 {
		return Empresa{}, errs.New(errores.Validacion, "Los datos de la institución no son válidos.").WithFields(fields...)
	}
	return s.Store.ChangeEmpresa(ctx, id, c)
}
