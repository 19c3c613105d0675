package reportes

import (
	"errors"
	"strings"
	"time"

	"github.com/enlace-iis/enlace/services/internal/errs"
	"github.com/enlace-iis/enlace/services/internal/manual"
)

// OrigenSinAbrir is how the platform asked. The constraint reportes_sin_abrir_origen_check lists
// the same.
type OrigenSinAbrir string

// The origins.
const (
	SinAbrirActivacion OrigenSinAbrir = "activacion" // an activation that was refused
	SinAbrirListado    OrigenSinAbrir = "listado"    // an entry of the platform's list
)

// SinAbrir is something that asked for a search and opened none. It stands in the summary for
// operators until one has reviewed it, or its id is activated.
type SinAbrir struct {
	Origen    OrigenSinAbrir
	ReporteID string   // as it came; empty if it is no id
	Defectos  []string // what is wrong with it, "<field> <code>" each
	// Referencia tells it from others. It may be personal data, so its keyed hash is kept.
	Referencia string
	OcurridoEn time.Time
}

// NewSinAbrir makes one of an id and a CURP as they came; otherwise is its Referencia when there
// is neither.
func NewSinAbrir(origen OrigenSinAbrir, id, curp, otherwise string, defectos []string) SinAbrir {
	s := SinAbrir{Origen: origen, Defectos: defectos}
	switch {
	case manual.IsSearchID(id):
		s.ReporteID, s.Referencia = id, id
	case id != "" || curp != "":
		s.Referencia = id + "\x00" + curp
	default:
		s.Referencia = "\x00" + otherwise
	}
	return s
}

// DefectosOf gives what a refusal of an Activacion names, without what it was given.
func DefectosOf(err error) []string {
	refusal, ok := errors.AsType[*errs.Error](err)
	if !ok {
		return nil
	}
	defectos := make([]string, len(refusal.Fields))
	for n, field := range refusal.Fields {
		defectos[n] = strings.TrimPrefix(field.Puntero, "/") + " " + field.Codigo
	}
	return defectos
}
