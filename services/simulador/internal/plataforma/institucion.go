package plataforma

import (
	"cmp"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ErrDesconocida says that an institution was never registered.
var ErrDesconocida = errors.New("institution is not registered")

// Institucion is one institution as the platform's portal keeps it. URLBase and
// ClaveInstitucion may be empty for one that is never called.
type Institucion struct {
	ID               string
	Clave            string // what the institution shows the platform
	URLBase          string // where its own four routes are
	ClaveInstitucion string // what the platform shows the institution, as user PUI
	// ConEstados has /reportes tell the state of each report that comes from now on, and keep it
	// after its deactivation.
	ConEstados bool
}

// Resumen is what may be told of a registered institution: no clave.
type Resumen struct {
	ID       string `json:"institucion_id"`
	URLBase  string `json:"url_base"`
	Reportes int    `json:"reportes"`
}

// inscrita is a registered institution with the reports that /reportes serves.
type inscrita struct {
	Institucion
	reportes []reporteServido
	envuelta jsontext.Value // an object to be served instead; nil: none
}

func (i *inscrita) resumen() Resumen {
	return Resumen{ID: i.ID, URLBase: i.URLBase, Reportes: len(i.reportes)}
}

func (i Institucion) validate() Errores {
	errores := slices.Concat(
		reglaInstitucionID("institucion_id", i.ID),
		reglaClave("clave", i.Clave))
	if i.URLBase == "" {
		return errores
	}
	base, err := url.Parse(i.URLBase)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		errores = append(errores, "'url_base' debe ser una dirección http o https completa")
	}
	return errores
}

// Register adds an institution or replaces it. Its reports stay; its tokens die
// when its clave changed. The error, if any, is an Errores.
func (p *Plataforma) Register(i Institucion) (Resumen, error) {
	errores := i.validate()
	if len(errores) > 0 {
		return Resumen{}, errores
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	anterior, habia := p.instituciones[i.ID]
	if !habia {
		anterior = &inscrita{}
		p.instituciones[i.ID] = anterior
	}
	if anterior.Clave != i.Clave {
		p.tokens.expire(i.ID)
	}
	anterior.Institucion = i
	return anterior.resumen(), nil
}

// Instituciones lists who is registered, by id.
func (p *Plataforma) Instituciones() []Resumen {
	p.mu.Lock()
	defer p.mu.Unlock()
	lista := make([]Resumen, 0, len(p.instituciones))
	for _, i := range p.instituciones {
		lista = append(lista, i.resumen())
	}
	slices.SortFunc(lista, func(a, b Resumen) int { return cmp.Compare(a.ID, b.ID) })
	return lista
}

// Institucion returns a registered institution, or ErrDesconocida.
func (p *Plataforma) Institucion(id string) (Institucion, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i, ok := p.instituciones[id]
	if !ok {
		return Institucion{}, ErrDesconocida
	}
	return i.Institucion, nil
}

// admits tells whether the clave is the institution's.
func (p *Plataforma) admits(id, clave string) bool {
	i, err := p.Institucion(id)
	if err != nil {
		return false
	}
	return subtle.ConstantTimeCompare([]byte(i.Clave), []byte(clave)) == 1
}

// AddReporte takes the body of an activation that the institution accepted into
// what /reportes serves it; an id that is there already is replaced.
func (p *Plataforma) AddReporte(institucionID string, activacion []byte) error {
	i, err := p.Institucion(institucionID)
	if err != nil {
		return err
	}
	nuevo, err := reporteFrom(activacion, p.now(), i.ConEstados)
	if err != nil {
		return fmt.Errorf("read report: %w", err)
	}
	return p.changeReportes(institucionID, func(reportes []reporteServido) []reporteServido {
		en := slices.IndexFunc(reportes, func(r reporteServido) bool { return r.id == nuevo.id })
		if en < 0 {
			return append(reportes, nuevo)
		}
		reportes[en] = nuevo
		return reportes
	})
}

// RemoveReporte takes out the report that a deactivation body names, or serves it as inactive if
// states are told. One that is not there is no error.
func (p *Plataforma) RemoveReporte(institucionID string, desactivacion []byte) error {
	id, err := reporteID(desactivacion)
	if err != nil {
		return fmt.Errorf("read report id: %w", err)
	}
	return p.changeReportes(institucionID, func(reportes []reporteServido) []reporteServido {
		for n := range reportes {
			if reportes[n].id == id && reportes[n].baja != nil {
				reportes[n].elemento = reportes[n].baja
			}
		}
		return slices.DeleteFunc(reportes, func(r reporteServido) bool { return r.id == id && r.baja == nil })
	})
}

// SetReportes replaces what /reportes serves, element by element as given, so
// that a client can be shown reports which no activation would produce. An
// object, with the array somewhere in it, is served as it is until a report
// comes or goes. The error is an Errores or ErrDesconocida.
func (p *Plataforma) SetReportes(institucionID string, lista jsontext.Value) error {
	if lista.Kind() == '{' {
		return p.wrapReportes(institucionID, lista.Clone())
	}
	var elementos []jsontext.Value
	err := json.Unmarshal(lista, &elementos)
	if err != nil || lista.Kind() != '[' {
		return Errores{"la lista debe ser un arreglo o un objeto"}
	}
	reportes := make([]reporteServido, 0, len(elementos))
	for _, elemento := range elementos {
		reportes = append(reportes, servedAsGiven(elemento))
	}
	return p.changeReportes(institucionID, func([]reporteServido) []reporteServido { return reportes })
}

func (p *Plataforma) wrapReportes(id string, envuelta jsontext.Value) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	i, ok := p.instituciones[id]
	if !ok {
		return ErrDesconocida
	}
	i.reportes, i.envuelta = nil, envuelta
	return nil
}

func (p *Plataforma) changeReportes(id string, change func([]reporteServido) []reporteServido) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	i, ok := p.instituciones[id]
	if !ok {
		return ErrDesconocida
	}
	i.reportes, i.envuelta = change(i.reportes), nil
	return nil
}

// reportesOf returns the body of /reportes.
func (p *Plataforma) reportesOf(id string) any {
	p.mu.Lock()
	defer p.mu.Unlock()
	i, ok := p.instituciones[id]
	if !ok {
		return []jsontext.Value{}
	}
	if i.envuelta != nil {
		return i.envuelta
	}
	elementos := make([]jsontext.Value, 0, len(i.reportes))
	for _, r := range i.reportes {
		elementos = append(elementos, r.elemento)
	}
	return elementos
}
