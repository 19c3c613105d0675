package seguimiento

import (
	"context"
	"fmt"
	"time"

	"github.com/enlace-iis/enlace/services/internal/tenant"
)

// Lote is what a batch of an institution was; registros says it.
type Lote struct {
	ID            string
	KeyID         string
	RecibidoEn    time.Time
	Total         int
	Creados       int
	Actualizados  int
	SinCambios    int
	Rechazados    int
	Coincidencias int
}

// Lote tells what an id_lote was.
func (s *Seguimiento) Lote(ctx context.Context, empresa tenant.EmpresaID, id string) (Lote, error) {
	err := s.checkEmpresa(ctx, empresa)
	if err != nil {
		return Lote{}, err
	}
	lote, err := s.Casos.GetLote(ctx, empresa, id)
	if err != nil {
		return Lote{}, fmt.Errorf("ask registros: %w", err)
	}
	return lote, nil
}
