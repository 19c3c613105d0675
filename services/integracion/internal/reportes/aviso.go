package reportes

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// TipoAviso is what an Aviso tells of. The constraint avisos_tipo_check lists the same.
type TipoAviso string

// The kinds of Aviso.
const (
	AvisoActivacion       TipoAviso = "activacion"
	AvisoActivacionPrueba TipoAviso = "activacion_prueba"
	AvisoDesactivacion    TipoAviso = "desactivacion"
)

// Aviso is the notice of something that the platform sent, for the institution to see.
// Every accepted request leaves one, repeated ones too. None is ever changed.
type Aviso struct {
	ID         uuid.UUID
	ReporteID  string
	Tipo       TipoAviso
	CURP       string // empty if an unknown Reporte was deactivated
	RecibidoEn time.Time
}

const (
	// MaxAvisos is how many Avisos an institution is shown.
	MaxAvisos = 50
	// MaxAvisosPrueba is how many of them may be of test activations, which are to push no
	// real one out.
	MaxAvisosPrueba = 10
)

// ListaAvisos is the newest Avisos, newest first.
type ListaAvisos struct {
	Revision   string
	SinCambios bool // the revision that was known still stands; no Avisos are here then
	Avisos     []Aviso
}

// AvisoStore reads Avisos.
type AvisoStore interface {
	// ListAvisos gives the newest MaxAvisos, with at most MaxAvisosPrueba of test activations
	// among them, unless the list still has the known revision.
	// Revisions never repeat, not even after a database was restored.
	ListAvisos(ctx context.Context, empresa tenant.EmpresaID, conocida string) (ListaAvisos, error)
}
